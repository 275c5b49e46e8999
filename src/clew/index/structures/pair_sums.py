"""The edges of the concept graph, all at once: pairs of ids that share a row, summed over all rows.

Takes time in proportion to the sum of the squared row lengths. Pairs are made in portions, so
memory grows with the number of distinct pairs, not with the number of all pairs.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from clew.values.arrays import Int64Array, IntegerArray

_PAIRS_A_PORTION = 1_000_000
_TABLE_SIZE_MAX = 4_000_000  # possible pairs; with more, pairs are sorted instead


def sum_over_pairs(
    ids: IntegerArray, lengths: IntegerArray, values: Int64Array
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Return each pair of ids that share a row, with the summed values of the rows they share.

    ``ids``: the rows, one after the other, without duplicates in a row; ``lengths``: of the rows;
    ``values``: shape (kind_count, row_count), above 0, with sums below 2**53.

    Returns the smaller ids, the larger ids, and the sums of shape (kind_count, pair_count), sorted
    by smaller, then larger id.
    """
    id_count = int(ids.max(initial=0)) + 1
    portions = _pair_portions(ids.astype(np.int64), lengths.astype(np.int64), id_count)
    add_up = _sum_in_table if id_count**2 <= _TABLE_SIZE_MAX else _sum_by_merging
    pairs, sums = add_up(portions, values, id_count)
    first, second = np.divmod(pairs, id_count)
    return first, second, sums


def _pair_portions(
    ids: Int64Array, lengths: Int64Array, id_count: int
) -> Iterator[tuple[Int64Array, Int64Array]]:
    """Yield the pairs of all rows in portions: pairs, and the row of each.

    A pair is encoded as smaller id * ``id_count`` + larger id. A portion has at most
    ``_PAIRS_A_PORTION`` pairs plus the length of one row.
    """
    # Each entry is paired with the entries after it in its row.
    later_counts = np.repeat(np.cumsum(lengths), lengths) - np.arange(1, len(ids) + 1)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    pair_ends = np.cumsum(later_counts)
    total = int(pair_ends[-1]) if len(pair_ends) else 0
    portion_ends = np.arange(_PAIRS_A_PORTION, total, _PAIRS_A_PORTION)
    cuts = np.unique(np.searchsorted(pair_ends, portion_ends, "right")).tolist()
    for begin, end in pairwise([0, *cuts, len(ids)]):
        counts = later_counts[begin:end]
        left = np.repeat(np.arange(begin, end), counts)
        right = left + 1 + np.arange(len(left)) - np.repeat(np.cumsum(counts) - counts, counts)
        one, other = ids[left], ids[right]
        yield np.minimum(one, other) * id_count + np.maximum(one, other), rows[left]


def _sum_in_table(
    portions: Iterator[tuple[Int64Array, Int64Array]], values: Int64Array, id_count: int
) -> tuple[Int64Array, Int64Array]:
    """Return the distinct pairs and their sums, added up in a table of all possible pairs."""
    table = np.zeros((len(values), id_count**2))
    for pairs, rows in portions:
        for kind, kind_values in enumerate(values):
            table[kind] += np.bincount(pairs, kind_values[rows], table.shape[1])
    distinct = np.flatnonzero(table[0])
    return distinct, table[:, distinct].astype(np.int64)


def _sum_by_merging(
    portions: Iterator[tuple[Int64Array, Int64Array]], values: Int64Array, _: int
) -> tuple[Int64Array, Int64Array]:
    """Return the distinct pairs and their sums, merged portion by portion."""
    distinct, sums = np.zeros(0, np.int64), np.zeros((len(values), 0), np.int64)
    for pairs, rows in portions:
        merged, indexes = np.unique(np.concatenate([distinct, pairs]), return_inverse=True)
        addends = np.concatenate([sums, values[:, rows]], axis=1)
        added = [np.bincount(indexes, weights=kind, minlength=len(merged)) for kind in addends]
        distinct, sums = merged, np.array(added).astype(np.int64)
    return distinct, sums
