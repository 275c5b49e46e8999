"""Circles of notes that replace each other are all found."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.successors import circles as module
from clew.index.successors.circles import circles
from clew.index.successors.successor_index import Statement, SuccessorIndex

GRAPHS = st.dictionaries(
    st.sampled_from("abcdefg"), st.sets(st.sampled_from("abcdefg"), max_size=3), max_size=7
)


def index_of(graph: Mapping[str, set[str]]) -> SuccessorIndex:
    index = SuccessorIndex()
    for path, newer in graph.items():
        index.put(path, Statement(tuple(sorted(newer)), ()) if newer else None, lambda key: [key])
        index.settle(path, lambda target: target)
    return index


def reached(graph: Mapping[str, set[str]], path: str) -> set[str]:
    found: set[str] = set()
    waiting = [path]
    while waiting:
        new = graph.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


@given(GRAPHS)
def test_each_note_that_leads_to_itself_is_on_or_beside_a_circle(
    graph: dict[str, set[str]],
) -> None:
    found = circles(index_of(graph))
    for circle in found:
        assert circle[0] == min(circle)
        assert len(set(circle)) == len(circle)
        pairs = zip(circle, (*circle[1:], circle[0]), strict=True)
        assert all(newer in graph[path] for path, newer in pairs)
    in_circles = {path for path in graph if path in reached(graph, path)}
    groups = {
        min(
            other
            for other in in_circles
            if path in reached(graph, other) and other in reached(graph, path)
        )
        for path in in_circles
    }
    assert sorted(circle[0] for circle in found) == sorted(groups)


def test_a_long_chain_needs_no_recursion() -> None:
    chain = {f"{number:05}": {f"{number + 1:05}"} for number in range(20_000)}
    assert circles(index_of(chain)) == ()
    assert len(circles(index_of({**chain, "20000": {"00000"}}))[0]) == 20_001


def test_so_many_circles_are_reported_the_first_by_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CIRCLES_MAX", 2)
    assert circles(index_of({each: {each} for each in "cab"})) == (("a",), ("b",))
