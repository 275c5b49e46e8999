"""An append-only file of records, with a chain of checksums.

A record is the length of its payload, a checksum, and the payload. The checksum covers the payload
and the checksum of the record before; that of the first record covers the owner's seed. So one
valid checksum proves all records before it, in this order and for this owner. Reading stops at the
first record that is torn, altered, out of order, or of another owner.

Invariant: the records read are a prefix of the records appended, and all of them unless the machine
lost power or the bytes were altered. A record whose append failed is never read.
"""

import errno
import os
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from struct import Struct
from typing import BinaryIO

from clew.disk.durable import Disk, open_state_file, size_of, write_all

RECORD_BYTES_MAX = 64 * 1024 * 1024
JOURNAL_BYTES_MAX = 1024 * 1024 * 1024

_HEADER = Struct("<I32s")  # length of the payload; sha256 of the previous checksum and the payload


@dataclass(frozen=True, slots=True)
class JournalEnd:
    """The end of the valid records of a journal."""

    size_bytes: int
    record_count: int
    checksum: bytes  # of the last record, or of the seed if there are no records


def empty_journal_end(seed: bytes) -> JournalEnd:
    """Return the end of a journal without records, for the owner with this seed."""
    return JournalEnd(0, 0, sha256(seed).digest())


def read_journal(path: str, seed: bytes) -> tuple[list[bytes], JournalEnd]:
    """Return the payloads of all valid records and the end of the last one.

    Raises:
        OSError: the file exists but cannot be read.
    """
    end = empty_journal_end(seed)
    payloads: list[bytes] = []
    try:
        file = open_state_file(os.path.dirname(path), os.path.basename(path))
    except FileNotFoundError:
        return payloads, end
    with file:
        limit_bytes = min(size_of(file.fileno()), JOURNAL_BYTES_MAX)
        while (record := _read_record(file, end, limit_bytes)) is not None:
            payload, end = record
            payloads.append(payload)
    return payloads, end


def _read_record(
    file: BinaryIO, previous: JournalEnd, limit_bytes: int
) -> tuple[bytes, JournalEnd] | None:
    """Return the payload after ``previous`` and its end, or ``None`` if no valid record follows."""
    header = file.read(_HEADER.size)
    if len(header) < _HEADER.size:
        return None
    length, checksum = _HEADER.unpack(header)
    size_bytes = previous.size_bytes + _HEADER.size + length
    if length > RECORD_BYTES_MAX or size_bytes > limit_bytes:
        return None
    payload = file.read(length)
    if _checksum(previous, payload) != checksum:
        return None
    return payload, JournalEnd(size_bytes, previous.record_count + 1, checksum)


def _checksum(previous: JournalEnd, payload: bytes) -> bytes:
    digest = sha256(previous.checksum)
    digest.update(payload)
    return digest.digest()


class Journal:
    """Appends records to a journal file, which the first append creates or opens.

    Bytes after ``end`` are truncated before anything is appended: a crash or a failed append may
    have left part of a record there.
    """

    def __init__(self, path: str, end: JournalEnd, disk: Disk) -> None:
        self._path = path
        self._end = end
        self._disk = disk
        self._descriptor: int | None = None
        self._is_truncated_to_end = False
        self._has_sync_failed = False

    @property
    def end(self) -> JournalEnd:
        """The end of the last record."""
        return self._end

    def append(self, payload: bytes) -> None:
        """Append a record. After this a crash of the process cannot lose it; a power cut can.

        Raises:
            OSError: the record was not appended; the records before it are unchanged.
        """
        size_bytes = self._end.size_bytes + _HEADER.size + len(payload)
        if len(payload) > RECORD_BYTES_MAX or size_bytes > JOURNAL_BYTES_MAX:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), self._path)
        checksum = _checksum(self._end, payload)
        descriptor = self._open_at_end()
        self._is_truncated_to_end = False
        write_all(self._disk, descriptor, _HEADER.pack(len(payload), checksum) + payload)
        self._is_truncated_to_end = True
        self._end = JournalEnd(size_bytes, self._end.record_count + 1, checksum)

    def sync(self) -> None:
        """Fsync the file and its folder, so that a power cut loses no record.

        Raises:
            OSError: the fsync failed. The journal accepts no more records then: after one failure
                the kernel may report success for later fsyncs although earlier bytes were never
                written.
        """
        if self._end.record_count == 0:
            return
        descriptor = self._open_at_end()
        self._has_sync_failed = True
        self._disk.sync(descriptor)
        self._disk.sync_folder(os.path.dirname(self._path))
        self._has_sync_failed = False

    def close(self) -> None:
        """Close the file; a later append opens it again."""
        if self._descriptor is not None:
            with suppress(OSError):
                self._disk.close(self._descriptor)
            self._descriptor = None
            self._is_truncated_to_end = False

    def _open_at_end(self) -> int:
        """Open the file, truncate it to the end of its records, and return its descriptor."""
        if self._has_sync_failed:
            message = "an fsync failed, so the journal must be started anew"
            raise OSError(errno.EIO, message, self._path)
        if self._descriptor is None:
            self._descriptor = self._disk.open_append(self._path)
        if not self._is_truncated_to_end:
            size = size_of(self._descriptor)
            if size < self._end.size_bytes:
                raise OSError(errno.EIO, "the journal has lost records", self._path)
            if size > self._end.size_bytes:
                self._disk.truncate(self._descriptor, self._end.size_bytes)
            self._is_truncated_to_end = True
        return self._descriptor
