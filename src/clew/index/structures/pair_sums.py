"""The edges of the concept graph, all at once: pairs of ids that share a row, summed over all rows.

Takes time in proportion to the sum of the squared row lengths. Pairs are made in portions, so
memory grows with the number of distinct pairs, not with the number of all pairs.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from clew.values.arrays import Int64Array, IntegerArray

# ``np.repeat`` holds Python's lock, 2 ms for a million pairs; smaller portions are faster too.
_PAIRS_A_PORTION = 250_000
_TABLE_SIZE_MAX = 1_000_000  # entries; with more possible pairs, pairs are sorted instead


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
    add_up = _sum_in_table if id_count**2 <= _TABLE_SIZE_MAX else _sum_by_smaller_id
    pairs, sums = add_up(ids.astype(np.int64), lengths.astype(np.int64), values, id_count)
    first, second = np.divmod(pairs, id_count)
    return first, second, sums


def _pair_portions(
    ids: Int64Array, lengths: Int64Array, id_count: int
) -> Iterator[tuple[Int64Array, Int64Array]]:
    """Yield the pairs of all rows in portions: parallel arrays of pairs and their rows.

    A pair is encoded as smaller id * ``id_count`` + larger id. A portion has at most
    ``_PAIRS_A_PORTION`` pairs plus the length of one row.
    """
    later_counts = _later_counts(lengths)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    pair_ends = np.cumsum(later_counts)
    total = int(pair_ends[-1]) if len(pair_ends) else 0
    portion_ends = np.arange(_PAIRS_A_PORTION, total, _PAIRS_A_PORTION)
    cuts = np.unique(np.searchsorted(pair_ends, portion_ends, "right")).tolist()
    for begin, end in pairwise([0, *cuts, len(ids)]):
        left, right = _with_later_entries(np.arange(begin, end), later_counts[begin:end])
        one, other = ids[left], ids[right]
        yield np.minimum(one, other) * id_count + np.maximum(one, other), rows[left]


def _later_counts(lengths: Int64Array) -> Int64Array:
    """Return, for each entry, the number of later entries in its row: its partners."""
    total = int(lengths.sum())
    return np.repeat(np.cumsum(lengths), lengths) - np.arange(1, total + 1)


def _with_later_entries(entries: Int64Array, counts: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Pair each of ``entries`` with each of the next entries, as many as its count says."""
    left = np.repeat(entries, counts)
    right = left + 1 + np.arange(len(left)) - np.repeat(np.cumsum(counts) - counts, counts)
    return left, right


def _sum_in_table(
    ids: Int64Array, lengths: Int64Array, values: Int64Array, id_count: int
) -> tuple[Int64Array, Int64Array]:
    """Return the distinct pairs and their sums, added up in a table of all possible pairs."""
    table = np.zeros((len(values), id_count**2))
    for pairs, rows in _pair_portions(ids, lengths, id_count):
        for kind, kind_values in enumerate(values):
            table[kind] += np.bincount(pairs, kind_values[rows], table.shape[1])
    distinct = np.flatnonzero(table[0])
    return distinct, table[:, distinct].astype(np.int64)


def _sum_by_smaller_id(
    ids: Int64Array, lengths: Int64Array, values: Int64Array, id_count: int
) -> tuple[Int64Array, Int64Array]:
    """Return the distinct pairs and their sums, computed for one range of smaller ids at a time.

    A portion has all pairs whose smaller id is in its range, so its sums are final.
    """
    rows = np.repeat(np.arange(len(lengths)), lengths)
    ids = ids[np.lexsort((ids, rows))]  # so the later of two in a row is larger
    by_id = np.argsort(ids, kind="stable")
    counts = _later_counts(lengths)[by_id]
    pairs, sums = [np.zeros(0, np.int64)], [np.zeros((len(values), 0), np.int64)]
    for begin, end in pairwise([0, *_cuts_between_ids(ids[by_id], counts), len(ids)]):
        left, right = _with_later_entries(by_id[begin:end], counts[begin:end])
        distinct, indexes = np.unique(ids[left] * id_count + ids[right], return_inverse=True)
        rows_of_pairs = rows[left]
        added = [np.bincount(indexes, kind[rows_of_pairs], len(distinct)) for kind in values]
        pairs.append(distinct)
        sums.append(np.array(added).astype(np.int64))
    return np.concatenate(pairs), np.concatenate(sums, axis=1)


def _cuts_between_ids(sorted_ids: Int64Array, counts: Int64Array) -> list[int]:
    """Return cuts between ids that make portions of about ``_PAIRS_A_PORTION`` pairs."""
    changes = np.flatnonzero(np.diff(sorted_ids)) + 1
    pairs_before = np.cumsum(counts)[changes - 1]
    wanted = np.arange(_PAIRS_A_PORTION, int(counts.sum()), _PAIRS_A_PORTION)
    indexes = np.unique(np.searchsorted(pairs_before, wanted))
    cuts: list[int] = changes[indexes[indexes < len(changes)]].tolist()
    return cuts
