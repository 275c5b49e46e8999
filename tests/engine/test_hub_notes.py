"""Counts of concepts by note, compared with the rows of the notes."""

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.engine.caches import hub_notes
from clew.engine.caches.hub_notes import HUBS_MAX, HubNotes
from clew.index.graph import ConceptGraph
from clew.query.slices import finished
from clew.values.arrays import Int64Array
from tests.counted import counted
from tests.examples import examples

NAMES = [f"c{n}" for n in range(70)]
ROWS = st.dictionaries(st.sampled_from(NAMES[:9]), st.integers(1, 2), max_size=6)
EDITS = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.none() | ROWS), max_size=12)


def counts(found: HubNotes, graph: ConceptGraph, names: list[str]) -> list[int]:
    ids = [graph.concept_id(name) for name in names]
    known = np.array([concept for concept in ids if concept is not None], np.int32)
    by_note: list[int] = finished(found.counts_by_note(graph, known)).tolist()
    return by_note


def expected(graph: ConceptGraph, names: list[str]) -> list[int]:
    rows = (graph.row(graph.path(note)) for note in range(graph.note_slots))
    live = graph.is_live.tolist()
    return [
        len(row.keys() & set(names)) if is_live else 0
        for row, is_live in zip(rows, live, strict=True)
    ]


@examples(150)
@given(EDITS, st.sampled_from([1, 3, HUBS_MAX]), st.sets(st.sampled_from(NAMES[:9])))
def test_counts_are_those_of_the_rows_after_any_edits(
    edits: list[tuple[str, dict[str, int] | None]], hubs: int, names: set[str]
) -> None:
    graph, found = ConceptGraph(), HubNotes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hub_notes, "HUBS_MAX", hubs)
        for path, row in edits:
            earlier = graph.copy()
            if row is None:
                graph.drop(path)
            else:
                graph.put(path, row)
            for asked in (graph.copy(), earlier, graph.copy()):
                assert counts(found, asked, sorted(names)) == expected(asked, sorted(names))


def test_hubs_fill_more_than_one_word() -> None:
    graph = ConceptGraph()
    for n in range(70):
        graph.put(f"{n}.md", dict.fromkeys(NAMES[n:], 1))
    assert counts(HubNotes(), graph, NAMES) == list(range(70, 0, -1))
    assert counts(HubNotes(), graph, NAMES[:1]) == [1] + 69 * [0]


def test_a_note_may_mention_all_hubs() -> None:
    names = [f"hub {n}" for n in range(HUBS_MAX + 1)]
    graph = ConceptGraph()
    for n in range(2):
        graph.put(f"{n}.md", dict.fromkeys(names, 1))
    graph.put("other.md", {f"other {n}": 1 for n in range(3 * HUBS_MAX)})
    assert counts(HubNotes(), graph, names) == [HUBS_MAX + 1, HUBS_MAX + 1, 0]


def postings_read(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Return a list that will have the concepts whose postings are read, call by call."""
    read: list[list[str]] = []
    notes_of = ConceptGraph.notes_of_each

    def noted(graph: ConceptGraph, concepts: Int64Array) -> object:
        read.append(sorted(map(graph.name, concepts.tolist())))
        return notes_of(graph, concepts)

    monkeypatch.setattr(ConceptGraph, "notes_of_each", noted)
    return read


def test_the_postings_of_hubs_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hubs are chosen anew when a graph has far more notes."""
    monkeypatch.setattr(hub_notes, "HUBS_MAX", 1)
    graph, found, read = ConceptGraph(), HubNotes(), postings_read(monkeypatch)
    for n in range(3):
        graph.put(f"{n}.md", {"often": 1, "other": 1, **({"once": 1} if n else {})})
    assert counts(found, graph.copy(), ["often", "once"]) == [1, 2, 2]
    for n in range(3, 9):
        graph.put(f"{n}.md", {"once": 1})
    assert counts(found, graph.copy(), ["often", "once"]) == [1, 2, 2] + 6 * [1]
    assert read == [["once"], ["often"]]


def test_the_postings_of_the_rest_are_read_where_they_are_fewer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Most concepts are next to a hub."""
    monkeypatch.setattr(hub_notes, "HUBS_MAX", 1)
    graph, read = ConceptGraph(), postings_read(monkeypatch)
    for n in range(9):
        graph.put(f"{n}.md", {"hub": 1, f"near {n}": 1, **({"far": 1} if n > 6 else {})})
    near = [f"near {n}" for n in range(9)]
    assert counts(HubNotes(), graph, ["hub", *near]) == 9 * [2]
    assert counts(HubNotes(), graph, near) == 9 * [1]
    assert counts(HubNotes(), graph, ["hub"]) == 9 * [1]
    assert read == [["far"], ["far"], []]


def test_rows_are_read_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """To read those of 100,000 notes at once would keep other requests waiting."""
    monkeypatch.setattr(hub_notes, "NOTES_AT_ONCE", 4)
    graph = ConceptGraph()
    for n in range(10):
        graph.put(f"{n}.md", {"often": 1})
    read = counted(monkeypatch, ConceptGraph, "concepts_of_notes")
    steps = HubNotes().counts_by_note(graph, np.zeros(1, np.int32))
    assert [len(read) for _ in steps] == [1, 2, 3]
    assert [len(notes) for _, notes in read] == [4, 4, 2]


@examples(60)
@given(EDITS, st.randoms())
def test_requests_that_are_answered_by_turns_do_not_mix(
    edits: list[tuple[str, dict[str, int] | None]], order: Random
) -> None:
    graph, found, running = ConceptGraph(), HubNotes(), []

    def request(asked: ConceptGraph) -> Iterator[None]:
        every = np.flatnonzero(asked.note_counts).astype(np.int32)
        by_note = yield from found.counts_by_note(asked, every)
        assert by_note.tolist() == expected(asked, list(map(asked.name, every.tolist())))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hub_notes, "HUBS_MAX", 3)
        patch.setattr(hub_notes, "NOTES_AT_ONCE", 1)
        for path, row in edits:
            if row is None:
                graph.drop(path)
            else:
                graph.put(path, row)
            running.append(request(graph.copy()))
            if order.random() < 0.3:
                list(request(graph.copy()))
        while running:
            steps = order.choice(running)
            if next(steps, running) is running:  # it has ended
                running.remove(steps)
