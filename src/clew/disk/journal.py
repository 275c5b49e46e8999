"""An append-only file of records, each provably the next one of its owner.

A record is its length, a checksum, and its payload. The checksum covers the payload and the
checksum before it; the first one covers the owner's seed. So one good checksum vouches for all
that came before it, in this order and for this owner, and reading stops at the first record that
is torn, altered, out of place, or another owner's.

Invariant: what is read back is a prefix of what was appended, and all of it unless the machine
lost power or the bytes were altered; an append that failed is not in it. Knows nothing of what
the payloads mean, nor when the file should be started anew.
"""

import errno
import os
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from struct import Struct
from typing import BinaryIO

from clew.disk.durable import Disk, open_own, size_of, write_all

RECORD_BYTES_MAX = 64 * 1024 * 1024
JOURNAL_BYTES_MAX = 1024 * 1024 * 1024

_HEADER = Struct("<I32s")  # the payload's length; sha256 over the checksum before and the payload


@dataclass(frozen=True, slots=True)
class Mark:
    """Where the records of a journal end."""

    end_bytes: int
    record_count: int
    checksum: bytes  # of the last record, or of the seed when there is none


def start_mark(seed: bytes) -> Mark:
    """Return the end of an owner's journal that has no records."""
    return Mark(0, 0, sha256(seed).digest())


def read_journal(path: str, seed: bytes) -> tuple[list[bytes], Mark]:
    """Return the payloads of an owner's journal, as many as are good, and where they end.

    Raises:
        OSError: there is a file, but it cannot be read.
    """
    mark = start_mark(seed)
    payloads: list[bytes] = []
    try:
        file = open_own(os.path.dirname(path), os.path.basename(path))
    except FileNotFoundError:
        return payloads, mark
    with file:
        limit_bytes = min(size_of(file.fileno()), JOURNAL_BYTES_MAX)
        while (record := _next_record(file, mark, limit_bytes)) is not None:
            payload, mark = record
            payloads.append(payload)
    return payloads, mark


def _next_record(file: BinaryIO, mark: Mark, limit_bytes: int) -> tuple[bytes, Mark] | None:
    header = file.read(_HEADER.size)
    if len(header) < _HEADER.size:
        return None
    length, checksum = _HEADER.unpack(header)
    end_bytes = mark.end_bytes + _HEADER.size + length
    if length > RECORD_BYTES_MAX or end_bytes > limit_bytes:
        return None
    payload = file.read(length)
    if _checksum(mark, payload) != checksum:
        return None
    return payload, Mark(end_bytes, mark.record_count + 1, checksum)


def _checksum(mark: Mark, payload: bytes) -> bytes:
    total = sha256(mark.checksum)
    total.update(payload)
    return total.digest()


class Journal:
    """Adds records to a journal; the file is opened, and made, by the first of them.

    Whatever the file holds after ``mark`` is cut off before anything is added: the torn end that
    a crash left, or what an append that failed has written.
    """

    def __init__(self, path: str, mark: Mark, disk: Disk) -> None:
        self._path = path
        self._mark = mark
        self._disk = disk
        self._descriptor: int | None = None
        self._ends_at_mark = False
        self._is_lost = False

    @property
    def mark(self) -> Mark:
        """Return where the records end."""
        return self._mark

    def append(self, payload: bytes) -> None:
        """Add a record. From then on a crash of this process cannot lose it; a power cut can.

        Raises:
            OSError: it was not added; the records before it are as they were.
        """
        end_bytes = self._mark.end_bytes + _HEADER.size + len(payload)
        if len(payload) > RECORD_BYTES_MAX or end_bytes > JOURNAL_BYTES_MAX:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), self._path)
        checksum = _checksum(self._mark, payload)
        descriptor = self._ready()
        self._ends_at_mark = False
        write_all(self._disk, descriptor, _HEADER.pack(len(payload), checksum) + payload)
        self._ends_at_mark = True
        self._mark = Mark(end_bytes, self._mark.record_count + 1, checksum)

    def sync(self) -> None:
        """Return when a power cut can no longer lose any record.

        Raises:
            OSError: it still can. The journal takes no more then: after one failure the system
                may call later syncs a success although bytes before them were never written.
        """
        if self._mark.record_count == 0:
            return
        descriptor = self._ready()
        self._is_lost = True
        self._disk.sync(descriptor)
        self._disk.sync_folder(os.path.dirname(self._path))
        self._is_lost = False

    def close(self) -> None:
        """Let go of the file; a later append opens it again."""
        if self._descriptor is not None:
            with suppress(OSError):
                self._disk.close(self._descriptor)
            self._descriptor = None
            self._ends_at_mark = False

    def _ready(self) -> int:
        """Return the file's descriptor, the file ending where the records do."""
        if self._is_lost:
            raise OSError(errno.EIO, "a sync failed: the journal must be started anew", self._path)
        if self._descriptor is None:
            self._descriptor = self._disk.open_append(self._path)
        if not self._ends_at_mark:
            size = size_of(self._descriptor)
            if size < self._mark.end_bytes:
                raise OSError(errno.EIO, "the journal has lost records", self._path)
            if size > self._mark.end_bytes:
                self._disk.truncate(self._descriptor, self._mark.end_bytes)
            self._ends_at_mark = True
        return self._descriptor
