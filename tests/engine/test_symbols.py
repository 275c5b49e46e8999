"""The names of symbols after edits, compaction and storing, compared with plain lists of them."""

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.engine import indexes, symbols
from clew.engine.apply import Engine
from clew.engine.persist.index_file import read_indexes
from clew.engine.snapshot import Snapshot
from clew.engine.symbols import NO_NAME, SymbolIndex
from clew.query.rank.legacy import folded_query, legacy_relevance
from clew.text.terms import count_words
from clew.values.vault import Batch
from tests.examples import examples
from tests.rankings import ranked
from tests.stored import stored
from tests.vaults import engine_of, read_note

PATHS = st.sampled_from(["Clock.md", "b.md", "x/Clock.md", "x/c-d.md"])
TITLES = st.sampled_from(["", "title: Clock\n", "title: The clock tower\n", 'title: "a\\nb"\n'])
HEADINGS = st.sampled_from(["Clock", "clock tower", "b", "", "Clock-drift [[of c d]]", "drift"])
LINKS = st.sampled_from(["[[b]]", "[[Clock]]", "[[c d|tower]]", "[[snake_case clock]]"])
SAME_TITLE = '---\ntitle: "a\\nb"\n---\n'
QUERIES = ["clock", "tower drift", "b", "a\nb", "c d", "clock-drift"]


@st.composite
def texts(draw: st.DrawFn) -> str:
    headings = "".join(f"\n## {heading}\n" for heading in draw(st.lists(HEADINGS, max_size=4)))
    links = " ".join(draw(st.lists(LINKS, max_size=3)))
    return f"---\n{draw(TITLES)}---\n{links}\n{headings}"


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.dictionaries(PATHS, texts(), min_size=1, max_size=2)),
        st.tuples(st.just("drop"), PATHS),
        st.tuples(st.sampled_from(["compact", "store", "look"]), st.none()),
    ),
    max_size=12,
)


def edited(steps: Iterable[tuple[str, object]]) -> Engine:
    """Return an engine after these steps."""
    engine = engine_of({})
    for kind, what in steps:
        if isinstance(what, dict):
            put = tuple(read_note(path, text) for path, text in what.items())
            engine.apply(Batch(put=put))
        elif kind == "drop" and what in engine.indexes.entries:
            engine.apply(Batch(dropped=(str(what),)))
        elif kind == "compact":
            engine.compact()
        elif kind == "store":
            engine.adopt(read_indexes(stored(engine.indexes), engine.settings))
        elif kind == "look":  # a later change must not reach this copy
            assert engine.snapshot.symbols is not engine.indexes.symbols
    return engine


def plain_names(snapshot: Snapshot, path: str) -> tuple[str, list[str | None]]:
    """Return a note's title and its headings; ``None`` for one that is no symbol."""
    note = snapshot.note(path)
    names: list[str | None] = [heading.text.strip() or None for heading in note.headings]
    same = [text.text.casefold() == note.title.casefold() for text in note.headings]
    if True in same:
        names[same.index(True)] = None
    return note.title, names


def names_in(snapshot: Snapshot, path: str) -> tuple[str, list[str | None]]:
    """Return the same as the index has it, case folded."""
    index, note_id = snapshot.symbols, snapshot.graph.note_ids[path]
    slots = index.headings_of(note_id)
    assert (index.note_by_heading[slots] == note_id).all()
    assert index.index_by_heading[slots].tolist() == list(range(slots.stop - slots.start))
    numbers = index.name_by_heading[slots].tolist()
    names = [index.texts.folded(n) if n != NO_NAME else None for n in numbers]
    return index.texts.folded(int(index.titles[note_id])), names


@pytest.fixture(autouse=True)
def _many_dead_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexes, "_DEAD_NOTES_MIN", 0)  # so that notes get new ids at times


@examples(150)
@given(STEPS)
def test_each_note_and_each_concept_has_its_names(steps: list[tuple[str, object]]) -> None:
    check_names(edited(steps).snapshot)


def check_names(snapshot: Snapshot) -> None:
    index, graph = snapshot.symbols, snapshot.graph
    headings: Counter[str] = Counter()
    for path in snapshot.entries:
        title, names = plain_names(snapshot, path)
        folded = [name.casefold() if name is not None else None for name in names]
        assert names_in(snapshot, path) == (title.casefold(), folded)
        headings.update(name for name in names if name is not None)
    live = index.name_by_heading[index.name_by_heading != NO_NAME]
    counts = np.bincount(live, minlength=len(index.texts))
    assert index.heading_counts.tolist() == counts.tolist()
    lengths = {name: sum(count_words(name.replace("-", " ")).values()) for name in headings}
    words = sum(lengths[name] * count for name, count in headings.items())
    assert index.heading_totals == (headings.total(), words)
    assert [index.concepts.folded(n) for n in range(len(index.concepts))] == [
        graph.name(n).casefold() for n in range(graph.concept_slots)
    ]
    is_live = np.isin(np.arange(graph.note_slots), list(graph.note_ids.values()))
    assert (index.titles != NO_NAME).tolist() == is_live.tolist()


