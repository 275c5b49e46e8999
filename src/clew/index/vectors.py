"""The vector index: one int8 vector per slot, searched exactly.

A vector is quantized to int8, and only its direction matters. Similarity is the cosine of two
rows: inner products are sums of whole numbers, so a score depends on nothing but the two rows, and
an index that was edited gives the same answers as one that was rebuilt.
"""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from numkong import cdist

from clew.index.structures.growable import GrowableArray
from clew.values.arrays import BoolArray, Float64Array, Int8Array, Int64Array

_WORD_BYTES = 8


class VectorIndex:
    """Vectors by slot; only those of embedded slots count."""

    def __init__(self) -> None:
        self.model = ""  # fingerprint of the model that made the vectors
        self.dimensions = 0
        self._rows = GrowableArray(np.int8, 0)
        self._lengths = GrowableArray(np.float64)  # Euclidean, by slot; 1.0 for a row of zeros
        self._is_embedded = GrowableArray(np.bool_)

    def copy(self) -> "VectorIndex":
        """Return the same vectors, in constant time; later changes do not reach it."""
        other = VectorIndex()
        other.model, other.dimensions = self.model, self.dimensions
        other._rows, other._lengths = self._rows.copy(), self._lengths.copy()
        other._is_embedded = self._is_embedded.copy()
        return other

    @property
    def rows(self) -> Int8Array:
        """The vectors by slot; int8 of shape (slot_count, dimensions)."""
        return self._rows.rows

    @property
    def is_embedded(self) -> BoolArray:
        """Whether the text of each slot was embedded; its vector may still be zero."""
        return self._is_embedded.rows

    @property
    def count(self) -> int:
        """The number of slots with a vector."""
        rows: npt.NDArray[np.signedinteger[Any]] = self.rows
        if self.dimensions % _WORD_BYTES == 0:
            rows = rows.view(np.int64)  # Eight components are compared with 0 at once.
        return int(np.count_nonzero(rows.any(axis=1) & self.is_embedded))

    def set_model(self, model: str, dimensions: int) -> None:
        """Clear all vectors unless this model made them."""
        if (model, dimensions) == (self.model, self.dimensions):
            return
        self.model, self.dimensions = model, dimensions
        self._rows = GrowableArray(np.int8, dimensions)
        self._rows.extend(np.zeros((len(self._is_embedded), dimensions), np.int8))
        self._lengths.set(slice(None), 1.0)
        self._is_embedded.set(slice(None), False)

    def extend(self, count: int) -> None:
        """Add slots that are not embedded yet."""
        self._rows.extend(np.zeros((count, self.dimensions), np.int8))
        self._lengths.extend(np.ones(count))
        self._is_embedded.extend(np.zeros(count, np.bool_))

    def put(self, slots: slice, rows: Int8Array) -> None:
        """Set the vectors of consecutive slots.

        Raises:
            ValueError: ``rows`` has another shape.
        """
        if rows.shape != (slots.stop - slots.start, self.dimensions):
            raise ValueError("vectors of another shape")
        # The text of a slot never changes, so its vector is only ever set to one value.
        self._rows.fill(slots, rows)
        self._lengths.fill(slots, _lengths(rows))
        self._is_embedded.set(slots, True)

    def drop(self, slots: slice) -> None:
        """Mark dead slots as not embedded, so that no search returns them."""
        if slots.stop > slots.start:
            self._is_embedded.set(slots, False)

    def compact(self, kept: Int64Array) -> None:
        """Keep these slots only, in this order."""
        self._rows.replace(self.rows[kept])
        self._lengths.replace(self._lengths.rows[kept])
        self._is_embedded.replace(self.is_embedded[kept])

    def load(self, model: str, dimensions: int, rows: Int8Array, is_embedded: BoolArray) -> None:
        """Replace all vectors by those of a stored revision.

        Raises:
            ValueError: the shapes differ.
        """
        if rows.shape != (len(is_embedded), dimensions):
            raise ValueError("vectors of another shape")
        self.model, self.dimensions = model, dimensions
        self._rows.replace(rows)
        self._lengths.replace(_lengths(rows))
        self._is_embedded.replace(is_embedded)

    def similarities(self, query: Int8Array) -> Float64Array:
        """Return the cosine of ``query`` with each slot, clipped to 0..1; shape (slot_count,).

        A slot without a vector scores 0.0.
        """
        if not len(self.rows) or not query.any():
            return np.zeros(len(self.rows))
        cosines: Float64Array = _products(query, self.rows) / self._lengths.rows
        cosines /= _lengths(query[np.newaxis])[0]
        np.clip(cosines, 0.0, 1.0, out=cosines)
        cosines *= self.is_embedded
        return cosines

    def nearest(self, query: Int8Array, count: int) -> tuple[Int64Array, Float64Array]:
        """Return the slots most similar to ``query``: slots and similarities, highest first.

        At least ``count`` slots, if that many score above 0; a tie at the end is returned whole.
        """
        scores = self.similarities(query)
        bound = np.partition(scores, -count)[-count] if len(scores) > count else 0.0
        slots = np.flatnonzero(scores >= bound if bound > 0 else scores > 0)
        slots = slots[np.argsort(-scores[slots], kind="stable")]
        return slots, scores[slots]


def _products(query: Int8Array, rows: Int8Array) -> Float64Array:
    """Return the inner product of ``query`` with each row; whole numbers on every machine."""
    return _distances(query, rows, "dot")


def _lengths(rows: Int8Array) -> Float64Array:
    """Return the Euclidean length of each row; 1.0 for a row of zeros, to divide by."""
    if not rows.size:
        return np.ones(len(rows))
    origin = np.zeros(rows.shape[1], np.int8)
    return np.sqrt(np.maximum(1.0, _distances(origin, rows, "sqeuclidean")))


def _distances(
    query: Int8Array, rows: Int8Array, metric: Literal["dot", "sqeuclidean"]
) -> Float64Array:
    # NumKong has the kernels of usearch as a library. usearch's own search calls them row by row,
    # which takes six times as long.
    rows = np.ascontiguousarray(rows)
    distances: Float64Array = np.asarray(cdist(query[np.newaxis], rows, metric), np.float64)[0]
    return distances
