"""Mentions equal a plain slow reading of all notes, after any edits, and few notes are read."""

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.engine import indexes
from clew.engine.apply import Engine
from clew.engine.dump import dump
from clew.engine.mentions import name_words, rarity, search_all, update
from clew.engine.settings import EngineSettings
from clew.index.mentions.name_forms import (
    names_of,
    place_of_name,
    required_words,
    searched_text,
)
from clew.text.passages import count_note_words
from clew.values.note import Note
from clew.values.vault import Batch
from tests.examples import examples
from tests.stored import read_back, stored
from tests.vaults import engine_of, read_note

PATHS = st.sampled_from(
    ["Red fox.md", "x/Fox (animal).md", "Fox, Red.md", "y/red_fox.md", "Den.md", "Grey den.md"]
)
ALIASES = st.lists(st.sampled_from(["fox", "den", "Reynard", "red fox", "the"]), max_size=2)
TEXTS = st.lists(
    st.sampled_from(
        [
            *(
                "A red fox ran.",
                "Red\nfox",
                "redfox",
                "fox",
                "Reynard's den",
                "grey-den",
                "the den",
                "- Red\n- fox",
                "> a red\n> fox",
            ),
            *("[[Red fox]]", "[[den|Reynard]]", "[x](Den.md)", "[[reynard]] and reynard", "# Den"),
        ]
    ),
    max_size=4,
).map("\n\n".join)
EDITS = st.lists(
    st.dictionaries(PATHS, st.none() | st.tuples(ALIASES, TEXTS), min_size=1, max_size=3),
    min_size=1,
    max_size=8,
)


@pytest.fixture(autouse=True)
def _few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let few passages be too many, and notes get new ids at times."""
    for module in (rarity, update):
        monkeypatch.setattr(module, "WORD_PASSAGES_MAX", 4)
        monkeypatch.setattr(module, "RAREST_WORD_PASSAGES_MAX", 6)
    monkeypatch.setattr(update, "MANY_NOTES", 2)
    monkeypatch.setattr(name_words, "BLOCK_NAMES", 2)
    monkeypatch.setattr(search_all, "PAIRS_MAX", 2)
    monkeypatch.setattr(search_all, "STEP_NOTES", 1)
    monkeypatch.setattr(indexes, "_DEAD_NOTES_MIN", 1)


def slow_reading(engine: Engine, notes: list[Note]) -> set[tuple[str, str]]:
    """Return which note mentions which, by reading every note for every name."""
    claims: defaultdict[str, set[str]] = defaultdict(set)
    for note in notes:
        for name in names_of(note):
            claims[name].add(note.path)
    words = {note.path: count_note_words(note) for note in notes}
    counts: Counter[str] = Counter()
    for each in words.values():
        distinct = each.words.split("\n")
        counts.update(distinct[place] for place in memoryview(each.places).cast("i"))
    mentions = set()
    for name, claimants in claims.items():
        limit = rarity.RAREST_WORD_PASSAGES_MAX if " " in name else rarity.WORD_PASSAGES_MAX
        required = required_words(name)
        if len(claimants) > 1 or min(counts[word] for word in required) > limit:
            continue
        (named,) = claimants
        for note in notes:
            has_words = set(required) <= set(words[note.path].words.split("\n"))
            if note.path == named or not has_words:
                continue
            is_linked = any(
                engine.snapshot.resolve(link, note.path) == named
                or engine.snapshot.concept_of(link, note.path)
                == engine.indexes.names.concept_of_note(named)
                for link in note.links
            )
            place = place_of_name(searched_text(note), name, names_of(note))
            if place >= 0 and not is_linked:
                mentions.add((note.path, named))
    return mentions


def mentions_of(engine: Engine) -> set[tuple[str, str]]:
    graph, mentions = engine.snapshot.graph, engine.snapshot.mentions
    forward = {
        (path, graph.path(other))
        for path, note_id in graph.note_ids.items()
        for other in mentions.mentioned_by(note_id)
    }
    backward = {
        (graph.path(other), path)
        for path, note_id in graph.note_ids.items()
        for other in mentions.mentioning(note_id)
    }
    assert forward == backward
    degrees = Counter(chain.from_iterable(forward))
    by_id = mentions.degrees(graph.note_slots).tolist()
    assert {path: by_id[id_] for path, id_ in graph.note_ids.items() if by_id[id_]} == degrees
    return forward


@pytest.mark.slow
@given(EDITS, st.integers(0, 7), st.integers(0, 7))
@examples(200)
def test_mentions_equal_a_plain_slow_reading(
    edits: list[dict[str, tuple[list[str], str] | None]], pause: int, put_off: int
) -> None:
    """Also if the first edits are of the first index, and mentions are put off until its end.

    An engine that takes over which names the texts hold has the same.
    """
    engine, notes = Engine(EngineSettings()), dict[str, Note]()
    follower = Engine(EngineSettings())
    for number, edit in enumerate(edits):
        put = []
        for path, content in edit.items():
            notes.pop(path, None)
            if content is not None:
                aliases, text = content
                head = f"---\naliases: [{', '.join(aliases)}]\n---\n"
                put.append(read_note(path, f"{head}{text}\n"))
                notes[path] = put[-1].note
        dropped = tuple(
            path for path in edit if path not in notes and path in engine.indexes.entries
        )
        is_put_off = number < put_off and engine.indexes.is_first
        batch = Batch(put=tuple(put), dropped=dropped, puts_mentions_off=is_put_off)
        engine.apply(batch)
        follower.apply(replace(batch, found_names=engine.found_names))
        if number == pause:
            engine.compact()
            engine.adopt(read_back(memoryview(bytes(stored(engine.indexes)))).indexes)
        if is_put_off:
            assert mentions_of(engine) == set()
            continue
        for each in (engine, follower):
            deque(each.search_mentions(), maxlen=0)
        assert mentions_of(engine) == slow_reading(engine, list(notes.values()))
        assert dump(follower.snapshot) == dump(engine.snapshot)


@pytest.mark.parametrize(
    "notes",
    [
        pytest.param((("zorro.md", "x\n"), ("b.md", "a zorro\n")), id="the text comes last"),
        pytest.param((("b.md", "a zorro\n"), ("zorro.md", "x\n")), id="the name comes last"),
    ],
)
def test_an_engine_that_is_told_which_names_a_text_holds_does_not_search_it(
    texts_read: list[str], notes: Sequence[tuple[str, str]]
) -> None:
    engine, follower = Engine(EngineSettings()), Engine(EngineSettings())
    for path, text in notes:
        batch = Batch(put=(read_note(path, text),))
        engine.apply(batch)
        texts_read.clear()
        follower.apply(replace(batch, found_names=engine.found_names))
    assert mentions_of(follower) == {("b.md", "zorro.md")}
    assert texts_read == []


@pytest.fixture
def texts_read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the notes whose texts are searched from now on."""
    paths = []

    def searched(note: Note) -> str:
        paths.append(note.path)
        return searched_text(note)

    for module in (update, search_all):
        monkeypatch.setattr(module, "searched_text", searched)
    return paths


