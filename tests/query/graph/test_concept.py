"""The concept method: relations, expansion, files and previews."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.engine.settings import SiblingConfig
from clew.engine.snapshot import Snapshot
from clew.index.graph import ConceptGraph
from clew.query.graph.concept import concept
from clew.query.slices import finished
from clew.text.tokens import count_tokens
from clew.values import wire
from clew.values.replies import ConceptReply
from clew.values.requests import ConceptRequest
from clew.values.vault import Batch
from tests.counted import counted
from tests.examples import examples
from tests.tables import for_each_row
from tests.vaults import DAY_S, NOW_S, engine_of, read_note, snapshot_of

CHAIN = {
    "1.md": "[[Q]] [[A]]",
    "2.md": "[[Q]] [[A]] [[B]]",
    "3.md": "[[A]] [[C]]",
    "4.md": "[[C]] [[D]]",
    "5.md": "[[D]] [[E]]",
}


def ask(snapshot: Snapshot, name: str = "Q", **fields: object) -> ConceptReply:
    request = ConceptRequest(concept_name=name, **fields)  # type: ignore[arg-type]
    return finished(concept(snapshot, request, NOW_S, SiblingConfig()))


def names(reply: ConceptReply) -> list[str]:
    return [relation.name for relation in reply.direct_relations]


@pytest.mark.parametrize("depth", [0, 1])
def test_depth_zero_and_one_give_direct_relations_only(depth: int) -> None:
    reply = ask(snapshot_of(CHAIN), depth=depth)
    assert names(reply) == ["a", "b"]
    assert reply.expanded_relations == ()


def test_a_greater_depth_reaches_further() -> None:
    snapshot = snapshot_of(CHAIN)
    assert ask(snapshot, depth=2).expanded_relations == ("c",)
    assert ask(snapshot, depth=3).expanded_relations == ("c", "d")
    assert ask(snapshot, depth=9).expanded_relations == ("c", "d", "e")


def test_the_score_of_a_path_is_the_product_of_its_shares() -> None:
    """Steps from Q weigh A 1.5, B 0.5, as the note of three adds a half; A to C is 1 of 3."""
    (path,) = ask(snapshot_of(CHAIN), depth=2).expanded_paths
    assert path.path == ("q", "a", "c")
    assert path.hops == 2
    assert path.score == pytest.approx(1.5 / 2 * 1 / 3, abs=1e-6)


def test_weight_beats_raw_count() -> None:
    engine = engine_of({"new.md": "[[Q]] [[Fresh]]"})
    old_s = NOW_S - 400 * DAY_S
    olds = tuple(read_note(f"old{n}.md", "[[Q]] [[Stale]]", old_s) for n in range(3))
    engine.apply(Batch(put=olds))
    relations = ask(engine.snapshot).direct_relations
    assert [(r.name, r.co_occurrence_count) for r in relations] == [("fresh", 1), ("stale", 3)]
    assert relations[1].weighted_score == pytest.approx(3 * relations[1].decay_weight, abs=2e-6)
    assert relations[1].decay_weight == pytest.approx(372**-0.5, abs=1e-6)


def test_expansion_starts_where_a_step_weighs_most() -> None:
    """A new index of 21 concepts gives each of its pairs 1/20, an old note of two a tenth."""
    engine = engine_of({"index.md": "[[Q]] " + " ".join(f"[[Listed {n}]]" for n in range(20))})
    kin = {"kin.md": "[[Q]] [[Kin]]", "beyond.md": "[[Kin]] [[Beyond]]"}
    old_s = NOW_S - 128 * DAY_S
    engine.apply(Batch(put=tuple(read_note(path, text, old_s) for path, text in kin.items())))
    reply = ask(engine.snapshot, max_entities=30)
    assert names(reply)[-1] == "kin"
    (path,) = reply.expanded_paths
    assert path.path == ("q", "kin", "beyond")
    assert path.score == pytest.approx(0.1 / 1.1 * 0.5, abs=1e-6)


def listed(*names: str) -> str:
    """Return an index of these and of more concepts than a note may have that is no list."""
    return " ".join(f"[[{name}]]" for name in (*names, *(f"Listed {n}" for n in range(16))))


def test_expansion_takes_steps_of_lists_only_where_nothing_else_leads_on() -> None:
    """The pinned index says more of each pair, by age, than the notes about kin and their kin."""
    old = "created: 2020-01-01"
    notes = {
        "index.md": f"---\npinned: true\n---\n{listed('Q', 'Aunt')}",
        "kin.md": f"---\n{old}\n---\n[[Q]] [[Kin]]",
        "beyond.md": f"---\n{old}\n---\n[[Kin]] [[Beyond]]",
        "aunt.md": f"---\n{old}\n---\n[[Aunt]] [[Niece]]",
    }
    assert ask(snapshot_of(notes)).expanded_relations == ("beyond",)
    del notes["beyond.md"]
    (path,) = ask(snapshot_of(notes)).expanded_paths
    assert path.path == ("q", "aunt", "niece")


def test_expansion_starts_from_more_relations_before_it_takes_steps_of_lists() -> None:
    """The five strongest lead nowhere, and only the sixth joins anything but the index does."""
    notes = {f"{n}{copy}.md": f"[[Q]] [[a{n}]]" for n in range(5) for copy in range(2)}
    notes |= {"index.md": listed("a0"), "6.md": "[[Q]] [[a6]]", "7.md": "[[a6]] [[Beyond]]"}
    assert ask(snapshot_of(notes)).expanded_relations == ("beyond",)


def test_the_sample_vault_has_no_step_of_its_index_where_another_leads_on() -> None:
    files = (Path(__file__).parents[3] / "sample-vault").rglob("*.md")
    snapshot = snapshot_of({str(file): file.read_text("utf-8", "replace") for file in files})
    graph = snapshot.graph
    steps = set()
    for name in graph.concepts():
        for path in ask(snapshot, f"concept://{name}").expanded_paths:
            steps |= set(pairwise(path.path))
    assert steps
    for first, second in steps:
        ends = graph.concept_id(first), graph.concept_id(second)
        assert ends[0] is not None
        assert ends[1] is not None
        notes = graph.shared_notes(ends[0], ends[1])
        assert graph.row_lengths(notes).min() <= 16, (first, second)


def test_all_neighbours_are_scored_before_the_cut() -> None:
    notes = {f"n{n:02}.md": f"[[Q]] [[Weak {n:02}]]" for n in range(30)}
    notes |= {f"z{n}.md": "[[Q]] [[Zebra]]" for n in range(3)}
    assert names(ask(snapshot_of(notes), max_entities=2)) == ["zebra", "weak-00"]


def test_expansion_never_repeats_a_direct_relation_even_one_cut_off() -> None:
    reply = ask(snapshot_of(CHAIN), depth=3, max_entities=1)
    assert names(reply) == ["a"]
    assert "b" not in reply.expanded_relations


def test_an_unknown_concept_is_empty_with_suggestions() -> None:
    snapshot = snapshot_of({"a.md": "[[Machine Learning]] [[Other]]"})
    reply = ask(snapshot, "machin lerning")
    assert (reply.note_count, reply.direct_relations) == (0, ())
    assert reply.suggestions == ("machine-learning",)


def test_an_empty_graph_gives_an_empty_reply() -> None:
    reply = ask(snapshot_of({}), "anything")
    assert (reply.direct_relations, reply.expanded_relations, reply.suggestions) == ((), (), ())


@pytest.mark.parametrize("count", [0, 1, 20])
def test_a_relation_names_as_many_notes_as_asked_for_newest_first(count: int) -> None:
    engine = engine_of({})
    notes = tuple(read_note(f"{n}.md", "[[Q]] [[A]]", NOW_S - n * DAY_S) for n in range(25))
    engine.apply(Batch(put=notes))
    (relation,) = ask(engine.snapshot, max_files=count, include_content=True).direct_relations
    assert relation.file_count == 25
    assert relation.files == tuple(f"memory://{n}.md" for n in range(count))
    assert list(relation.content_preview or ()) == [f"memory://{n}.md" for n in range(3)]


@examples(100)
@given(
    st.lists(st.tuples(st.sets(st.sampled_from("abc")), st.integers(0, 2)), max_size=12),
    st.integers(0, 4),
)
def test_newest_notes_are_those_of_the_latest_dates_then_by_path(
    rows: list[tuple[set[str], int]], most: int
) -> None:
    engine, dated = engine_of({}), [(-day, f"{7 * n % 13}.md") for n, (_, day) in enumerate(rows)]
    for (words, day), (_, path) in zip(rows, dated, strict=True):
        text = " ".join(f"[[{word}]]" for word in ["q", *sorted(words)])
        engine.apply(Batch(put=(read_note(path, text, NOW_S + day * DAY_S),)))
    snapshot = engine.snapshot
    graph = snapshot.graph
    ids = {name: graph.concept_id(name) for name in sorted(graph.concepts(), reverse=True)}
    center, others = ids.pop("q", None), [each for each in ids.values() if each is not None]
    if center is None:
        return
    expected = [
        [
            path
            for (words, _), (_, path) in sorted(
                zip(rows, dated, strict=True), key=lambda row: row[1]
            )
            if name in words
        ][:most]
        for name in ids
    ]
    assert snapshot.newest_shared(center, others, most) == expected
    newest = [path for _, path in sorted(dated)]
    assert snapshot.newest_paths(graph.notes_of(center), most) == newest[:most]


def test_the_rows_of_a_concept_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a hub of 100,000 notes take some milliseconds; relations and steps need them too."""
    snapshot = engine_of({f"{n}.md": f"[[q]] [[a]] [[b {n}]]" for n in range(9)}).snapshot
    read = counted(monkeypatch, ConceptGraph, "rows_with")
    assert ask(snapshot).direct_relations
    assert [concept for _, concept in read].count(snapshot.graph.concept_id("q")) == 1


