"""Columns: the form in which indexes are stored, and read in place from one mapped file.

A column is a name and a run of bytes. A file has its columns one after the other, each at a
multiple of ``_ALIGNMENT``, then a directory of names, offsets and lengths, and at the end the
length of the directory. So opening a file needs no pass over the data, and arrays are not copied.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from struct import Struct

import msgspec
import numpy as np
import numpy.typing as npt

from clew.values.arrays import AnyArray

Column = tuple[str, Iterable[bytes | memoryview]]  # its name, and its bytes in pieces

PIECE_BYTES = 1024 * 1024  # approximate size of one write
_ALIGNMENT = 64
_TRAILER = Struct("<Q")
_Directory = dict[str, tuple[int, int]]  # name -> offset, length


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a file whose names begin with ``prefix``: those of one index."""

    parts: Mapping[str, memoryview]
    prefix: str = ""

    def of(self, name: str) -> "Columns":
        """Return the columns of one part of this index."""
        return Columns(self.parts, f"{self.prefix}{name}.")

    def data(self, name: str) -> memoryview:
        """Return the bytes of a column.

        Raises:
            LookupError: there is no such column.
        """
        return self.parts[self.prefix + name]

    def array(self, name: str, dtype: npt.DTypeLike) -> AnyArray:
        """Return a column as a read-only array, without copying it.

        Raises:
            LookupError: there is no such column.
            ValueError: its length is not a multiple of an item's.
        """
        return np.frombuffer(self.data(name), dtype)


def named(prefix: str, columns: Iterable[Column]) -> Iterator[Column]:
    """Yield ``columns`` as the part ``prefix`` of an index."""
    for name, pieces in columns:
        yield f"{prefix}.{name}", pieces


def array_column(name: str, array: AnyArray) -> Column:
    """Return an array as a column."""
    data = np.ascontiguousarray(array).data.cast("B") if array.size else memoryview(b"")
    return name, (data[n : n + PIECE_BYTES] for n in range(0, len(data), PIECE_BYTES))


def file_pieces(columns: Iterable[Column]) -> Iterator[bytes]:
    """Yield the bytes of a file of ``columns``; consumes each column before the next.

    Raises:
        ValueError: two columns have one name.
    """
    directory: _Directory = {}
    waiting = bytearray()
    size = 0  # bytes of the file so far
    for name, pieces in columns:
        if name in directory:
            raise ValueError(f"two columns named {name}")
        start = size
        for piece in pieces:
            size += len(piece)
            waiting += piece
            if len(waiting) >= PIECE_BYTES:
                yield bytes(waiting)
                waiting.clear()
        directory[name] = (start, size - start)
        padding = -size % _ALIGNMENT
        waiting += bytes(padding)
        size += padding
    listing = msgspec.msgpack.encode(directory)
    yield bytes(waiting + listing + _TRAILER.pack(len(listing)))


def split_file(data: memoryview) -> Columns:
    """Return the columns of a file, which share its memory.

    Raises:
        ValueError: it is not a file of columns.
    """
    if len(data) < _TRAILER.size:
        raise ValueError("too short for a file of columns")
    (length,) = _TRAILER.unpack_from(data, len(data) - _TRAILER.size)
    end = len(data) - _TRAILER.size - length
    if end < 0:
        raise ValueError("the directory is longer than the file")
    directory = msgspec.msgpack.decode(data[end : end + length], type=_Directory)
    parts = {}
    for name, (start, size) in directory.items():
        if not 0 <= start <= start + size <= end:
            raise ValueError(f"the column {name} is not in the file")
        parts[name] = data[start : start + size]
    return Columns(parts)
