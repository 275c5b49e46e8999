"""The slots of the search indexes: each holds one part of one note.

A note has parts: its head, then its chunks. Its parts have consecutive slots. A slot is used once:
when a note changes, it gets new slots and its old ones are dead (tombstones) until ``compact``
numbers all slots anew.
"""

from collections.abc import Iterator

import numpy as np

from clew.index.structures.columns import Column, Columns, array_column
from clew.index.structures.growable import GrowableArray
from clew.index.structures.row_pool import positions_of_runs
from clew.values.arrays import BoolArray, Int32Array, Int64Array, IntegerArray

DEAD = -1


class Slots:
    """The slots of every note; ``note_ids`` and ``parts`` are arrays by slot."""

    def __init__(self) -> None:
        self._firsts = GrowableArray(np.int32)  # by note id: its first slot
        self._counts = GrowableArray(np.int32)  # by note id: 0 for a note that has no slots
        self._note_ids = GrowableArray(np.int32)
        self._parts = GrowableArray(np.int32)
        self.dead_count = 0  # slots
        self._is_live: BoolArray | None = None  # the latest ``is_live``, while valid

    def copy(self) -> "Slots":
        """Return the same slots, in constant time; later changes do not reach it."""
        other = Slots()
        other._firsts, other._counts = self._firsts.copy(), self._counts.copy()
        other._note_ids, other._parts = self._note_ids.copy(), self._parts.copy()
        other.dead_count, other._is_live = self.dead_count, self._is_live
        return other

    def __len__(self) -> int:
        return len(self._note_ids)

    @property
    def note_ids(self) -> Int32Array:
        """The note id of each slot; ``DEAD`` for a dead slot."""
        return self._note_ids.rows

    @property
    def is_live(self) -> BoolArray:
        """Which slots are not dead; a quarter of ``note_ids``, so read faster."""
        if self._is_live is None:
            self._is_live = self.note_ids != DEAD
        return self._is_live

    @property
    def parts(self) -> Int32Array:
        """The part of its note that each slot holds: 0 for the head, n for the nth chunk."""
        return self._parts.rows

    @property
    def firsts(self) -> Int32Array:
        """The first slot of each note, by note id; dropped notes keep theirs."""
        return self._firsts.rows

    @property
    def counts(self) -> Int32Array:
        """How many slots each note has, by note id."""
        return self._counts.rows

    def put(self, note_ids: IntegerArray, counts: IntegerArray) -> int:
        """Give ``counts`` new slots to notes that have none; return the first new slot.

        The slots are in the order of ``note_ids``, which must not be empty.
        """
        self._is_live = None
        first = self._note_ids.extend(np.repeat(note_ids, counts))
        before = np.cumsum(counts) - counts
        self._parts.extend(positions_of_runs(np.zeros_like(counts), counts))
        note_count = int(note_ids.max()) + 1
        self._firsts.grow(note_count)
        self._counts.grow(note_count)
        self._firsts.set(note_ids, first + before)
        self._counts.set(note_ids, counts)
        return first

    def drop(self, note_id: int) -> slice:
        """Mark the slots of a note as dead; return them."""
        slots = self.slots_of(note_id)
        if slots.stop > slots.start:
            self._is_live = None
            self._note_ids.set(slots, DEAD)
            self.dead_count += slots.stop - slots.start
            self._counts.set(note_id, 0)
        return slots

    def slots_of(self, note_id: int) -> slice:
        """Return the slots of a note; an empty slice if it has none."""
        if note_id >= len(self._firsts):
            return slice(0, 0)
        first = int(self._firsts.rows[note_id])
        return slice(first, first + int(self._counts.rows[note_id]))

    def items(self) -> Iterator[tuple[int, slice]]:
        """Yield the id and the slots of every note."""
        for note_id in np.flatnonzero(self._counts.rows).tolist():
            yield note_id, self.slots_of(note_id)

    def compact(self) -> Int64Array:
        """Renumber the slots that are not dead, in their order; return their old numbers."""
        kept = np.flatnonzero(self.note_ids != DEAD)
        new_slots = np.zeros(len(self._note_ids) + 1, np.int64)  # by old slot
        new_slots[kept] = np.arange(len(kept))
        self._is_live = None
        self._note_ids.replace(self.note_ids[kept])
        self._parts.replace(self.parts[kept])
        self._firsts.replace(new_slots[self._firsts.rows])
        self.dead_count = 0
        return kept

    def renumber_notes(self, new_ids: Int32Array, count: int) -> None:
        """Give new ids, below ``count``, to the notes; ``new_ids`` has them by old id."""
        note_ids = self.note_ids.copy()
        alive = note_ids != DEAD
        note_ids[alive] = new_ids[note_ids[alive]]
        self._note_ids.replace(note_ids)
        notes = np.flatnonzero(self._counts.rows)
        for column in (self._firsts, self._counts):
            renumbered = np.zeros(count, np.int32)
            renumbered[new_ids[notes]] = column.rows[notes]
            column.replace(renumbered)

    def columns(self) -> Iterator[Column]:
        """Yield the slots as columns, for ``read``."""
        yield array_column("firsts", self._firsts.rows)
        yield array_column("counts", self._counts.rows)
        yield array_column("noteIds", self.note_ids)
        yield array_column("parts", self.parts)

    @classmethod
    def read(cls, columns: Columns) -> "Slots":
        """Return the slots that ``columns`` wrote.

        Raises:
            ValueError, LookupError: there are none.
        """
        slots = cls()
        slots._firsts = GrowableArray.over(columns.array("firsts", "<i4"))
        slots._counts = GrowableArray.over(columns.array("counts", "<i4"))
        slots._note_ids = GrowableArray.over(columns.array("noteIds", "<i4"))
        slots._parts = GrowableArray.over(columns.array("parts", "<i4"))
        slots.dead_count = int(np.count_nonzero(slots.note_ids == DEAD))
        if len(slots._note_ids) != len(slots._parts) or len(slots._firsts) != len(slots._counts):
            raise ValueError("slots without parts")
        return slots
