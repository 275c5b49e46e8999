"""Stored runs of bytes by number: immutable, and read in place.

``record_columns`` writes the next version: it copies unchanged records as bytes, one piece for each
run of consecutive ones, and encodes only changed records.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from clew.index.structures.columns import PIECE_BYTES, Column, Columns, array_column
from clew.index.structures.id_sums import starts_of_runs
from clew.values.arrays import Int64Array

NEW = -1  # instead of the number of an unchanged record


class Records:
    """Records by number: 0, 1, 2 ..."""

    __slots__ = ("_starts", "data", "starts")

    def __init__(self, columns: Columns) -> None:
        """Read the records that ``record_columns`` wrote.

        Raises:
            ValueError, LookupError: there are none.
        """
        self.starts: Int64Array = columns.array("starts", "<i8")  # and the end of the last
        self.data = columns.data("data")
        self._starts = self.starts.data  # several times as fast for single items as an array
        if not len(self.starts) or self._starts[-1] != len(self.data):
            raise ValueError("records without their ends")

    def __len__(self) -> int:
        return len(self._starts) - 1

    def bounds(self, number: int) -> tuple[int, int]:
        """Return where a record begins in ``data``, and where it ends."""
        return self._starts[number], self._starts[number + 1]

    def raw(self, number: int) -> memoryview:
        """Return the bytes of a record."""
        return self.data[self._starts[number] : self._starts[number + 1]]

    def span(self, first: int, end: int) -> memoryview:
        """Return the bytes of the records from ``first`` to before ``end``."""
        return self.data[self._starts[first] : self._starts[end]]

    def containing(self, part: bytes) -> Iterator[Int64Array]:
        """Yield the numbers of the records that contain ``part``, rising, a portion at a time."""
        first, starts = 0, self.starts
        while first < len(self):
            bound = int(np.searchsorted(starts, starts[first] + PIECE_BYTES, "right")) - 1
            end = max(first + 1, min(len(self), bound))
            rows = starts[first : end + 1] - starts[first]
            yield first + rows_containing(part, self.span(first, end), rows)
            first = end


def rows_containing(part: bytes, data: bytes | memoryview, starts: Int64Array) -> Int64Array:
    """Return the rows of ``data`` that contain ``part``, rising; none if it is empty.

    Row ``n`` is from ``starts[n]`` to ``starts[n + 1]``. The first two bytes are compared at all
    positions at once, the others only at the matching positions.
    """
    text = np.frombuffer(data, np.uint8)
    position_count = len(text) - len(part) + 1
    if not part or position_count <= 0:
        return np.zeros(0, np.int64)
    is_match = text[:position_count] == part[0]
    if len(part) > 1:
        is_match &= text[1 : position_count + 1] == part[1]
    positions = np.flatnonzero(is_match)
    for offset, byte in enumerate(part[2:], 2):
        positions = positions[text[positions + offset] == byte]
    rows: Int64Array = np.searchsorted(starts, positions, "right") - 1
    rows = rows[positions + len(part) <= starts[rows + 1]]  # without matches across two rows
    distinct: Int64Array = rows[starts_of_runs(rows)]
    return distinct


def record_columns(
    base: Records | None, sources: Int64Array, new: Iterable[bytes | memoryview]
) -> Iterator[Column]:
    """Yield the columns of records.

    ``sources``: for each record its number in ``base``, or ``NEW`` if its bytes are the next of
    ``new``. Each column must be consumed before the next is taken.
    """
    lengths = np.zeros(len(sources), np.int64)
    if base is not None:
        old = np.flatnonzero(sources >= 0)
        numbers = sources[old]
        lengths[old] = base.starts[numbers + 1] - base.starts[numbers]
    yield "data", _pieces(base, sources, iter(new), lengths)
    yield array_column("starts", np.concatenate([[0], np.cumsum(lengths)]))


def _pieces(
    base: Records | None,
    sources: Int64Array,
    new: Iterator[bytes | memoryview],
    lengths: Int64Array,
) -> Iterator[bytes | memoryview]:
    """Yield the bytes of all records; enter the lengths of new ones into ``lengths``."""
    for start, end in _runs(sources):
        if sources[start] == NEW:
            for n in range(start, end):
                record = next(new)
                lengths[n] = len(record)
                yield record
        else:
            assert base is not None
            data = base.span(int(sources[start]), int(sources[end - 1]) + 1)
            for n in range(0, len(data), PIECE_BYTES):
                yield data[n : n + PIECE_BYTES]


def _runs(sources: Int64Array) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each run of new records, or of consecutive old ones."""
    if not len(sources):
        return
    is_new = sources == NEW
    continues = np.where(is_new[1:], is_new[:-1], np.diff(sources) == 1)
    continues &= is_new[1:] == is_new[:-1]
    breaks = np.flatnonzero(~continues) + 1
    bounds = [0, *breaks.tolist(), len(sources)]
    yield from pairwise(bounds)