@examples(100)
@given(STEPS, st.sampled_from(QUERIES))
@example([("put", {"Clock.md": SAME_TITLE, "b.md": SAME_TITLE})], "b")
def test_names_match_as_each_alone_does(steps: list[tuple[str, object]], query: str) -> None:
    snapshot = edited(steps).snapshot
    folded = folded_query(query)

    def alone(name: str) -> float:
        return max(legacy_relevance(folded, each) for each in (name, name.replace("-", " ")))

    expected = []
    for path in snapshot.entries:
        title, names = plain_names(snapshot, path)
        # A note may be found by a title that others have too, and shown by its base name.
        expected += [("note", snapshot.title(path), alone(title))]
        expected += [("heading", name, alone(name)) for name in names if name is not None]
    for name in snapshot.graph.concepts():
        paths = snapshot.paths_by_concept.get(name, ())
        for path in paths:  # at most one; the note and its concept are one symbol
            title, shown = plain_names(snapshot, path)[0], snapshot.title(path)
            expected.remove(("note", shown, alone(title)))
            expected.append(("note", shown, max(alone(title), alone(name))))
        if not paths:
            expected.append(("concept", snapshot.display(name), alone(name)))
    reply = ranked(snapshot, query, search_mode="legacy", fuzzy=False, token_budget=100_000)
    found = [(row.kind, row.name, row.relevance_score) for row in reply.results]
    assert sorted(found) == sorted(row for row in expected if row[2])


@examples(100)
@given(STEPS, st.sampled_from(QUERIES))
def test_rank_answers_as_after_a_rebuild(steps: list[tuple[str, object]], query: str) -> None:
    engine = edited(steps)
    rebuilt = Engine(engine.settings)
    rebuilt.apply(Batch(put=tuple(engine.indexes.entries.values())))
    for fields in ({}, {"strategy": "dependency"}, {"search_mode": "legacy"}):
        reply = ranked(engine.snapshot, query, **fields)
        assert reply.results == ranked(rebuilt.snapshot, query, **fields).results


def test_names_follow_notes_and_concepts_that_get_new_ids() -> None:
    engine = engine_of({"a.md": "[[z]]", "b.md": "## B\n[[y]]", "c.md": "", "d.md": "## D\n[[x]]"})
    engine.apply(Batch(dropped=("a.md", "b.md", "c.md")))
    engine.compact()
    assert engine.indexes.graph.note_slots == 1
    assert engine.indexes.graph.name(0) == "x"
    check_names(engine.snapshot)
    engine.apply(Batch(put=(read_note("e.md", "## E\n[[w]]"),)))
    check_names(engine.snapshot)


def test_a_heading_that_is_no_symbol_is_not_found_by_its_links() -> None:
    snapshot = engine_of({"Clock.md": "# Clock\n[[b]]\n\n## Other\n[[b]]", "b.md": ""}).snapshot
    reply = ranked(snapshot, "b", strategy="dependency")
    assert [row.name for row in reply.results if row.kind == "heading"] == ["Other"]


def test_texts_and_slots_that_are_not_used_any_more_are_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(symbols, "GARBAGE_MAX", 5)
    engine = engine_of({"a.md": "# A\n"})
    for number in range(40):
        engine.apply(Batch(put=(read_note("a.md", f"# A\n\n## Clock {number}\n"),)))
        engine.compact_if_needed()
        reply = ranked(engine.snapshot, "clock")
        assert ("heading", f"Clock {number}") in [(row.kind, row.name) for row in reply.results]
        assert len(engine.indexes.symbols.texts) <= 15
        assert len(engine.indexes.symbols.name_by_heading) <= 15


def test_an_edit_that_changes_no_heading_keeps_their_slots() -> None:
    engine = engine_of({"a.md": "# A\n\n## Clock\n"})
    engine.apply(Batch(put=(read_note("a.md", "# A\nProse.\n\n## Clock\n"),)))
    assert len(engine.indexes.symbols.name_by_heading) == 2


def test_the_names_of_a_held_snapshot_do_not_change() -> None:
    engine = engine_of({"a.md": "# A\n\n## Clock\n[[b]]"})
    held = engine.snapshot
    before = ranked(held, "clock b")
    engine.apply(Batch(put=(read_note("a.md", "# A\n\n## Tower\n[[b clock]]"),)))
    engine.apply(Batch(dropped=("a.md",)))
    engine.compact()
    assert ranked(held, "clock b") == before
    assert before.results


def test_symbols_of_another_index_are_refused() -> None:
    engine, other = engine_of({"a.md": "[[b]]"}), engine_of({"a.md": "[[b]]", "c.md": "[[d]]"})
    engine.indexes.symbols = other.indexes.symbols
    with pytest.raises(ValueError, match="symbols of other notes"):
        read_indexes(stored(engine.indexes), engine.settings)
    assert isinstance(engine.indexes.symbols, SymbolIndex)
