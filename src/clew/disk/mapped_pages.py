"""Mapping a file, and releasing pages that were read: then they do not count as memory any more.

Released pages stay in the system's cache, and are mapped again when they are read again. The system
maps more than the page that is read: Linux 64 KiB around it, and as much as 2 MiB where its cache
holds the file in such pieces. So reading small records here and there soon maps a whole column.
"""

import mmap
import os
from io import BufferedReader

import numpy as np

from clew.disk.durable import size_of

_PAGE_BYTES = mmap.PAGESIZE


class MappedFile(mmap.mmap):
    """A file mapped for reading, which stays open to be read without mapping its pages."""

    descriptor: int | None = None

    def __del__(self) -> None:
        """Close the file: nobody uses the memory any more."""
        if self.descriptor is not None:
            os.close(self.descriptor)


def mapped(file: BufferedReader) -> memoryview:
    """Map a whole file for reading; it stays mapped as long as its memory is in use."""
    if not size_of(file.fileno()):
        return memoryview(b"")  # an empty file cannot be mapped
    mapping = MappedFile(file.fileno(), 0, access=mmap.ACCESS_READ)
    mapping.descriptor = os.dup(file.fileno())
    return memoryview(mapping)


class PartReader:
    """Copies pieces of a part of a mapped file, so that no pages of it are mapped for them."""

    __slots__ = ("_descriptor", "_first", "_part")

    def __init__(self, part: memoryview) -> None:
        self._part = part  # it keeps the file open
        self._descriptor: int | None = None
        self._first = 0  # where the part begins in the file
        if isinstance(part.obj, MappedFile) and len(part):
            self._descriptor = part.obj.descriptor
            self._first = _place_in(part.obj, part)

    def read(self, start: int, end: int) -> memoryview:
        """Return the bytes from ``start`` to before ``end`` of the part.

        Raises:
            OSError: the disk fails; to read them where they are mapped would end the process.
        """
        if self._descriptor is None:
            return self._part[start:end]
        copied = os.pread(self._descriptor, end - start, self._first + start)
        # Where another program cut the file short, reading the mapped part ends the process, as any
        # other read of it does, and the next process builds the index again.
        return memoryview(copied) if len(copied) == end - start else self._part[start:end]


def release_pages(part: memoryview) -> None:
    """Release the pages that lie in ``part`` of a mapped file, or the whole file."""
    mapping = part.obj
    if not isinstance(mapping, mmap.mmap) or not hasattr(mmap, "MADV_DONTNEED") or not len(part):
        return
    first = _place_in(mapping, part)
    start = first + -first % _PAGE_BYTES
    end = first + len(part)
    if start < end:
        mapping.madvise(mmap.MADV_DONTNEED, start, end - start)


def _place_in(mapping: mmap.mmap, part: memoryview) -> int:
    return _address(part) - _address(memoryview(mapping))


def _address(data: memoryview) -> int:
    return int(np.frombuffer(data, np.uint8).ctypes.data)