def test_the_rows_of_a_concept_are_read_in_a_step_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    snapshot = engine_of({f"{n}.md": f"[[q]] [[b {n}]]" for n in range(9)}).snapshot
    read = counted(monkeypatch, ConceptGraph, "rows_with")
    ranked = counted(monkeypatch, Snapshot, "neighbours")
    steps = concept(snapshot, ConceptRequest(concept_name="q"), NOW_S, SiblingConfig())
    assert (1, 0) in [(len(read), len(ranked)) for _ in steps]


def test_the_reply_for_a_hub_is_short() -> None:
    """Of 400 notes with long paths, in which 60 concepts with long names go with one."""
    folder = "areas/measurements and methods/the years before"
    notes = {
        f"{folder}/A day on which something happened {n}.md": "[[Hub]] "
        + " ".join(f"[[Concept with a name of many words {(n + k) % 60}]]" for k in range(9))
        for n in range(400)
    }
    reply = wire.encode_result(1, ask(snapshot_of(notes), "Hub")).decode()
    assert count_tokens(reply) <= 4_000


def test_previews_show_the_mention_of_the_neighbour() -> None:
    text = "# Title\n\nFirst words about [[Q]].\n\n" + "Filler here. " * 60
    text += "\n\nLater it says that [[A]] matters most. And then more.\n"
    reply = ask(snapshot_of({"a.md": text}), include_content=True)
    (relation,) = reply.direct_relations
    assert relation.content_preview == {
        "memory://a.md": "Later it says that [[A]] matters most. And then more."
    }