def test_only_notes_with_all_words_of_a_new_name_are_read(texts_read: list[str]) -> None:
    vault = {f"{n}.md": "# x\nA red den.\n" for n in range(5)}
    vault |= {"grey.md": "A grey fox\n", "here.md": "A fox of red fur\n"}
    engine = engine_of({**vault, "there.md": "A red fox\n"})
    texts_read.clear()
    engine.apply(Batch(put=(read_note("Red fox.md", "New\n"),)))
    assert sorted(texts_read) == ["Red fox.md", "here.md", "there.md"]
    assert mentions_of(engine) == {("there.md", "Red fox.md")}
    texts_read.clear()
    engine.apply(Batch(dropped=("Red fox.md",)))
    assert not texts_read  # none is needed to forget a name
    assert mentions_of(engine) == set()


def test_a_name_of_common_words_is_read_nowhere(texts_read: list[str]) -> None:
    engine = engine_of({f"{n}.md": "The red fox\n" for n in range(20)})
    texts_read.clear()
    engine.apply(Batch(put=(read_note("Red fox.md", ""),)))
    assert texts_read == ["Red fox.md"]
    assert mentions_of(engine) == set()


def test_in_the_first_index_only_notes_with_rare_names_are_read_and_once(
    texts_read: list[str],
) -> None:
    common = {f"{n}.md": "# A den\nThe den\n" for n in range(9)}
    notes = {"Red fox.md": "", "Den.md": "", "here.md": "A red fox\n", **common}
    engine = Engine(EngineSettings())
    for path, text in notes.items():
        engine.apply(Batch(put=(read_note(path, text),), puts_mentions_off=True))
    assert not texts_read
    engine.apply(Batch(reads_s={"here.md": 1.0}))  # no part of the first index
    assert mentions_of(engine) == set()
    deque(engine.search_mentions(), maxlen=0)
    assert texts_read == ["Red fox.md", "here.md"]
    assert mentions_of(engine) == {("here.md", "Red fox.md")}
    assert list(engine.search_mentions()) == []  # they are found only once


def test_a_name_becomes_rare_though_another_part_of_the_note_keeps_its_word() -> None:
    others = {f"{n}.md": "zorro\n" for n in range(rarity.WORD_PASSAGES_MAX - 2)}
    engine = engine_of({"Zorro.md": "", "a.md": "# One\nzorro\n\n# Two\nzorro\n", **others})
    assert mentions_of(engine) == set()
    engine.apply(Batch(put=(read_note("a.md", "# One\nzorro\n\n# Two\nfox\n"),)))
    assert mentions_of(engine) == {(path, "Zorro.md") for path in ("a.md", *others)}


def test_a_link_that_names_another_concept_no_longer_hides_a_mention() -> None:
    alias = "---\naliases: [Reynard]\n---\n"
    engine = engine_of({"Red fox.md": alias, "a.md": "[[Reynard]] is a red fox.\n"})
    assert mentions_of(engine) == set()
    engine.apply(Batch(put=(read_note("Den.md", alias),)))  # the alias is contested now
    assert mentions_of(engine) == {("a.md", "Red fox.md")}


def test_a_note_with_a_longer_name_does_not_mention_the_note_that_comes_later() -> None:
    engine = engine_of({"Red fox den.md": "A red fox den\n", "there.md": "A red fox\n"})
    engine.apply(Batch(put=(read_note("Red fox.md", "New\n"),)))
    assert mentions_of(engine) == {("there.md", "Red fox.md")}
