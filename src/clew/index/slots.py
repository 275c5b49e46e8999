"""Which slot of the search indexes holds which part of which note.

The parts of a note (its head, then its chunks) have slots that follow one another. A slot is used
once: when a note goes or changes, its slots are dead until the next ``compact``.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from clew.index.growable import GrowableArray
from clew.values.arrays import Int32Array, Int64Array

DEAD = -1


class Slots:
    """The slots of every note; ``note_ids`` and ``parts`` are by slot."""

    def __init__(self) -> None:
        self._spans: dict[str, tuple[int, int]] = {}  # path -> first slot, count
        self._note_ids = GrowableArray(np.int32)
        self._parts = GrowableArray(np.int32)

    def __len__(self) -> int:
        return len(self._note_ids)

    @property
    def note_ids(self) -> Int32Array:
        """The id of each slot's note, ``DEAD`` where it holds nothing any more."""
        return self._note_ids.rows

    @property
    def parts(self) -> Int32Array:
        """The part of its note that each slot holds: 0 for the head, n for the nth chunk."""
        return self._parts.rows

    @property
    def dead_count(self) -> int:
        """How many slots hold nothing any more."""
        return int(np.count_nonzero(self.note_ids == DEAD))

    def put(self, path: str, note_id: int, count: int) -> int:
        """Give a note that has none ``count`` slots; return the first."""
        first = self._note_ids.extend(np.full(count, note_id))
        self._parts.extend(np.arange(count))
        self._spans[path] = (first, count)
        return first

    def drop(self, path: str) -> slice:
        """Take the slots of a note away, if it has any; return which they were."""
        first, count = self._spans.pop(path, (0, 0))
        self._note_ids.rows[first : first + count] = DEAD
        return slice(first, first + count)

    def slots_of(self, path: str) -> slice:
        """Return the slots of a note; none, if it is not known."""
        first, count = self._spans.get(path, (0, 0))
        return slice(first, first + count)

    def items(self) -> Iterator[tuple[str, slice]]:
        """Yield every note with its slots."""
        for path, (first, count) in self._spans.items():
            yield path, slice(first, first + count)

    def compact(self, paths: Sequence[str]) -> Int64Array:
        """Give slots anew, note by note in the order of ``paths``; return the old ones in order."""
        spans = [self._spans[path] for path in paths]
        order = [np.arange(first, first + count) for first, count in spans]
        kept = np.concatenate(order) if order else np.zeros(0, np.int64)
        self._note_ids.replace(self.note_ids[kept])
        self._parts.replace(self.parts[kept])
        at = 0
        for path, (_, count) in zip(paths, spans, strict=True):
            self._spans[path] = (at, count)
            at += count
        return kept

    def load(
        self,
        note_ids: Int32Array,
        parts: Int32Array,
        paths: Sequence[str],
    ) -> None:
        """Hold the slots of a sealed revision; ``paths`` are its notes by id.

        Raises:
            ValueError, IndexError: they do not fit together.
        """
        if len(note_ids) != len(parts):
            raise ValueError("slots without parts")
        self._note_ids.replace(note_ids)
        self._parts.replace(parts)
        firsts = np.flatnonzero(parts == 0)
        counts = np.diff(np.append(firsts, len(parts)))
        owners = note_ids[firsts]
        # Every run has the parts of one note in order, from the first slot on.
        counted = np.arange(counts.sum()) - np.repeat(firsts - firsts[:1], counts)
        is_whole = np.array_equal(parts, counted) and np.array_equal(
            note_ids, np.repeat(owners, counts)
        )
        alive = owners != DEAD
        if not is_whole or (len(owners) and owners.min() < DEAD):
            raise ValueError("slots in no order")
        columns = (each[alive].tolist() for each in (owners, firsts, counts))
        found = zip(*columns, strict=True)
        self._spans = {paths[note_id]: (first, count) for note_id, first, count in found}
        if len(self._spans) != np.count_nonzero(alive):
            raise ValueError("slots of one note in two places")

    def containers(self) -> tuple[dict[str, tuple[int, int]]]:
        """Return everything large that this holds, for whoever lets go of it."""
        return (self._spans,)
