"""The vector index: one int8 vector per slot, searched exactly or through candidates.

A vector is quantized to int8, and only its direction matters. Similarity is the cosine of two
rows. Inner products are sums of integers, so a score depends on the two rows alone, and an edited
index gives the same scores as a rebuilt one.

An approximate index may cover the first slots. Then ``near`` scores its candidates and all slots
that it does not cover, while ``similarities`` scores every slot.
"""

import hashlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from clew.index.cosines import (
    Cosines,
    Floats,
    cosines_of,
    empty_products,
    fill_products,
    length_of,
    lengths_of,
    products_of,
    scores_above_0,
)
from clew.index.structures.columns import Column, Columns, array_column
from clew.index.structures.growable import GrowableArray
from clew.index.structures.slot_scores import SlotScores
from clew.values.arrays import (
    BoolArray,
    Float64Array,
    Int8Array,
    Int64Array,
)
from clew.values.packing import Unpacker, pack

if TYPE_CHECKING:
    from clew.index.approximate import ApproximateIndex

# From so many stored vectors on, the last share of them is a piece of work of its own, for a thread
# that would wait for the others.
SHARED_SLOTS_MIN = 150_000
_LAST_SHARE = 0.2

_unpack_model: Unpacker[tuple[str, int]] = Unpacker(tuple[str, int])


class Coverage(Struct, frozen=True, array_like=True):
    """The vectors in an approximate index: all of the first ``slots`` slots when it was built."""

    model: str
    dimensions: int
    slots: int
    dead: int  # how many of these slots were not embedded
    vectors: int  # how many vectors were not zero, and so are in the index
    # Hash of the lengths of these vectors, to detect that slots were renumbered. If it were equal
    # by chance, candidates would be worse, but their scores still right.
    digest: bytes


