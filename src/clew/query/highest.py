"""Select the ids with the highest values, in order, without sorting or naming all ids."""

import heapq
from collections.abc import Callable
from itertools import islice

import numpy as np

from clew.query.slices import PAUSE, SLICE_ROWS, Slices, batched
from clew.values.arrays import Float64Array, Int64Array


def highest(
    ids: Int64Array, values_by_id: Float64Array, name_of: Callable[[int], str], most: int
) -> Int64Array:
    """Return the ``most`` ids with the highest values, highest first; ties by name."""
    return highest_pairs(ids, values_by_id[ids], name_of, most)[0]


def highest_pairs(
    ids: Int64Array, values: Float64Array, name_of: Callable[[int], str], most: int
) -> tuple[Int64Array, Float64Array]:
    """Return the same as ``highest``, and the values; ``values`` are parallel to ``ids``."""
    if len(ids) > most > 0:
        bound = np.partition(values, len(values) - most)[len(values) - most]
        kept = (values >= bound).nonzero()[0]
        ids, values = ids.take(kept), values.take(kept)
    ids, values = _ordered_pairs(ids, values, name_of)
    return ids[:most], values[:most]


def highest_in_slices(
    ids: Int64Array, values_by_id: Float64Array, name_of: Callable[[int], str], most: int
) -> Slices[Int64Array]:
    """Return the same as ``highest``, with pauses between short steps; ``most`` may be 0.

    All notes of a copied vault may have the same date, and then all their names are compared.
    """
    most = min(most, len(ids))
    if not most:
        return ids[:0]
    values = values_by_id[ids]
    ids = ids[values >= np.partition(values, len(values) - most)[len(values) - most]]
    runs = []
    for part in batched(ids):
        names = map(name_of, part)
        runs.append(sorted(zip((-values_by_id[part]).tolist(), names, part, strict=True)))
        yield PAUSE
    first = islice(heapq.merge(*runs), most)
    merged: list[int] = []
    while batch := [row_id for _, _, row_id in islice(first, SLICE_ROWS)]:
        merged += batch
        yield PAUSE
    return np.array(merged, np.int64)


def rows_after(
    ids: Int64Array,
    values_by_id: Float64Array,
    name_of: Callable[[int], str],
    last: tuple[float, str] | None,
) -> Slices[Int64Array]:
    """Return the ids whose rows come after the row ``last``, which is a value and a name.

    Rows are ordered by falling value, then by name. If ``last`` is ``None``, returns all ids.
    """
    if last is None:
        return ids
    value, name = last
    values = values_by_id[ids]
    tied: list[int] = []
    for part in batched(ids[values == value]):
        tied += [row_id for row_id in part if name_of(row_id) > name]
        yield PAUSE
    return np.concatenate([ids[values < value], np.array(tied, np.int64)])


def ordered(
    ids: Int64Array, values_by_id: Float64Array, name_of: Callable[[int], str]
) -> Int64Array:
    """Return ``ids`` by falling value; ties by name."""
    return _ordered_pairs(ids, values_by_id[ids], name_of)[0]


def _ordered_pairs(
    ids: Int64Array, values: Float64Array, name_of: Callable[[int], str]
) -> tuple[Int64Array, Float64Array]:
    order = (-values).argsort(kind="stable")
    ids, values = ids.take(order), values.take(order)
    is_tied_with_next = values[1:] == values[:-1]
    if is_tied_with_next.any():
        is_tied = np.zeros(len(ids), np.bool_)
        is_tied[:-1] = is_tied_with_next
        is_tied[1:] |= is_tied_with_next
        places = is_tied.nonzero()[0]
        tied = ids.take(places).tolist()
        keys = zip((-values.take(places)).tolist(), map(name_of, tied), tied, strict=True)
        ids[places] = [row_id for _, _, row_id in sorted(keys)]
    return ids, values
