"""The slots of the search indexes: which part of which note each slot holds.

A note has parts: its head, then its chunks. Its parts have consecutive slots. A slot is used once:
when a note changes, it gets new slots and its old ones are dead (tombstones) until ``compact``
numbers all slots anew.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np

from clew.index.structures.growable import GrowableArray
from clew.index.structures.layered_map import LayeredMap
from clew.values.arrays import Int32Array, Int64Array

DEAD = -1


class Slots:
    """The slots of every note; ``note_ids`` and ``parts`` are arrays by slot."""

    def __init__(self) -> None:
        # By path: first slot, count.
        self._spans: LayeredMap[str, tuple[int, int]] = LayeredMap()
        self._note_ids = GrowableArray(np.int32)
        self._parts = GrowableArray(np.int32)

    def copy(self) -> "Slots":
        """Return the same slots, in constant time; later changes do not reach it."""
        other = Slots()
        other._spans = self._spans.copy()
        other._note_ids, other._parts = self._note_ids.copy(), self._parts.copy()
        return other

    def __len__(self) -> int:
        return len(self._note_ids)

    @property
    def note_ids(self) -> Int32Array:
        """The note id of each slot; ``DEAD`` for a dead slot."""
        return self._note_ids.rows

    @property
    def parts(self) -> Int32Array:
        """The part of its note that each slot holds: 0 for the head, n for the nth chunk."""
        return self._parts.rows

    @property
    def dead_count(self) -> int:
        """The number of dead slots."""
        return int(np.count_nonzero(self.note_ids == DEAD))

    def put(self, path: str, note_id: int, count: int) -> int:
        """Give ``count`` new slots to a note that has none; return the first."""
        first = self._note_ids.extend(np.full(count, note_id))
        self._parts.extend(np.arange(count))
        self._spans[path] = (first, count)
        return first

    def drop(self, path: str) -> slice:
        """Mark the slots of a note as dead; return them."""
        first, count = self._spans.pop(path, (0, 0))
        if count:
            self._note_ids.set(slice(first, first + count), DEAD)
        return slice(first, first + count)

    def slots_of(self, path: str) -> slice:
        """Return the slots of a note; an empty slice if it has none."""
        first, count = self._spans.get(path, (0, 0))
        return slice(first, first + count)

    def items(self) -> Iterator[tuple[str, slice]]:
        """Yield the path and the slots of every note."""
        for path, (first, count) in self._spans.items():
            yield path, slice(first, first + count)

    def compact(self, paths: Sequence[str]) -> Int64Array:
        """Renumber all slots in the order of ``paths``; return the old slots in new order."""
        spans = [self._spans[path] for path in paths]
        ranges = [np.arange(first, first + count) for first, count in spans]
        kept = np.concatenate(ranges) if ranges else np.zeros(0, np.int64)
        self._note_ids.replace(self.note_ids[kept])
        self._parts.replace(self.parts[kept])
        counts = [count for _, count in spans]
        firsts = accumulate(counts, initial=0)
        self._spans = LayeredMap(dict(zip(paths, zip(firsts, counts, strict=False), strict=True)))
        return kept

    def renumber_notes(self, new_ids: Int32Array) -> None:
        """Give new ids to the notes; ``new_ids`` has them by old id."""
        note_ids = self.note_ids.copy()
        alive = note_ids != DEAD
        note_ids[alive] = new_ids[note_ids[alive]]
        self._note_ids.replace(note_ids)

    def load(self, note_ids: Int32Array, parts: Int32Array, paths: Sequence[str]) -> None:
        """Replace all slots by those of a stored revision; ``paths`` are its notes by id.

        Raises:
            ValueError, IndexError: the arrays are not slots of these notes.
        """
        if len(note_ids) != len(parts):
            raise ValueError("slots without parts")
        self._note_ids.replace(note_ids)
        self._parts.replace(parts)
        self._spans = LayeredMap(_spans(note_ids, parts, paths))

    def containers(self) -> tuple[LayeredMap[str, tuple[int, int]]]:
        """Return the large containers, which the caller frees incrementally."""
        return (self._spans,)


def _spans(
    note_ids: Int32Array, parts: Int32Array, paths: Sequence[str]
) -> dict[str, tuple[int, int]]:
    """Return the first slot and the slot count of each note, by path.

    Raises:
        ValueError, IndexError: the parts of some note are not 0, 1, 2 ... in consecutive slots.
    """
    firsts = np.flatnonzero(parts == 0)
    counts = np.diff(np.append(firsts, len(parts)))
    notes = note_ids[firsts]
    expected_parts = np.arange(counts.sum()) - np.repeat(firsts - firsts[:1], counts)
    is_consecutive = np.array_equal(parts, expected_parts)
    if not is_consecutive or not np.array_equal(note_ids, np.repeat(notes, counts)):
        raise ValueError("slots in no order")
    if len(notes) and notes.min() < DEAD:
        raise ValueError("slots in no order")
    is_alive = notes != DEAD
    columns = (column[is_alive].tolist() for column in (notes, firsts, counts))
    rows = zip(*columns, strict=True)
    spans = {paths[note_id]: (first, count) for note_id, first, count in rows}
    if len(spans) != np.count_nonzero(is_alive):
        raise ValueError("slots of one note in two places")
    return spans
