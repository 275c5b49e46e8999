"""PageRank against the formula in plain Python; golden numbers; independence of order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.formulas.pagerank import DAMPING, STEPS, Links, importance, pagerank

UNIT = 2.0**-50

ROWS = st.lists(st.sets(st.integers(0, 11), max_size=6), min_size=1, max_size=8)


def links(rows: list[set[int]], count: int, absent: frozenset[int] = frozenset()) -> Links:
    """Return a graph of ``count`` nodes, of which the first have these rows."""
    kept = [sorted(row - {number}) for number, row in enumerate(rows)]
    return Links(
        np.array([number not in absent for number in range(count)]),
        np.array([len(row) for row in kept], np.int64),
        np.array([target for row in kept for target in row], np.int64),
    )


def plain_pagerank(rows: list[set[int]], count: int) -> list[float]:
    pairs = [(node, other) for node, row in enumerate(rows) for other in row - {node}]
    ends = [*pairs, *((other, node) for node, other in pairs)]
    degrees = [sum(node == start for start, _ in ends) for node in range(count)]
    ranks = [1 / count] * count
    for _ in range(STEPS):
        resting = sum(rank for rank, degree in zip(ranks, degrees, strict=True) if not degree)
        found = [(1 - DAMPING) / count + DAMPING * resting / count] * count
        for start, end in ends:
            found[end] += DAMPING * ranks[start] / degrees[start]
        ranks = found
    return ranks


@given(rows=ROWS)
def test_ranks_are_those_of_the_formula(rows: list[set[int]]) -> None:
    assert pagerank(links(rows, 12)) == pytest.approx(plain_pagerank(rows, 12), abs=1e-12)


def test_golden_ranks_of_a_star_and_an_isolated_node() -> None:
    """In the limit the hub holds 0.0361446 * 3.55 / 0.2775; twenty steps come close to this."""
    ranks = pagerank(links([{1, 2, 3}], 5))
    assert ranks == pytest.approx([0.456453957] + [0.169133822] * 3 + [0.036144578], abs=1e-9)
    assert ranks[0] == pytest.approx(0.462390, abs=0.01)


@given(rows=ROWS, data=st.data())
def test_ranks_do_not_depend_on_numbers_or_order(rows: list[set[int]], data: st.DataObject) -> None:
    """Ranks are equal to the bit, for any number of rows."""
    order = data.draw(st.permutations(range(len(rows))))
    others = data.draw(st.permutations(range(len(rows), 12)))
    number = {old: new for new, old in enumerate([*order, *others])}
    renamed = [{number[target] for target in rows[old]} for old in order]
    before, after = pagerank(links(rows, 12)), pagerank(links(renamed, 12))
    assert [before[old] for old in (*order, *others)] == after.tolist()


@given(rows=ROWS)
def test_ranks_add_up_to_one(rows: list[set[int]]) -> None:
    assert 1 - 12 * UNIT <= pagerank(links(rows, 12)).sum() <= 1


def test_unused_numbers_have_no_rank_and_change_none() -> None:
    with_gaps = pagerank(links([{4}, set(), {4}], 6, frozenset({1, 3, 5})))
    without = pagerank(links([{2}, {2}], 3))
    assert with_gaps[[0, 2, 4]].tolist() == without.tolist()
    assert with_gaps[[1, 3, 5]].tolist() == [0.0] * 3


def test_nodes_without_links_have_equal_ranks() -> None:
    assert pagerank(links([set(), set()], 4)) == pytest.approx([0.25] * 4)


def test_an_empty_graph_has_no_ranks() -> None:
    assert pagerank(links([], 0)).tolist() == []
    assert importance(np.zeros(2)).tolist() == [0.0, 0.0]


@given(st.lists(st.floats(1e-9, 1), min_size=1, max_size=9))
def test_importance_keeps_the_order_up_to_one(ranks: list[float]) -> None:
    found = importance(np.array(ranks)).tolist()
    assert max(found) == 1.0
    assert min(found) > 0
    by_rank = sorted(range(len(ranks)), key=ranks.__getitem__)
    assert [found[n] for n in by_rank] == sorted(found)


def test_golden_importance() -> None:
    """Means of 1/3: ranks of 1.5, 0.9 and 0.6 times that."""
    found = importance(np.array([0.5, 0.3, 0.2])).tolist()
    logs = [0.916290731874155, 0.641853886172395, 0.470003629245736]
    assert found == pytest.approx([log / logs[0] for log in logs])
