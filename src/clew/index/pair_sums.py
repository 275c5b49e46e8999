"""Pairs of concepts that stand in one row, summed over all rows: the edges of the graph, at once.

Costs the sum of the squared row lengths in time; pairs are taken in portions, so memory follows the
number of distinct ones.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from clew.values.arrays import Int64Array, IntegerArray

_PAIRS_AT_ONCE = 1_000_000
_TABLE_CELLS_MAX = 4_000_000  # with no more possible pairs, a table of all takes no sorting


def sum_over_pairs(
    cells: IntegerArray, lengths: IntegerArray, values: Int64Array
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Return each pair that shares a row, with the sums of the values of the rows that hold it.

    ``cells``: ids, row after row, each at most once a row; ``lengths``: of the rows; ``values``:
    shape (kinds, rows), above 0, with sums below 2**53. Returns the smaller ids, the larger ids,
    sorted by them, and the sums, shape (kinds, pairs).
    """
    id_count = int(cells.max(initial=0)) + 1
    is_table = id_count**2 <= _TABLE_CELLS_MAX
    kinds = len(values)
    table = np.zeros((kinds, id_count**2 if is_table else 0))
    pairs, sums = np.zeros(0, dtype=np.int64), np.zeros((kinds, 0), dtype=np.int64)
    for found, rows in _pairs(cells.astype(np.int64), lengths.astype(np.int64), id_count):
        if is_table:
            for kind in range(kinds):
                table[kind] += np.bincount(found, values[kind, rows], table.shape[1])
        else:
            pairs, sums = _added(pairs, sums, found, values[:, rows])
    if is_table:
        pairs = np.flatnonzero(table[0])
        sums = table[:, pairs].astype(np.int64)
    first, second = np.divmod(pairs, id_count)
    return first, second, sums


def _pairs(
    cells: Int64Array, lengths: Int64Array, id_count: int
) -> Iterator[tuple[Int64Array, Int64Array]]:
    """Yield all pairs of all rows, a portion at a time, each with the row it stands in.

    A pair is smaller id * ``id_count`` + larger id. A portion has ``_PAIRS_AT_ONCE`` pairs and the
    length of a row more, at the most.
    """
    later = np.repeat(np.cumsum(lengths), lengths) - np.arange(1, len(cells) + 1)  # of the row
    rows = np.repeat(np.arange(len(lengths)), lengths)
    pairs = np.cumsum(later)
    total = int(pairs[-1]) if len(pairs) else 0
    cuts = np.searchsorted(pairs, np.arange(_PAIRS_AT_ONCE, total, _PAIRS_AT_ONCE), "right")
    for first, last in pairwise([0, *np.unique(cuts).tolist(), len(cells)]):
        counts = later[first:last]
        left = np.repeat(np.arange(first, last), counts)
        right = left + 1 + np.arange(len(left)) - np.repeat(np.cumsum(counts) - counts, counts)
        one, other = cells[left], cells[right]
        yield np.minimum(one, other) * id_count + np.maximum(one, other), rows[left]


def _added(
    pairs: Int64Array, sums: Int64Array, found: Int64Array, values: Int64Array
) -> tuple[Int64Array, Int64Array]:
    """Return sorted distinct pairs with their sums after adding some more."""
    together, places = np.unique(np.concatenate([pairs, found]), return_inverse=True)
    every = np.concatenate([sums, values], axis=1)
    added = [np.bincount(places, weights=kind, minlength=len(together)) for kind in every]
    return together, np.array(added).astype(np.int64)
