"""Storage for the rows of the concept graph: a row of concept ids for each note, in flat arrays.

A new row is appended, and the entries of the row it replaces become garbage. When garbage is more
than half of the arrays, they are compacted, so a change takes time for its own row only
(amortized).
"""

import numpy as np

from clew.index.structures.growable import GrowableArray
from clew.values.arrays import Int32Array, Int64Array, IntegerArray

_GARBAGE_MIN = 1_024
_GARBAGE_SHARE_MAX = 0.5


def positions_of_runs(firsts: IntegerArray, lengths: IntegerArray) -> Int64Array:
    """Return ``first, first + 1, ...`` for each of ``firsts``, ``length`` numbers each."""
    ends: Int64Array = lengths.cumsum()
    positions: Int64Array = (firsts - (ends - lengths)).repeat(lengths)
    positions += np.arange(len(positions))
    return positions


class RowPool:
    """Rows by note id. Callers must not change the arrays that it returns."""

    def __init__(self) -> None:
        self._starts = GrowableArray(np.int64)  # by note id: where its row begins
        self._lengths = GrowableArray(np.int64)  # by note id
        self._concepts = GrowableArray(np.int32)  # concepts of all rows, one row after the other
        self._counts = GrowableArray(np.int32)  # parallel: how often the note mentions the concept
        self._garbage_count = 0
        self.layout = object()  # copies share it until rows are moved by compaction

    @classmethod
    def over(cls, lengths: Int64Array, concepts: Int32Array, counts: Int32Array) -> "RowPool":
        """Return a pool that reads the rows, one after the other, in place until it changes.

        Raises:
            ValueError: the lengths do not add up.
        """
        if not int(lengths.sum()) == len(concepts) == len(counts):
            raise ValueError("row lengths do not add up")
        pool = cls()
        pool._starts.extend(np.cumsum(lengths) - lengths)
        pool._lengths = GrowableArray.over(lengths)
        pool._concepts, pool._counts = GrowableArray.over(concepts), GrowableArray.over(counts)
        return pool

    def copy(self) -> "RowPool":
        """Return a pool of the same rows, in constant time; later changes do not reach it."""
        other = RowPool()
        other._starts, other._lengths = self._starts.copy(), self._lengths.copy()
        other._concepts, other._counts = self._concepts.copy(), self._counts.copy()
        other._garbage_count, other.layout = self._garbage_count, self.layout
        return other

    def written_since(self, earlier: "RowPool") -> Int64Array | None:
        """Return the notes whose rows were written or cleared after ``earlier`` was copied.

        ``None`` if the rows were compacted since, or if ``earlier`` is no copy of this pool.
        """
        if earlier.layout is not self.layout or len(earlier) > len(self):
            return None
        is_written = np.ones(len(self), np.bool_)
        old = slice(len(earlier))
        is_written[old] = self.starts[old] != earlier.starts
        is_written[old] |= self.lengths[old] != earlier.lengths
        return np.flatnonzero(is_written)

    def __len__(self) -> int:
        return len(self._lengths)

    @property
    def starts(self) -> Int64Array:
        """Where the row of each note begins, by note id."""
        return self._starts.rows

    @property
    def lengths(self) -> Int64Array:
        """The lengths of all rows, by note id."""
        return self._lengths.rows

    def append(self, lengths: Int32Array, concepts: Int32Array, counts: Int32Array) -> None:
        """Add the rows of new notes, one after the other."""
        start = self._concepts.extend(concepts)
        self._counts.extend(counts)
        self._starts.extend(start + np.cumsum(lengths) - lengths)
        self._lengths.extend(lengths)

    def add_empty(self) -> None:
        """Add an empty row for the next note."""
        self._starts.append(0)
        self._lengths.append(0)

    def put(self, note_id: int, concepts: list[int], counts: list[int]) -> None:
        """Replace the row of a note; a new note has the id ``len(self)``."""
        if note_id == len(self):
            self.add_empty()
        self.clear(note_id)
        self._starts.set(note_id, self._concepts.extend(concepts))
        self._lengths.set(note_id, len(concepts))
        self._counts.extend(counts)

    def clear(self, note_id: int) -> None:
        """Make the row of a note empty."""
        self._garbage_count += int(self._lengths.rows[note_id])
        self._lengths.set(note_id, 0)
        if self._garbage_count > max(_GARBAGE_MIN, _GARBAGE_SHARE_MAX * len(self._concepts)):
            self._compact()

    def row(self, note_id: int) -> tuple[Int32Array, Int32Array]:
        """Return the row of one note: concept ids and counts."""
        start = int(self._starts.rows[note_id])
        span = slice(start, start + int(self._lengths.rows[note_id]))
        return self._concepts.rows[span], self._counts.rows[span]

    def concepts(self, notes: IntegerArray) -> tuple[Int32Array, Int64Array]:
        """Return the concepts of ``notes``, one row after the other, and the row lengths."""
        lengths = self.lengths.take(notes)
        return self._concepts.rows.take(self._positions(notes, lengths)), lengths

    def counts(self, notes: IntegerArray) -> Int32Array:
        """Return the counts parallel to ``concepts(notes)``."""
        counts: Int32Array = self._counts.rows[self._positions(notes, self.lengths[notes])]
        return counts

    def _positions(self, notes: IntegerArray, lengths: Int64Array) -> Int64Array:
        """Return the positions of the rows of ``notes`` in the flat arrays."""
        return positions_of_runs(self._starts.rows.take(notes), lengths)

    def _compact(self) -> None:
        notes = np.flatnonzero(self.lengths)
        concepts, lengths = self.concepts(notes)
        counts = self.counts(notes)
        self._concepts.replace(concepts)
        self._counts.replace(counts)
        self._starts.set(notes, np.cumsum(lengths) - lengths)
        self._garbage_count, self.layout = 0, object()
