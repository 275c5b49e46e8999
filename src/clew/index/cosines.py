"""The cosines of a query with rows of int8 vectors, from their inner products.

Inner products are sums of integers, so a score depends on the two vectors alone.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numkong import cdist

from clew.index.structures.row_pool import positions_of_runs
from clew.index.structures.slot_scores import SlotScores
from clew.values.arrays import (
    BoolArray,
    Float32Array,
    Float64Array,
    Int8Array,
    Int64Array,
    IntegerArray,
)

# Products of so many dimensions are whole numbers up to 2**24, which float32 holds exactly. Those
# of 600,000 rows take a quarter less time than as float64.
_FLOAT32_DIMENSIONS_MAX = 1024

# By which share a ratio in float32 may differ from the exact one; at most three roundings.
_ROUGH_ERROR = 2.0**-21

Floats: TypeAlias = Float32Array | Float64Array


@dataclass(frozen=True, slots=True, eq=False)
class Cosines:
    """The cosines of a query with all slots, computed for those that are asked for."""

    _products: Floats
    _lengths: Float64Array
    _inverses: Float32Array  # of the lengths, rounded
    _query_length: float
    _is_embedded: BoolArray

    def rough_ratios(self) -> Float32Array:
        """Return the inner products, divided by the lengths of the rows, by slot, rounded.

        Takes a fifth of the time of exact ratios. For slots without a vector they have no meaning.
        """
        rough = np.empty(len(self._products), np.float32)
        np.multiply(self._products, self._inverses, out=rough, casting="same_kind")
        return rough

    def at_least(self, ratio: float, rough_ratios: Float32Array) -> Int64Array:
        """Return the slots, rising, whose exact ratio is ``ratio`` or more, which is above 0."""
        slots = (rough_ratios >= np.float32(ratio * (1.0 - _ROUGH_ERROR))).nonzero()[0]
        return slots[self._ratios(slots) >= ratio]

    def _ratios(self, slots: Int64Array) -> Float64Array:
        ratios: Float64Array = self._products.take(slots) / self._lengths.take(slots)
        return ratios

    def of(self, slots: Int64Array) -> Float64Array:
        """Return the cosine of each of these slots, clipped to 0..1; 0.0 without a vector."""
        return cosines_of(self._ratios(slots), self._query_length, self._is_embedded.take(slots))

    def within(
        self, firsts: IntegerArray, counts: Int64Array
    ) -> tuple[Int64Array, Float64Array, Int64Array]:
        """Return all slots of some runs, their cosines, and the lengths of the runs."""
        slots = positions_of_runs(firsts, counts)
        return slots, self.of(slots), counts

    def above_0(self, slots: Int64Array) -> SlotScores:
        """Return the cosines above 0 of these rising slots."""
        return scores_above_0(slots, self.of(slots))


def scores_above_0(slots: Int64Array, scores: Float64Array) -> SlotScores:
    """Return ``slots``, rising, with their scores, without those that score 0."""
    positive = (scores > 0).nonzero()[0]
    return SlotScores(slots.take(positive), scores.take(positive))


def cosines_of(ratios: Float64Array, query_length: float, is_embedded: BoolArray) -> Float64Array:
    """Return cosines, clipped to 0..1; 0.0 for slots without a vector.

    ``ratios``: the inner products, divided by the lengths of the rows.
    """
    cosines: Float64Array = ratios / query_length
    np.minimum(np.maximum(cosines, 0.0, out=cosines), 1.0, out=cosines)
    cosines *= is_embedded
    return cosines


def products_of(query: Int8Array, rows: Int8Array) -> Floats:
    """Return the inner product of ``query`` with each row; whole numbers on every machine."""
    products = empty_products(query, len(rows))
    fill_products(query, rows, products)
    return products


def empty_products(query: Int8Array, count: int) -> Floats:
    """Return an array for the inner products of ``query`` with so many rows."""
    if len(query) <= _FLOAT32_DIMENSIONS_MAX:
        return np.empty(count, np.float32)
    return np.empty(count, np.float64)


def fill_products(query: Int8Array, rows: Int8Array, products: Floats) -> None:
    """Set ``products`` to those of ``query`` with each row. Other threads can run Python."""
    # NumKong is the library of usearch's kernels. Its ``dots_packed`` is made for many queries: for
    # one it takes a quarter less with AVX-512, and twice as long with AVX2.
    cdist(query[np.newaxis], np.ascontiguousarray(rows), "dot", out=products[np.newaxis])


def length_of(row: Int8Array) -> float:
    """Return the Euclidean length of a row that is not zero, as ``lengths_of`` does."""
    wide = row.astype(np.int64)
    return math.sqrt(wide @ wide)


def lengths_of(rows: Int8Array) -> Float64Array:
    """Return the Euclidean length of each row; infinity for zeros, so that their cosines are 0."""
    if not rows.size:
        return np.full(len(rows), np.inf)
    origin = np.zeros((1, rows.shape[1]), np.int8)
    squares = np.asarray(cdist(origin, np.ascontiguousarray(rows), "sqeuclidean"), np.float64)
    lengths: Float64Array = np.sqrt(squares[0])
    lengths[lengths == 0.0] = np.inf
    return lengths
