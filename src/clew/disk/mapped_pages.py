"""Mapping a file, and releasing pages that were read: then they do not count as memory any more.

Released pages stay in the system's cache, and are mapped again when they are read again. The system
maps more than the page that is read: Linux 64 KiB around it, and as much as 2 MiB where its cache
holds the file in such pieces. So reading small records here and there soon maps a whole column.
"""

import mmap
from io import BufferedReader

import numpy as np

from clew.disk.durable import size_of

WINDOW_BYTES = 2 * 1024 * 1024  # mapped at most by one read
_PAGE_BYTES = mmap.PAGESIZE


def mapped(file: BufferedReader) -> memoryview:
    """Map a whole file for reading; it stays mapped until nobody uses the memory any more."""
    if not size_of(file.fileno()):
        return memoryview(b"")  # an empty file cannot be mapped
    return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


class MappedPages:
    """Releases the pages of a part of a mapped file once ``windows_max`` windows were read."""

    __slots__ = ("_part", "_windows", "_windows_max")

    def __init__(self, part: memoryview, windows_max: int) -> None:
        self._part, self._windows_max = part, windows_max
        self._windows: set[int] = set()

    def add(self, start: int) -> None:
        """Take note of a short read at ``start`` of the part."""
        self._windows.add(start // WINDOW_BYTES)
        if len(self._windows) > self._windows_max:
            self._windows = {start // WINDOW_BYTES}  # of other threads' reads, some may be lost
            release_pages(self._part)


def release_pages(part: memoryview) -> None:
    """Release the pages that lie in ``part`` of a mapped file, or the whole file."""
    mapping = part.obj
    if not isinstance(mapping, mmap.mmap) or not hasattr(mmap, "MADV_DONTNEED") or not len(part):
        return
    first = _address(part) - _address(memoryview(mapping))
    start = first + -first % _PAGE_BYTES
    end = first + len(part)
    if start < end:
        mapping.madvise(mmap.MADV_DONTNEED, start, end - start)


def _address(data: memoryview) -> int:
    return int(np.frombuffer(data, np.uint8).ctypes.data)
