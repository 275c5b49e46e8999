"""Which edges are drawn where not all can be: no node that has edges is without a line."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.query.draw.edges import drawn_edges, strongest_first
from tests.counted import counted
from tests.examples import examples

Edge = tuple[int, int]
pairs = st.tuples(st.integers(0, 12), st.integers(0, 12)).filter(lambda ends: ends[0] < ends[1])
edge_lists = st.lists(pairs, unique=True, max_size=60)
# Of so many edges, most are not among the two strongest of a node.
dense_edge_lists = st.permutations([*combinations(range(13), 2)]).map(lambda edges: edges[:60])


def drawn(edges: list[Edge], count_max: int) -> list[Edge]:
    """Return the drawn edges of ``edges``, which are given strongest first."""
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    kept = drawn_edges(ends[:, 0], ends[:, 1], count_max)
    return [edge for edge, is_kept in zip(edges, kept.tolist(), strict=True) if is_kept]


def edges_of(node: int, edges: list[Edge]) -> list[Edge]:
    return [edge for edge in edges if node in edge]


@examples()
@given(edge_lists, st.integers(0, 70))
def test_as_many_edges_are_drawn_as_there_is_room_for(edges: list[Edge], count_max: int) -> None:
    assert len(drawn(edges, count_max)) == min(len(edges), count_max)


@examples()
@given(edge_lists, st.integers(0, 30))
def test_each_nodes_strongest_edges_come_before_the_others(edges: list[Edge], more: int) -> None:
    nodes = {node for edge in edges for node in edge}
    once = drawn(edges, len(nodes) + more)
    assert all(edges_of(node, edges)[0] in once for node in nodes)
    twice = drawn(edges, 2 * len(nodes) + more)
    assert all(edge in twice for node in nodes for edge in edges_of(node, edges)[:2])


@examples()
@given(dense_edge_lists, st.integers(0, 70))
def test_room_that_is_left_goes_to_the_strongest(edges: list[Edge], count_max: int) -> None:
    nodes = {node for edge in edges for node in edge}
    first = {edge for node in nodes for edge in edges_of(node, edges)[:2]}
    others = [edge for edge in edges if edge not in first]
    kept = [edge in drawn(edges, count_max) for edge in others]
    assert len(kept) > 1
    assert all(before >= after for before, after in pairwise(kept))


def test_edges_are_ranked_by_weight_then_by_count_then_as_given() -> None:
    sums, counts = np.array([1, 3, 3, 3]), np.array([9, 1, 2, 1])
    assert strongest_first(sums, counts).tolist() == [2, 1, 3, 0]


def test_edges_are_ranked_without_holding_the_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    """``np.repeat`` holds Python's lock to its end, 50 ms for millions of edges."""
    repeated = counted(monkeypatch, np, "repeat")
    assert len(drawn([(0, 1), (1, 2), (0, 2)], 2)) == 2
    assert not repeated
