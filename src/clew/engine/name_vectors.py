"""Vectors of concept names, for finding concepts of similar meaning.

A vector follows from a concept's name alone, so it is made once and kept while some note mentions
the concept.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from clew.index.structures.layered_map import LayeredMap
from clew.index.vectors import VectorIndex
from clew.values.arrays import Int8Array, Int32Array
from clew.values.note_words import Vectors

FREE_MIN = 1_000  # slots; fewer are never numbered anew


class NameVectors:
    """Vectors by concept. A slot is used once, until many are free and all are numbered anew."""

    def __init__(self) -> None:
        self._reset("", 0)

    def _reset(self, model: str, dimensions: int) -> None:
        self._slots: LayeredMap[str, int] = LayeredMap()
        self._names: list[str] = []  # by slot; it only grows, so copies share it
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

    def _new_slot(self, name: str) -> int:
        self._names.append(name)
        self._vectors.extend(1)
        return len(self._names) - 1

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
        self._names = names
        self._slots = LayeredMap({name: slot for slot, name in enumerate(names)})

    def unembedded(self, concepts: Iterable[str], model: str) -> list[str]:
        """Return the ``concepts`` that have no vector of ``model``, sorted."""
        if model != self.model:
            return sorted(concepts)
        return sorted(name for name in concepts if name not in self._slots)

    def items(self) -> Iterator[tuple[str, Int8Array]]:
        """Yield each concept with its vector, all 0 if the model knows no part of the name."""
        for name, slot in self._slots.items():
            yield name, self._vectors.rows[slot]

    def nearest(self, name: str, count: int) -> list[tuple[str, float]]:
        """Return the concepts most similar to ``name``, best first, with similarities above 0.

        At least ``count``, if there are that many. Equal similarities are all kept or all cut, and
        have no order.
        """
        slot = self._slots.get(name)
        if slot is None:
            return []
        query = np.ascontiguousarray(self._vectors.rows[slot])
        slots, similarity = self._vectors.nearest(query, count + 1)
        rows = zip(slots.tolist(), similarity.tolist(), strict=True)
        return [(self._names[other], near) for other, near in rows if other != slot]

    def containers(self) -> tuple[LayeredMap[str, int], list[str]]:
        """Return the large containers, for ``free_incrementally``."""
        return self._slots, self._names

    # -- serialization ------------------------------------------------------------------------

    def columns(self, concept_ids: Callable[[str], int]) -> tuple[Int32Array, Int8Array]:
        """Return the ids of concepts that have vectors, rising, and these vectors."""
        named = sorted((concept_ids(name), slot) for name, slot in self._slots.items())
        slots = [slot for _, slot in named]
        return np.array([number for number, _ in named], np.int32), self._vectors.rows[slots]

    def load(self, names: Sequence[str], codes: Int8Array, model: str, dimensions: int) -> None:
        """Replace everything by the vectors of a serialized revision.

        Raises:
            ValueError: the vectors have another shape, or a name occurs twice.
        """
        if len(set(names)) != len(names):
            raise ValueError("two vectors of one name")
        self._reset(model, dimensions)
        self._vectors.load(model, dimensions, codes, np.ones(len(names), np.bool_))
        self._names = list(names)
        self._slots = LayeredMap({name: slot for slot, name in enumerate(names)})
