"""The vector index: one vector of bytes a slot, searched exactly.

A vector is kept as int8 codes, of which only the direction counts. Similarity is the cosine of two
rows of codes: products are summed as whole numbers, so it depends on nothing but the two rows, and
an index that was edited answers just as one that was built anew.
"""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from numkong import cdist

from clew.index.growing import Growing
from clew.values.arrays import BoolArray, Float64Array, Int8Array, Int64Array

_WORD_BYTES = 8


class VectorIndex:
    """Codes by slot; a slot whose codes are all 0 has no vector."""

    def __init__(self) -> None:
        self.model = ""  # fingerprint of what made the vectors
        self.dimensions = 0
        self._codes = Growing(np.int8, 0)
        self._lengths = Growing(np.float64)  # of each vector, in codes; 1.0 for none
        self._known = Growing(np.bool_)

    @property
    def codes(self) -> Int8Array:
        """The codes of all slots; int8 of shape (slots, dimensions)."""
        return self._codes.rows

    @property
    def known(self) -> BoolArray:
        """Whether it is known which vector a slot has, or that it has none."""
        return self._known.rows

    @property
    def count(self) -> int:
        """How many slots have a vector."""
        codes: npt.NDArray[np.signedinteger[Any]] = self.codes
        if self.dimensions % _WORD_BYTES == 0:
            codes = codes.view(np.int64)  # an eighth of the numbers to look at
        return int(np.count_nonzero(codes.any(axis=1)))

    def use(self, model: str, dimensions: int) -> None:
        """Forget every vector that another model made."""
        if (model, dimensions) == (self.model, self.dimensions):
            return
        self.model, self.dimensions = model, dimensions
        self._codes = Growing(np.int8, dimensions)
        self._codes.extend(np.zeros((len(self._known), dimensions), np.int8))
        self._lengths.rows[:] = 1.0
        self._known.rows[:] = False

    def extend(self, count: int) -> None:
        """Add slots whose vectors are not known yet."""
        self._codes.extend(np.zeros((count, self.dimensions), np.int8))
        self._lengths.extend(np.ones(count))
        self._known.extend(np.zeros(count, np.bool_))

    def put(self, slots: slice, codes: Int8Array) -> None:
        """Set the vectors of slots that follow one another.

        Raises:
            ValueError: ``codes`` are of another shape.
        """
        if codes.shape != (slots.stop - slots.start, self.dimensions):
            raise ValueError("vectors of another shape")
        self._codes.rows[slots] = codes
        self._lengths.rows[slots] = _lengths(codes)
        self._known.rows[slots] = True

    def drop(self, slots: slice) -> None:
        """Take the vectors of slots that died away, so that nothing finds them."""
        self._codes.rows[slots] = 0
        self._lengths.rows[slots] = 1.0
        self._known.rows[slots] = False

    def compact(self, kept: Int64Array) -> None:
        """Keep these slots alone, in this order."""
        self._codes.replace(self.codes[kept])
        self._lengths.replace(self._lengths.rows[kept])
        self._known.replace(self.known[kept])

    def adopt(self, model: str, dimensions: int, codes: Int8Array, known: BoolArray) -> None:
        """Hold the vectors of a sealed revision.

        Raises:
            ValueError: they are of another shape.
        """
        if codes.shape != (len(known), dimensions):
            raise ValueError("vectors of another shape")
        if codes[~known].any():
            raise ValueError("vectors that are not known")
        self.model, self.dimensions = model, dimensions
        self._codes.replace(codes)
        self._lengths.replace(_lengths(codes))
        self._known.replace(known)

    def similarities(self, query: Int8Array) -> Float64Array:
        """Return how similar each slot is to ``query``, 0..1, by slot; 0.0 for what has no vector.

        What points away is not similar at all.
        """
        if not len(self.codes) or not query.any():
            return np.zeros(len(self.codes))
        cosines: Float64Array = _products(query, self.codes) / self._lengths.rows
        cosines /= _lengths(query[np.newaxis])[0]
        np.clip(cosines, 0.0, 1.0, out=cosines)
        return cosines

    def nearest(self, query: Int8Array, count: int) -> tuple[Int64Array, Float64Array]:
        """Return the slots most similar to ``query``, at least ``count`` where so many are above 0.

        Sorted by falling similarity (0..1, float64); of equal ones all are there or none is.
        """
        scores = self.similarities(query)
        bound = np.partition(scores, -count)[-count] if len(scores) > count else 0.0
        found = np.flatnonzero(scores >= bound if bound > 0 else scores > 0)
        found = found[np.argsort(-scores[found], kind="stable")]
        return found, scores[found]


def _products(query: Int8Array, rows: Int8Array) -> Float64Array:
    """Return the inner product of ``query`` with each row: whole numbers, whatever the machine."""
    return _distances(query, rows, "dot")


def _lengths(rows: Int8Array) -> Float64Array:
    """Return the Euclidean length of each row; 1.0 for one of nothing but 0, to divide by."""
    if not rows.size:
        return np.ones(len(rows))
    origin = np.zeros(rows.shape[1], np.int8)
    return np.sqrt(np.maximum(1.0, _distances(origin, rows, "sqeuclidean")))


def _distances(
    query: Int8Array, rows: Int8Array, metric: Literal["dot", "sqeuclidean"]
) -> Float64Array:
    # NumKong is usearch's kernels as a library; usearch's own search calls them row by row, at six
    # times the cost.
    rows = np.ascontiguousarray(rows)
    distances: Float64Array = np.asarray(cdist(query[np.newaxis], rows, metric), np.float64)[0]
    return distances
