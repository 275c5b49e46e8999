"""Checksums of large files, made of the checksums of their parts.

So several threads verify one file: at a gigabyte a core takes most of a second, during which the
other cores of a machine that starts a daemon have nothing to do.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import sha256

PART_BYTES = 16 * 1024 * 1024
THREADS_MAX = 4
_READ_BYTES = 1024 * 1024


class PartChecksums:
    """The checksum of bytes that come in pieces of any size."""

    def __init__(self) -> None:
        self._parts, self._part, self._part_bytes = sha256(), sha256(), 0

    def update(self, piece: bytes) -> None:
        """Add bytes."""
        rest = memoryview(piece)
        while rest:
            some = rest[: PART_BYTES - self._part_bytes]
            rest = rest[len(some) :]
            self._part.update(some)
            self._part_bytes += len(some)
            if self._part_bytes == PART_BYTES:
                self._parts.update(self._part.digest())
                self._part, self._part_bytes = sha256(), 0

    def hexdigest(self) -> str:
        """Return the checksum of all bytes so far."""
        parts = self._parts.copy()
        if self._part_bytes:
            parts.update(self._part.digest())
        return parts.hexdigest()


def checksum_of_file(descriptor: int, size_bytes: int) -> str:
    """Return the checksum of the first ``size_bytes`` of an open file, read by several threads.

    Raises:
        OSError: it cannot be read.
    """
    firsts = range(0, size_bytes, PART_BYTES)
    digest = partial(digest_of_part, descriptor, size_bytes)
    if len(firsts) <= 1:
        digests = list(map(digest, firsts))
    else:
        try:
            with ThreadPoolExecutor(min(THREADS_MAX, len(firsts)), "clew-verify") as threads:
                digests = list(threads.map(digest, firsts))
        except RuntimeError:  # the system lets this process start no thread
            digests = list(map(digest, firsts))
    return sha256(b"".join(digests)).hexdigest()


def digest_of_part(descriptor: int, size_bytes: int, first: int) -> bytes:
    """Return the digest of the part that begins at ``first``; the file ends at ``size_bytes``."""
    checksum = sha256()
    for piece in _pieces(descriptor, first, min(size_bytes, first + PART_BYTES)):
        checksum.update(piece)
    return checksum.digest()


def _pieces(descriptor: int, first: int, end: int) -> Iterator[bytes]:
    while first < end and (piece := os.pread(descriptor, min(_READ_BYTES, end - first), first)):
        first += len(piece)
        yield piece
