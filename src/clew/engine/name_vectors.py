"""Vectors of the names of concepts, which tell what is near in meaning.

A vector follows from a concept's name alone, so it is made once and stays for as long as some note
mentions the concept, whatever else changes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from clew.index.vectors import VectorIndex
from clew.values.arrays import Int8Array, Int32Array
from clew.values.note_words import Vectors


class NameVectors:
    """Vectors by concept; the slots of concepts that went are used again."""

    def __init__(self) -> None:
        self._start_anew("", 0)

    def _start_anew(self, model: str, dimensions: int) -> None:
        self._slots: dict[str, int] = {}
        self._names: list[str] = []  # by slot; of a free one, the last it had
        self._free: list[int] = []
        self._vectors = VectorIndex()
        self._vectors.set_model(model, dimensions)

    def __len__(self) -> int:
        return len(self._slots)

    @property
    def model(self) -> str:
        """The fingerprint of what made the vectors."""
        return self._vectors.model

    def embed(self, vectors: Vectors, is_concept: Callable[[str], bool]) -> None:
        """Enter vectors of concepts; those that another model made are forgotten.

        Raises:
            ValueError: one is of another shape.
        """
        if (vectors.model, vectors.dimensions) != (self.model, self._vectors.dimensions):
            self._start_anew(vectors.model, vectors.dimensions)
        for name in filter(is_concept, vectors.names):
            slot = self._slots.get(name)
            if slot is None:
                slot = self._slots[name] = self._new_slot(name)
            codes = np.frombuffer(vectors.names[name], np.int8)
            self._vectors.put(slice(slot, slot + 1), codes.reshape(1, vectors.dimensions))

    def _new_slot(self, name: str) -> int:
        if self._free:
            slot = self._free.pop()
            self._names[slot] = name
            return slot
        self._names.append(name)
        self._vectors.extend(1)
        return len(self._names) - 1

    def drop(self, name: str) -> None:
        """Forget a concept, if it has a vector."""
        slot = self._slots.pop(name, None)
        if slot is not None:
            self._vectors.drop(slice(slot, slot + 1))
            self._free.append(slot)

    def unembedded(self, concepts: Iterable[str], model: str) -> list[str]:
        """Return those of ``concepts`` of which ``model`` has made no vector, in order."""
        if model != self.model:
            return sorted(concepts)
        return sorted(name for name in concepts if name not in self._slots)

    def items(self) -> Iterator[tuple[str, Int8Array]]:
        """Yield every concept with its codes, all 0 for a name that the model cannot read."""
        for name, slot in self._slots.items():
            yield name, self._vectors.rows[slot]

    def nearest(self, name: str, count: int) -> list[tuple[str, float]]:
        """Return the concepts nearest to ``name``, with similarities above 0, the nearest first.

        At least ``count`` where there are so many; of equals all are there or none is, in no order.
        """
        slot = self._slots.get(name)
        if slot is None:
            return []
        query = np.ascontiguousarray(self._vectors.rows[slot])
        slots, similarity = self._vectors.nearest(query, count + 1)
        found = zip(slots.tolist(), similarity.tolist(), strict=True)
        return [(self._names[other], near) for other, near in found if other != slot]

    def containers(self) -> tuple[dict[str, int], list[str]]:
        """Return everything large that this holds, for whoever lets go of it."""
        return self._slots, self._names

    # -- sealing ------------------------------------------------------------------------------

    def columns(self, concept_ids: Callable[[str], int]) -> tuple[Int32Array, Int8Array]:
        """Return which concepts have vectors, by rising id, and these; ``concept_ids`` by name."""
        named = sorted((concept_ids(name), slot) for name, slot in self._slots.items())
        slots = [slot for _, slot in named]
        return np.array([number for number, _ in named], np.int32), self._vectors.rows[slots]

    def adopt(self, names: Sequence[str], codes: Int8Array, model: str, dimensions: int) -> None:
        """Hold the vectors of a sealed revision.

        Raises:
            ValueError: they are of another shape, or some name is there twice.
        """
        if len(set(names)) != len(names):
            raise ValueError("two vectors of one name")
        self._start_anew(model, dimensions)
        self._vectors.load(model, dimensions, codes, np.ones(len(names), np.bool_))
        self._names = list(names)
        self._slots = {name: slot for slot, name in enumerate(names)}
