"""Vectors of concept names, for finding concepts of similar meaning.

A vector follows from a concept's name alone, so it is made once and kept while some note mentions
the concept.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from clew.index.structures.columns import Column, Columns, named
from clew.index.structures.layered_map import LayeredMap
from clew.index.structures.string_table import GrowingStrings, StringTable
from clew.index.vectors import VectorIndex
from clew.values.arrays import Float64Array, Int8Array, Int64Array
from clew.values.note_words import Vectors

FREE_MIN = 1_000  # slots; fewer are never renumbered
NO_SLOT = -1


class NameVectors:
    """Vectors by concept. A slot is used once; when many are free, all are renumbered."""

    def __init__(self) -> None:
        self._reset("", 0)

    def _reset(self, model: str, dimensions: int) -> None:
        self._slots: LayeredMap[str, int] = LayeredMap()
        self._names = GrowingStrings()  # by slot; it only grows, so copies share it
        self._vectors = VectorIndex()
        self._vectors.set_model(model, dimensions)

    def copy(self) -> "NameVectors":
        """Return the same vectors, in constant time; later changes do not reach it."""
        other = NameVectors()
        other._slots, other._names = self._slots.copy(), self._names
        other._vectors = self._vectors.copy()
        return other

    def __len__(self) -> int:
        return len(self._slots)

    @property
    def model(self) -> str:
        """The fingerprint of the model that made the vectors."""
        return self._vectors.model

    def embed(self, vectors: Vectors, is_concept: Callable[[str], bool]) -> None:
        """Store vectors of concepts; vectors of another model are dropped.

        Raises:
            ValueError: a vector has another shape.
        """
        if (vectors.model, vectors.dimensions) != (self.model, self._vectors.dimensions):
            self._reset(vectors.model, vectors.dimensions)
        for name in filter(is_concept, vectors.names):
            slot = self._slots.get(name)
            if slot is None:
                slot = self._slots[name] = self._new_slot(name)
            codes = np.frombuffer(vectors.names[name], np.int8)
            self._vectors.put(slice(slot, slot + 1), codes.reshape(1, vectors.dimensions))

    def take(self, concepts: Iterable[str], other: "NameVectors") -> None:
        """Add the vectors that ``other`` has of these concepts, where they are missing here."""
        if self.model == other.model:
            codes = other.codes_of(name for name in concepts if name not in self._slots)
            self.embed(Vectors(self.model, self._vectors.dimensions, {}, codes), codes.__contains__)

    def codes_of(self, concepts: Iterable[str]) -> dict[str, bytes]:
        """Return the vectors of these concepts by name; concepts without one are left out."""
        slots = {name: self._slots[name] for name in concepts if name in self._slots}
        return {
            name: self._vectors.rows(slice(slot, slot + 1)).tobytes()
            for name, slot in slots.items()
        }

    def _new_slot(self, name: str) -> int:
        slot = len(self._names)
        self._names.append(name)
        self._vectors.extend(1)
        return slot

    def drop(self, name: str) -> None:
        """Drop the vector of a concept, if it has one."""
        slot = self._slots.pop(name, None)
        if slot is not None:
            self._vectors.drop(slice(slot, slot + 1))
            if len(self._names) > max(FREE_MIN, 2 * len(self._slots)):
                self._renumber()

    def _renumber(self) -> None:
        """Give new slots to all concepts that have a vector."""
        names, slots = list(self._slots), list(self._slots.values())
        self._vectors.compact(np.array(slots, np.int64))
        self._names = GrowingStrings()
        for name in names:
            self._names.append(name)
        self._slots = LayeredMap({name: slot for slot, name in enumerate(names)})

    def unembedded(self, concepts: Iterable[str], model: str) -> list[str]:
        """Return the ``concepts`` that have no vector of ``model``, sorted."""
        if model != self.model:
            return sorted(concepts)
        return sorted(name for name in concepts if name not in self._slots)

    def items(self) -> Iterator[tuple[str, Int8Array]]:
        """Yield each concept with its vector, all 0 if the model knows no part of the name."""
        for name, slot in self._slots.items():
            yield name, self._vectors.rows(slice(slot, slot + 1))[0]

    def nearest(self, name: str, count: int) -> list[tuple[str, float]]:
        """Return the concepts most similar to ``name``, best first, with similarities above 0.

        At least ``count``, if there are that many. Concepts of equal similarity are all kept or all
        left out, and their order is undefined.
        """
        slot = self._slots.get(name)
        if slot is None:
            return []
        query = np.ascontiguousarray(self._vectors.rows(slice(slot, slot + 1))[0])
        slots, similarity = self._vectors.nearest(query, count + 1)
        rows = zip(slots.tolist(), similarity.tolist(), strict=True)
        return [(self._names[other], near) for other, near in rows if other != slot]

    def slots(self, concepts: Iterable[str]) -> Int64Array:
        """Return the slot of the vector of each concept, ``NO_SLOT`` where one has none."""
        return np.array([self._slots.get(name, NO_SLOT) for name in concepts], np.int64)

    def similarities(self, first: Int64Array, second: Int64Array) -> Float64Array:
        """Return the cosine of the vectors in each pair of slots; 0 where one is missing."""
        cosines = np.zeros(len(first))
        has_both = np.flatnonzero((first != NO_SLOT) & (second != NO_SLOT))
        one, two = (
            self._vectors.rows_at(slots[has_both]).astype(np.float32) for slots in (first, second)
        )
        lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(two, axis=1)
        cosines[has_both] = np.einsum("ij,ij->i", one, two) / np.maximum(lengths, 1.0)
        return cosines

    # -- storing ------------------------------------------------------------------------------

    def columns(self) -> Iterator[Column]:
        """Yield the vectors as columns, for ``read``."""
        in_use = self._vectors.is_embedded
        yield from named("names", self._names.columns(len(self._vectors), in_use))
        yield from named("vectors", self._vectors.columns())

    @classmethod
    def read(cls, columns: Columns) -> "NameVectors":
        """Return the vectors that ``columns`` wrote.

        Raises:
            ValueError, LookupError: there are none.
        """
        names = StringTable(columns.of("names"))
        index = cls()
        index._slots, index._names = LayeredMap(names), GrowingStrings(names)
        index._vectors = VectorIndex.read(columns.of("vectors"))
        if len(index._vectors) != names.row_count:
            raise ValueError("vectors of other names")
        return index