class VectorIndex:
    """Vectors by slot; only those of embedded slots count."""

    def __init__(self) -> None:
        self.model = ""  # fingerprint of the model that made the vectors
        self.dimensions = 0
        self._stored = np.zeros((0, 0), np.int8)  # the vectors of the first slots; never changed
        self._rows = GrowableArray(np.int8, 0)  # of all later slots
        self._lengths = GrowableArray(np.float64)  # Euclidean, by slot; infinite for a row of zeros
        self._inverses = GrowableArray(np.float32)  # of the lengths
        self._is_embedded = GrowableArray(np.bool_)
        self.count = 0  # slots with a vector that is not zero
        self.approximate: ApproximateIndex | None = None  # None: search exactly

    def copy(self) -> "VectorIndex":
        """Return the same vectors, in constant time; later changes do not reach it."""
        other = VectorIndex()
        other.model, other.dimensions = self.model, self.dimensions
        other._stored, other._rows = self._stored, self._rows.copy()
        other._lengths, other._inverses = self._lengths.copy(), self._inverses.copy()
        other._is_embedded = self._is_embedded.copy()
        other.count, other.approximate = self.count, self.approximate
        return other

    def __len__(self) -> int:
        return len(self._is_embedded)

    def rows(self, slots: slice) -> Int8Array:
        """Return the vectors of consecutive slots; int8 of shape (slots, dimensions)."""
        first = len(self._stored)
        if slots.start >= first:
            rows: Int8Array = self._rows.rows[slots.start - first : slots.stop - first]
            return rows
        if slots.stop <= first:
            return self._stored[slots]
        return np.concatenate([self._stored[slots.start :], self._rows.rows[: slots.stop - first]])

    def rows_at(self, slots: Int64Array) -> Int8Array:
        """Return the vectors of any slots, in their order; int8 of shape (slots, dimensions)."""
        rows = np.empty((len(slots), self.dimensions), np.int8)
        is_stored = slots < len(self._stored)
        rows[is_stored] = self._stored[slots[is_stored]]
        rows[~is_stored] = self._rows.rows[slots[~is_stored] - len(self._stored)]
        return rows

    @property
    def is_embedded(self) -> BoolArray:
        """Whether the text of each slot was embedded; its vector may still be zero."""
        return self._is_embedded.rows

    @property
    def stored_count(self) -> int:
        """The number of slots whose vectors are those of the stored index."""
        return len(self._stored)

    def _count_in(self, slots: slice) -> int:
        """Return how many of these slots have a vector that is not zero."""
        return int(
            np.count_nonzero(np.isfinite(self._lengths.rows[slots]) & self.is_embedded[slots])
        )

    def _parts(self) -> list[Int8Array]:
        """Return the stored rows and the others, if there are any."""
        return [rows for rows in (self._stored, self._rows.rows) if len(rows)]

    def set_model(self, model: str, dimensions: int) -> None:
        """Clear all vectors unless this model made them."""
        if (model, dimensions) == (self.model, self.dimensions):
            return
        self.model, self.dimensions, self.approximate = model, dimensions, None
        self.count = 0
        self._stored = np.zeros((0, dimensions), np.int8)
        self._rows = GrowableArray(np.int8, dimensions)
        self._rows.grow(len(self._is_embedded))
        self._lengths.set(slice(None), np.inf)
        self._inverses.set(slice(None), 0.0)
        self._is_embedded.set(slice(None), False)

    def extend(self, count: int) -> None:
        """Add slots that are not embedded yet."""
        self._rows.grow(len(self._rows) + count)
        self._lengths.grow(len(self._lengths) + count, np.inf)
        self._inverses.grow(len(self._inverses) + count)
        self._is_embedded.grow(len(self._is_embedded) + count)

    def put(self, slots: slice, rows: Int8Array) -> None:
        """Set the vectors of consecutive slots.

        Raises:
            ValueError: ``rows`` has another shape.
        """
        if rows.shape != (slots.stop - slots.start, self.dimensions):
            raise ValueError("vectors of another shape")
        if slots.start < len(self._stored):
            # At least as many as are in memory, so that notes in any order take linear time.
            self._take_over(max(0, min(slots.start, len(self._stored) - len(self._rows))))
        first = len(self._stored)
        # Sharing the row with copies is safe: a slot's text, and so its vector, never changes.
        self._rows.fill(slice(slots.start - first, slots.stop - first), rows)
        self.count -= self._count_in(slots)
        lengths = lengths_of(rows)
        self._lengths.fill(slots, lengths)
        self._inverses.fill(slots, 1.0 / lengths)
        self._is_embedded.set(slots, True)
        self.count += self._count_in(slots)

    def _take_over(self, first: int) -> None:
        """Copy the stored vectors from slot ``first`` on into memory, so that they can be set."""
        rows = GrowableArray(np.int8, self.dimensions)
        rows.extend(self._stored[first:])
        rows.extend(self._rows.rows)
        self._stored, self._rows = self._stored[:first], rows

    def drop(self, slots: slice) -> None:
        """Mark dead slots as not embedded, so that no search returns them."""
        if slots.stop > slots.start:
            self.count -= self._count_in(slots)
            self._is_embedded.set(slots, False)

    def compact(self, kept: Int64Array) -> None:
        """Keep these slots only, in this order."""
        self.approximate = None
        rows = GrowableArray.over(self.rows_at(kept))
        self._stored, self._rows = self._stored[:0], rows
        self._lengths.replace(self._lengths.rows[kept])
        self._inverses.replace(self._inverses.rows[kept])
        self._is_embedded.replace(self.is_embedded[kept])
        self.count = self._count_in(slice(None))

    # -- storing ------------------------------------------------------------------------------

    def columns(self) -> Iterator[Column]:
        """Yield the vectors as columns, for ``read``."""
        yield "model", [pack((self.model, self.dimensions))]
        yield "rows", (piece for rows in self._parts() for piece in array_column("", rows)[1])
        yield array_column("lengths", self._lengths.rows)
        yield array_column("isEmbedded", self.is_embedded)

    @classmethod
    def read(cls, columns: Columns) -> "VectorIndex":
        """Return the vectors that ``columns`` wrote.

        Raises:
            ValueError, LookupError: there are none.
        """
        index = cls()
        index.model, index.dimensions = _unpack_model(columns.data("model"))
        index._lengths = GrowableArray.over(columns.array("lengths", "<f8"))
        index._inverses.extend(1.0 / index._lengths.rows)
        index._is_embedded = GrowableArray.over(columns.array("isEmbedded", "?"))
        rows = columns.array("rows", np.int8)
        index._stored = rows.reshape(len(index._is_embedded), index.dimensions)
        index._rows = GrowableArray(np.int8, index.dimensions)
        if len(index._lengths) != len(index._is_embedded):
            raise ValueError("vectors without lengths")
        index.count = index._count_in(slice(None))
        return index

    # -- the approximate index ----------------------------------------------------------------

    def coverage(self) -> Coverage:
        """Return the coverage of an approximate index that is built of these vectors now."""
        dead = int(np.count_nonzero(~self.is_embedded))
        digest = self._digest(len(self))
        return Coverage(self.model, self.dimensions, len(self), dead, self.count, digest)

    def is_covered(self, coverage: Coverage) -> bool:
        """Return whether the vectors of ``coverage`` are the first vectors of this index."""
        return (
            (coverage.model, coverage.dimensions) == (self.model, self.dimensions)
            and coverage.slots <= len(self)
            and coverage.digest == self._digest(coverage.slots)
        )

    def use_approximate(self, approximate: "ApproximateIndex | None") -> "ApproximateIndex | None":
        """Let ``near`` use ``approximate`` if it fits; return it, or ``None`` if it does not."""
        if approximate is not None and not self.is_covered(approximate.coverage):
            approximate = None
        self.approximate = approximate
        return approximate

    def changed_since(self, coverage: Coverage) -> int:
        """Return how many slots were added after those of ``coverage``, or died among them."""
        dead = int(np.count_nonzero(~self.is_embedded[: coverage.slots]))
        return len(self) - coverage.slots + dead - coverage.dead

    def _digest(self, slot_count: int) -> bytes:
        lengths = np.ascontiguousarray(self._lengths.rows[:slot_count])
        return hashlib.sha256(lengths.data).digest()

    # -- searching ----------------------------------------------------------------------------

    def similarities(self, query: Int8Array) -> Float64Array:
        """Return the cosine of ``query`` with each slot, clipped to 0..1; shape (slot_count,).

        A slot without a vector scores 0.0.
        """
        if not len(self) or not query.any():
            return np.zeros(len(self))
        return self.cosines(query).of(np.arange(len(self)))

    def comparing(self, query: Int8Array) -> tuple[Floats, list[Callable[[], None]]]:
        """Return an array for the inner products of ``query`` with all slots, and work to fill it.

        The pieces of work may run on several threads.
        """
        products = empty_products(query, len(self))
        stored_count = len(self._stored)
        is_shared = stored_count >= SHARED_SLOTS_MIN
        last = int(stored_count * (1.0 - _LAST_SHARE)) if is_shared else stored_count
        runs = (
            (self._stored[:last], products[:last]),
            (self._stored[last:], products[last:stored_count]),
            (self._rows.rows, products[stored_count:]),
        )
        return products, [partial(fill_products, query, *run) for run in runs if len(run[0])]

    def cosines(self, query: Int8Array, products: "Floats | None" = None) -> "Cosines":
        """Return the cosines of ``query``, which is not zero, with all slots.

        ``products``: those of the query, if they are known.
        """
        if products is None:
            products, pieces = self.comparing(query)
            for fill in pieces:
                fill()
        return Cosines(
            products,
            self._lengths.rows,
            self._inverses.rows,
            length_of(query),
            self.is_embedded,
        )

    def similarities_of(self, query: Int8Array, slots: Int64Array) -> SlotScores:
        """Return the scores above 0 of these rising slots, equal to their ``similarities``."""
        first = len(self._stored)
        split = int(np.searchsorted(slots, first))
        rows = self._stored[slots[:split]], self._rows.rows[slots[split:] - first]
        products = [products_of(query, some) for some in rows if len(some)]
        return self._scored(query, slots, products)

    def near(self, query: Int8Array) -> SlotScores:
        """Return the scores above 0 of the candidates, and of the slots that are not covered."""
        assert self.approximate is not None
        candidates = self.similarities_of(query, self.approximate.candidates(query))
        others = slice(self.approximate.coverage.slots, len(self))
        products = [products_of(query, rows) for rows in (self.rows(others),) if len(rows)]
        scored = self._scored(query, np.arange(others.start, others.stop), products)
        slots = np.concatenate([candidates.slots, scored.slots])
        return SlotScores(slots, np.concatenate([candidates.scores, scored.scores]))

    def _scored(self, query: Int8Array, slots: Int64Array, products: list[Floats]) -> SlotScores:
        """Return the scores above 0 of ``slots``; ``products``: their inner products, in pieces."""
        if not products or not query.any():
            return SlotScores(slots[:0], np.zeros(0))
        ratios = np.concatenate(products) / self._lengths.rows[slots]
        scores = cosines_of(ratios, length_of(query), self.is_embedded[slots])
        return scores_above_0(slots, scores)

    def nearest(self, query: Int8Array, count: int) -> tuple[Int64Array, Float64Array]:
        """Return the slots most similar to ``query``: slots and similarities, highest first.

        At least ``count`` slots, if that many score above 0, with all that tie with the last.
        """
        scores = self.similarities(query)
        bound = np.partition(scores, -count)[-count] if len(scores) > count else 0.0
        slots = np.flatnonzero(scores >= bound if bound > 0 else scores > 0)
        slots = slots[np.argsort(-scores[slots], kind="stable")]
        return slots, scores[slots]