LABELS = "tags: [x]\ncover: https://a.example/b\n"
IN_PROPERTIES = f"---\n{LABELS}from: '[[Q]]'\nby: ['[[A]]', 2]\n---\n"


@for_each_row(
    ("text", "shown"),
    [
        (f"{IN_PROPERTIES}# Title\n\nFirst words. Then [[B]].\n", "First words. Then [[B]]."),
        (IN_PROPERTIES, "from: Q; by: A, 2"),
        (f"{IN_PROPERTIES}# Title\n", "from: Q; by: A, 2"),
        (f"{IN_PROPERTIES}# Title\n![[a.base#B]] ![[b.png]]\n", "from: Q; by: A, 2"),
        (f"{IN_PROPERTIES}![[b.png]]\n\nSee ![[c.png]].\n", "See ![[c.png]]."),
        (
            IN_PROPERTIES.replace(LABELS, f"far: {'z ' * 100}\n"),
            f"…{'z ' * 31}z; from: Q; by: A, 2",
        ),
    ],
)
def test_a_preview_without_a_mention_in_the_text_shows_its_first_words(
    text: str, shown: str
) -> None:
    """Or the properties, where there are none."""
    reply = ask(snapshot_of({"a.md": text}), include_content=True)
    relation = next(row for row in reply.direct_relations if row.name == "a")
    assert relation.content_preview == {"memory://a.md": shown}


def test_previews_are_absent_unless_asked_for() -> None:
    (relation,) = ask(snapshot_of({"a.md": "[[Q]] [[A]]"})).direct_relations
    assert not relation.content_preview


WORDS = st.sampled_from("abcdefghij")
VAULTS = st.lists(st.lists(WORDS, min_size=1, max_size=5), min_size=1, max_size=12)


@examples(150)
@given(VAULTS, st.integers(0, 5), st.integers(1, 6))
def test_relations_are_sorted_bounded_and_distinct(
    rows: list[list[str]], depth: int, most: int
) -> None:
    """Holds for any small vault; no name occurs twice."""
    notes = {f"{n}.md": " ".join(f"[[{word}]]" for word in row) for n, row in enumerate(rows)}
    reply = ask(snapshot_of(notes), rows[0][0], depth=depth, max_entities=most)
    keys = [(-r.weighted_score, -r.co_occurrence_count, r.name) for r in reply.direct_relations]
    assert keys == sorted(keys)
    assert len(keys) <= most
    assert len(reply.expanded_relations) <= most
    all_names = [rows[0][0], *names(reply), *reply.expanded_relations]
    assert len(all_names) == len(set(all_names))
    scores = [path.score for path in reply.expanded_paths]
    assert scores == sorted(scores, reverse=True)
    assert all(2 <= path.hops <= depth for path in reply.expanded_paths)


@examples(60)
@given(VAULTS, st.randoms(use_true_random=False))
def test_the_order_of_edits_does_not_change_the_reply(
    rows: list[list[str]], random: object
) -> None:
    notes = {f"{n}.md": " ".join(f"[[{word}]]" for word in row) for n, row in enumerate(rows)}
    shuffled = list(notes.items())
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    engine = engine_of({})
    for path, text in shuffled:
        engine.apply(Batch(put=(read_note(path, text),)))
    one, other = (
        ask(snapshot_of(notes), rows[0][0], depth=4),
        ask(engine.snapshot, rows[0][0], depth=4),
    )
    assert one.direct_relations == other.direct_relations
    assert one.expanded_paths == other.expanded_paths
