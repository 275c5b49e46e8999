"""Sums over pairs compared with a counter, in portions of any size."""

import tracemalloc
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.structures import pair_sums
from clew.index.structures.pair_sums import sum_over_pairs
from clew.values.arrays import Int64Array

ROWS = st.lists(st.tuples(st.sets(st.integers(0, 30), max_size=9), st.integers(1, 99)), max_size=12)


def summed(rows: list[tuple[set[int], int]]) -> dict[tuple[int, int], tuple[int, int]]:
    cells = np.array([cell for row, _ in rows for cell in row], dtype=np.int64)
    lengths = np.array([len(row) for row, _ in rows], dtype=np.int64)
    values = np.array([[1] * len(rows), [value for _, value in rows]], dtype=np.int64)
    first, second, (counts, sums) = sum_over_pairs(cells, lengths, values)
    columns = (each.tolist() for each in (first, second, counts, sums))
    return {(a, b): (count, total) for a, b, count, total in zip(*columns, strict=True)}


@given(rows=ROWS, portion=st.sampled_from([1, 7, 1_000]), table=st.sampled_from([0, 10_000]))
def test_every_pair_is_summed_once(
    rows: list[tuple[set[int], int]], portion: int, table: int
) -> None:
    counts: Counter[tuple[int, int]] = Counter()
    sums: Counter[tuple[int, int]] = Counter()
    for row, value in rows:
        counts.update(combinations(sorted(row), 2))
        sums.update(dict.fromkeys(combinations(sorted(row), 2), value))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pair_sums, "_PAIRS_A_PORTION", portion)
        patch.setattr(pair_sums, "_TABLE_SIZE_MAX", table)
        found = summed(rows)
    assert found == {pair: (counts[pair], sums[pair]) for pair in counts}
    assert list(found) == sorted(found)


@pytest.mark.slow
def test_memory_grows_with_distinct_pairs_only() -> None:
    one, many = [(set(range(700)), 1)], [(set(range(700)), 1)] * 8
    peaks = []
    for rows in (one, many):
        tracemalloc.start()
        summed(rows)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]


def test_a_table_of_all_possible_pairs_is_small() -> None:
    tracemalloc.start()
    for id_count in (999, 1_900):  # counted in a table, and sorted
        summed([(set(range(start, start + 2)), 1) for start in range(id_count - 1)])
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 40_000_000


def test_pairs_are_made_in_portions_of_a_quarter_million(monkeypatch: pytest.MonkeyPatch) -> None:
    """Making them holds Python's lock, for which another client's request waits."""
    made: list[int] = []
    repeat = np.repeat

    def noted(values: Int64Array, counts: Int64Array) -> Int64Array:
        repeated = repeat(values, counts)
        made.append(len(repeated))
        return repeated

    monkeypatch.setattr(np, "repeat", noted)
    for id_count in (500, 5_000):  # a table of all possible pairs is small, and too large
        made.clear()
        found = summed([(set(range(start, start + 300)), 1) for start in range(0, id_count, 8)])
        assert sum(made) >= len(found)
        assert max(made) < 300_000
