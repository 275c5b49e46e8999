"""The postings of concepts: the ids of the notes that mention each, and counts of both."""

from array import array
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from clew.index.structures.columns import Column, Columns, array_column, named
from clew.index.structures.growable import GrowableArray
from clew.index.structures.layered_map import LayeredMap
from clew.index.structures.stored_map import joined_lists, list_columns, read_lists
from clew.values.arrays import Int32Array, Int64Array

_NO_NOTES = memoryview(array("i")).toreadonly()


class Postings:
    """Lists of note ids by concept id; concepts that no note mentions have none."""

    def __init__(self) -> None:
        # By concept id: note ids, in no order, as arrays or as memory of a stored index.
        self._lists: LayeredMap[int, Any] = LayeredMap()
        self._counts = GrowableArray(np.int32)  # by concept id: the length of its list
        self._mentions = GrowableArray(np.int32)  # by concept id: how often notes mention it

    def copy(self) -> "Postings":
        """Return equal postings, in constant time; later changes do not reach them."""
        other = Postings()
        other._lists, other._counts = self._lists.copy(), self._counts.copy()
        other._mentions = self._mentions.copy()
        return other

    def __len__(self) -> int:
        """Return one more than the largest concept id."""
        return len(self._counts)

    def __contains__(self, concept: int) -> bool:
        return concept in self._lists

    def add_concept(self) -> None:
        """Add the concept with the next id."""
        self._counts.append(0)
        self._mentions.append(0)

    def append(self, concepts: Int32Array, note_ids: Int32Array, mentions: Int32Array) -> None:
        """Add postings: three parallel arrays, of concepts, notes and numbers of mentions.

        None of the pairs of a concept and a note may exist already.
        """
        for concept, note_id in zip(concepts.tolist(), note_ids.tolist(), strict=True):
            self._add(concept, note_id)
        added = np.bincount(concepts, minlength=len(self))
        self._counts.set(slice(None), self._counts.rows + added)
        added = np.bincount(concepts, mentions, len(self)).astype(np.int32)
        self._mentions.set(slice(None), self._mentions.rows + added)

    def update(self, note_id: int, before: Mapping[int, int], after: Mapping[int, int]) -> None:
        """Replace the mentions of a note; ``before`` and ``after``: concept id -> how often."""
        for concept in before.keys() - after.keys():
            if len(self._lists[concept]) == 1:
                del self._lists[concept]
            else:
                self._lists.own(concept, _copied).remove(note_id)
        for concept in after.keys() - before.keys():
            self._add(concept, note_id)
        for concept in before.keys() ^ after.keys():
            self._counts.set(concept, len(self.notes_of(concept)))
        for concept in {concept for concept, _ in before.items() ^ after.items()}:
            more = after.get(concept, 0) - before.get(concept, 0)
            self._mentions.set(concept, self._mentions.rows[concept] + more)

    def _add(self, concept: int, note_id: int) -> None:
        if concept in self._lists:
            self._lists.own(concept, _copied).append(note_id)
        else:
            self._lists[concept] = array("i", (note_id,))

    @property
    def counts(self) -> Int32Array:
        """How many notes mention each concept, by concept id; a read-only view."""
        return self._counts.rows

    @property
    def mentions(self) -> Int32Array:
        """How often notes mention each concept, by concept id; a read-only view."""
        return self._mentions.rows

    def notes_of(self, concept: int) -> Any:
        """Return the notes of a concept, a buffer of 32-bit ids that nobody may change."""
        return self._lists.get(concept, _NO_NOTES)

    def notes_of_each(self, concepts: Int64Array) -> tuple[Int64Array, Int32Array]:
        """Return how many notes each of ``concepts`` has, and their notes, one after the other."""
        return joined_lists(self._lists, concepts)

    def columns(self) -> Iterator[Column]:
        """Yield the postings as columns, for ``read``."""
        yield from named("lists", list_columns(self._lists, len(self)))
        yield array_column("counts", self.counts)
        yield array_column("mentions", self.mentions)

    @classmethod
    def read(cls, columns: Columns) -> "Postings":
        """Return the postings that ``columns`` wrote.

        Raises:
            ValueError, LookupError: there are none.
        """
        postings = cls()
        postings._lists = read_lists(columns.of("lists"))
        postings._counts = GrowableArray.over(columns.array("counts", "<i4"))
        postings._mentions = GrowableArray.over(columns.array("mentions", "<i4"))
        if len(postings._counts) != len(postings._mentions):
            raise ValueError("mentions of other concepts")
        return postings


def _copied(notes: Any) -> "array[int]":
    """Return a copy of a list of notes as an array."""
    copied = array("i")
    copied.frombytes(memoryview(notes).cast("B"))
    return copied
