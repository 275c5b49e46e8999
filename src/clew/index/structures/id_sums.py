"""Groups of equal ids, and sums of weights by id."""

from typing import NamedTuple, TypeVar

import numpy as np

from clew.values.arrays import BoolArray, Float64Array, Int32Array, Int64Array, IntegerArray

Numbers = TypeVar("Numbers", Int32Array, Float64Array)

# If possible ids exceed entries by this factor, sorting is faster than an array by id.
SPARSE_FACTOR = 16
SPARSER_FACTOR = 128  # the same, for an array with one byte for each id


class DistinctIds(NamedTuple):
    """The distinct values of an array of ids."""

    ids: IntegerArray  # shape (distinct_count,): rising
    group: IntegerArray  # shape (id_count,): for each id of the array, its index in ``ids``


def with_distinct(ids: IntegerArray, id_count: int) -> DistinctIds:
    """Return the distinct ids; all are below ``id_count``."""
    if len(ids) * SPARSER_FACTOR < id_count:
        order, group_in_order, firsts = grouped(ids)
        group = np.empty(len(ids), np.int64)
        group[order] = group_in_order
        return DistinctIds(ids[firsts], group)
    is_seen = np.zeros(id_count, np.bool_)
    is_seen[ids] = True
    distinct: Int64Array = is_seen.nonzero()[0]
    # By index into ``distinct``, not by id, since most ids do not occur.
    index_by_id = np.empty(id_count, np.int32)
    index_by_id[distinct] = np.arange(len(distinct), dtype=np.int32)
    return DistinctIds(distinct, index_by_id.take(ids))


def weights_by_id(
    ids: IntegerArray, weights: Float64Array, id_count: int
) -> tuple[Int64Array, Float64Array]:
    """Return the distinct ids, rising, with the sum of the weights of each, added in their order.

    All ids are below ``id_count``.
    """
    distinct, group = with_distinct(ids, id_count)
    sums = np.bincount(group, weights, len(distinct))
    return distinct.astype(np.int64, copy=False), sums.astype(np.float64, copy=False)


class Groups(NamedTuple):
    """The positions in an array, grouped by value."""

    order: Int64Array  # shape (position_count,): positions by rising value, then position
    group: Int64Array  # shape (position_count,): the group of each of ``order``, from 0
    firsts: Int64Array  # shape (group_count,): the first position with each value


def grouped(values: IntegerArray) -> Groups:
    """Group positions by value; faster than ``numpy.unique`` with its inverse."""
    order = values.argsort(kind="stable")
    is_first = begins_run(values[order])
    return Groups(order, is_first.cumsum() - 1, order.compress(is_first))


def distinct_ids(ids: Int64Array) -> Int64Array:
    """Return the distinct ids, rising; for a few thousand, three times as fast as numpy.unique."""
    ids = np.sort(ids)
    return ids[starts_of_runs(ids)]


def are_among(ids: IntegerArray, others: IntegerArray) -> BoolArray:
    """Return which of ``ids`` are among ``others``, both in any order and at least 0.

    By a mark for each possible id, as ``numpy.isin`` sorts ``others`` if they are far apart.
    """
    if not len(ids) or not len(others):
        return np.zeros(len(ids), np.bool_)
    is_marked = np.zeros(1 + max(int(ids.max()), int(others.max())), np.bool_)
    is_marked[others] = True
    is_there: BoolArray = is_marked.take(ids)
    return is_there


def which_runs_hold_any(
    firsts: IntegerArray, ends: IntegerArray, rising: IntegerArray
) -> BoolArray:
    """Return which runs of ids, from ``firsts`` to before ``ends``, hold any of ``rising``."""
    if not len(rising):
        return np.zeros(len(firsts), np.bool_)
    # Of the same type, as ``searchsorted`` would else convert all of ``rising``.
    firsts = firsts.astype(rising.dtype, copy=False)
    nearest = rising.take(rising.searchsorted(firsts), mode="clip")
    held: BoolArray = (nearest >= firsts) & (nearest < ends)
    return held


def begins_run(values: IntegerArray) -> BoolArray:
    """Return whether a run of equal values begins at each of them."""
    is_first = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=is_first[1:])
    return is_first


def starts_of_runs(values: IntegerArray) -> Int64Array:
    """Return where each run of equal values begins."""
    starts: Int64Array = begins_run(values).nonzero()[0]
    return starts


def sums_of_runs(values: Numbers, is_first: BoolArray) -> tuple[Int64Array, Numbers]:
    """Return where each run begins, and the sum of its values; most runs are short.

    ``is_first``: whether a run begins at each of ``values``; one does at the first. Faster than
    ``numpy.add.reduceat``, which takes long for each run.
    """
    starts, later = is_first.nonzero()[0], (~is_first).nonzero()[0]
    sums = values.take(starts)
    np.add.at(sums, later - np.arange(1, len(later) + 1), values.take(later))
    return starts, sums


def distinct_count(ids: Int32Array, is_seen: BoolArray) -> int:
    """Return the number of distinct ids.

    ``is_seen``: scratch array by id for all possible ids; false before and after the call.
    """
    if len(ids) * SPARSE_FACTOR < len(is_seen):
        return len(np.unique(ids))
    is_seen[ids] = True
    count = int(np.count_nonzero(is_seen))
    is_seen[ids] = False
    return count
