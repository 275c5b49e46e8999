"""The edges in which communities are searched: all pairs of short rows, a sample of long ones.

A row of n vertices has n * (n - 1) / 2 pairs, so in a large vault most edges come from a few long
notes, and say little: each pair of a note of 200 concepts weighs 1 / 199. Where there are many
pairs, a long row is laid on a ring in random order, and joins each of its vertices to
``PARTNERS_MAX`` others alone, at random distances on the ring, with edges that weigh so much more.
So every vertex keeps its strength, and the expected weight between two groups of vertices is that
of all pairs. The number of edges then grows in proportion to the text of the notes.

Each row needs an order of its own. On rings in the order of names, notes of one length would join
the names that are equally far apart in the alphabet, again and again, and communities would be
found in that.

The sample depends on the vertices of the row alone, so equal rows have equal edges in any order.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from random import Random

import numpy as np

from clew.index.formulas.weighted_rows import WEIGHT_UNIT, WeightedRows
from clew.index.structures.pair_sums import sum_over_pairs
from clew.values.arrays import BoolArray, Float64Array, Int64Array, Uint64Array

PARTNERS_MAX = 24  # of a vertex in a sampled row; an even number
EXACT_PAIRS_MAX = 2_000_000  # with more pairs, long rows are sampled


@dataclass(frozen=True, slots=True)
class Edges:
    """Weighted edges among the vertices 0 .. ``vertex_count`` - 1, each pair once, sorted."""

    vertex_count: int
    first: Int64Array
    second: Int64Array  # larger than ``first``
    weights: Float64Array  # positive, finite


def community_edges(rows: WeightedRows) -> Edges:
    """Return the edges of all rows, or of a sample of the pairs of long ones if there are many."""
    lengths = rows.lengths
    pair_count = int((lengths * (lengths - 1)).sum()) // 2
    is_sampled = (lengths - 1 > PARTNERS_MAX) & (pair_count > EXACT_PAIRS_MAX)
    pairs, units = _sums_by_pair(chain(_all_pairs(rows, ~is_sampled), _sampled(rows, is_sampled)))
    first, second = np.divmod(pairs, rows.vertex_count)
    return Edges(rows.vertex_count, first, second, units / WEIGHT_UNIT)


def _all_pairs(rows: WeightedRows, is_chosen: BoolArray) -> Iterator[tuple[Int64Array, Int64Array]]:
    """Yield the distinct pairs of the chosen rows, rising, and their summed weights, once.

    A pair is encoded as smaller vertex * ``vertex_count`` + larger vertex.
    """
    first, second, (units,) = sum_over_pairs(
        rows.vertices[np.repeat(is_chosen, rows.lengths)],
        rows.lengths[is_chosen],
        _units(rows.pair_weights[np.newaxis, is_chosen]),
    )
    yield first * rows.vertex_count + second, units


def _units(weights: Float64Array) -> Int64Array:
    return np.rint(weights * WEIGHT_UNIT).astype(np.int64)


def _sampled(rows: WeightedRows, is_chosen: BoolArray) -> Iterator[tuple[Int64Array, Int64Array]]:
    """Yield sampled pairs of the chosen rows and their weights, for the rows of each length."""
    starts = np.cumsum(rows.lengths) - rows.lengths
    chance = Random(0)  # noqa: S311 - equal rows have equal samples
    numbers = np.frombuffer(chance.randbytes(8 * rows.vertex_count), "<u8")
    for length in np.unique(rows.lengths[is_chosen]).tolist():
        chosen = rows.lengths == length
        one = rows.vertices[starts[chosen, np.newaxis] + np.arange(length)]
        one = _in_random_order(one, numbers)
        other = one[:, _partners(length)]  # shape (rows, distances, length)
        one = one[:, np.newaxis]
        pairs = np.minimum(one, other) * rows.vertex_count + np.maximum(one, other)
        units = _units(rows.pair_weights[chosen] * (length - 1) / PARTNERS_MAX)
        yield pairs.ravel(), np.repeat(units, pairs[0].size)


def _partners(length: int) -> Int64Array:
    """Return by distance the partner of each vertex, on a ring of ``length`` vertices.

    The distances are random, since near ones alone would make communities of arcs of the ring.
    Each vertex has a partner at each distance on both sides.
    """
    chance = Random(length)  # noqa: S311 - equal rows have equal samples
    distances = chance.sample(range(1, (length + 1) // 2), PARTNERS_MAX // 2)
    return (np.array(distances)[:, np.newaxis] + np.arange(length)) % length


def _in_random_order(rows: Int64Array, numbers: Uint64Array) -> Int64Array:
    """Return rows in orders that seem independent; each depends on the row's vertices alone.

    ``numbers``: a random number for each vertex.
    """
    keys = numbers[rows]
    # An odd factor keeps distinct numbers distinct, and another one sorts them otherwise.
    factors = keys.sum(axis=1, keepdims=True) | np.uint64(1)
    return np.take_along_axis(rows, (keys * factors).argsort(axis=1), axis=1)


def _sums_by_pair(
    portions: Iterable[tuple[Int64Array, Int64Array]],
) -> tuple[Int64Array, Int64Array]:
    """Return the distinct pairs of all portions, rising, and their summed weights."""
    pairs, units = map(np.concatenate, zip(*portions, strict=True))
    order = np.argsort(pairs)
    pairs = pairs[order]
    units = units[order]
    begins = np.flatnonzero(np.diff(pairs, prepend=-1))
    return pairs[begins], np.add.reduceat(units, begins) if len(pairs) else units
