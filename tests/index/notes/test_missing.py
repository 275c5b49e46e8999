"""The notes that one graph has and another lacks are found without looking each note up."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.graph import ConceptGraph
from clew.index.notes.missing import notes_missing
from tests.counted import counted
from tests.stored import written

Step = tuple[str, str]  # what is done to the note with this name
steps = st.lists(
    st.tuples(st.sampled_from(["put", "drop", "store", "renumber"]), st.sampled_from("abcdé"))
)


def stored(graph: ConceptGraph) -> ConceptGraph:
    return ConceptGraph.read(written(graph.columns()))


def changed(graph: ConceptGraph, done: Sequence[Step]) -> ConceptGraph:
    """Return a copy of the graph to which this was done."""
    graph = graph.copy()
    for step, path in done:
        if step == "put":
            graph.put(path, {path.upper(): 1})
        elif step == "drop":
            graph.drop(path)
        elif step == "renumber":
            graph = graph.renumbered(sorted(graph.note_ids))
        else:
            graph = stored(graph)
    return graph


@given(first=steps, second=steps, later=steps)
def test_the_notes_are_those_that_look_ups_find(
    first: list[Step], second: list[Step], later: list[Step]
) -> None:
    before = changed(ConceptGraph(), first)
    for after in (changed(before, second), changed(ConceptGraph(), later)):
        for graph, other in ((before, after), (after, before)):
            missing = notes_missing(graph, other)
            assert sorted(missing) == sorted(graph.note_ids.keys() - other.note_ids.keys())


def test_only_notes_that_may_be_missing_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = ConceptGraph()
    for number in range(1_000):
        graph.put(f"{number}.md", {"c": 1})
    before = stored(graph)
    after = changed(before, [("drop", "7.md"), ("put", "new.md"), ("store", "")])
    read = counted(monkeypatch, ConceptGraph, "path")
    assert notes_missing(before, after) == ["7.md"]
    assert notes_missing(after, before) == ["new.md"]
    assert len(read) == 2
