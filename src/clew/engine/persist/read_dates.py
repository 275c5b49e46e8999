"""When notes were last read by someone: the user's own data, which no rebuild brings back.

::

    <folder>/reads.json     dates by note path, whole, with their own checksum
    <folder>/reads.log      a journal of what was read since
    <folder>/reads.json.damaged    an earlier ``reads.json`` that could not be understood

A path has the latest of its dates, so it does not matter how often a date is replayed, nor in
which order the two files came to be. Invariant: what was added stays, short of a power cut right
afterwards, damage, or ``READS_MAX`` later dates; a file that cannot be read now is never cut or
written over. Knows no clock and no notes: paths and times come in.
"""

import errno
import hashlib
import json
import math
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress

from clew.disk.durable import DISK, Disk, ensure_folder, open_state_file, replace_file
from clew.disk.journal import Journal, empty_journal_end, read_journal

READS_MAX = 200_000  # paths; the oldest dates go first

_FILE = "reads.json"
_LOG = "reads.log"
_SEED = b"clew read dates 1"
_FILE_BYTES_MAX = 256 * 1024 * 1024
# What reading JSON of another shape than ours may raise.
_NONSENSE = (
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
    OverflowError,
    RecursionError,
)


class ReadDates:
    """The read dates of one vault, kept in a folder."""

    def __init__(self, folder: str, disk: Disk = DISK) -> None:
        self._folder = os.path.abspath(folder)
        self._path = os.path.join(self._folder, _FILE)
        self._log_path = os.path.join(self._folder, _LOG)
        self._disk = disk
        self._log: Journal | None = None  # until it was read once

    @property
    def log_bytes(self) -> int:
        """Return the size of what was added since the last ``compact``, as far as it was read."""
        return self._log.end.size_bytes if self._log else 0

    def load(self) -> dict[str, float]:
        """Return the dates, POSIX seconds by path; what cannot be read counts as none."""
        found: list[Mapping[str, float]] = []
        with suppress(OSError, _Damaged):
            found.append(self._read_file())
        with suppress(OSError):
            found.extend(self._read_log())
        return _latest(found)

    def add(self, reads_s: Mapping[str, float]) -> None:
        """Keep some more dates; a crash of this process cannot lose them.

        Raises:
            OSError: they are not kept; all others still are.
        """
        if self._log is None:
            self._read_log()
        ensure_folder(self._disk, self._folder)
        assert self._log is not None
        self._log.append(json.dumps(dict(reads_s)).encode())

    def compact(self, reads_s: Mapping[str, float]) -> None:
        """Write ``reads_s`` and all dates there are as one file; start the log anew.

        A file that was damaged is put aside first.

        Raises:
            OSError: something cannot be read or written; no date is lost.
        """
        ensure_folder(self._disk, self._folder)
        found = [reads_s, *self._read_log()]
        try:
            found.append(self._read_file())
        except _Damaged:
            self._disk.rename(self._path, f"{self._path}.damaged")
        self._disk.sync_folder(os.path.dirname(self._folder))
        replace_file(self._disk, self._path, [_encode(_latest(found), self._path)])
        with suppress(FileNotFoundError):
            self._disk.unlink(self._log_path)
        self.close()
        self._log = Journal(self._log_path, empty_journal_end(_SEED), self._disk)

    def close(self) -> None:
        """Let go of the log's file."""
        if self._log is not None:
            self._log.close()

    def _read_file(self) -> dict[str, float]:
        """Return the dates of the whole file, none if there is no file.

        Raises:
            OSError: it cannot be read.
            _Damaged: it was read and is not what was written.
        """
        try:
            with open_state_file(self._folder, _FILE) as file:
                return _decode_checked(file.read(_FILE_BYTES_MAX))
        except FileNotFoundError:
            return {}
        except _NONSENSE as error:
            raise _Damaged from error

    def _read_log(self) -> list[dict[str, float]]:
        """Return the dates of the log, and be ready to add more.

        Raises:
            OSError: it cannot be read.
        """
        self.close()
        self._log = None
        payloads, end = read_journal(self._log_path, _SEED)
        self._log = Journal(self._log_path, end, self._disk)
        found = []
        for payload in payloads:
            with suppress(*_NONSENSE):
                found.append(_decode(payload.decode()))
        return found


class _Damaged(Exception):
    """A file is not what was written."""


def _decode(text: str) -> dict[str, float]:
    return {str(path): float(read_s) for path, read_s in json.loads(text).items()}


def _decode_checked(data: bytes) -> dict[str, float]:
    outer = json.loads(data.decode())
    if hashlib.sha256(outer["reads"].encode()).hexdigest() != outer["sha256"]:
        raise ValueError("not the dates that were written")
    return _decode(outer["reads"])


def _encode(reads_s: Mapping[str, float], path: str) -> bytes:
    body = json.dumps(dict(sorted(reads_s.items())))
    checksum = hashlib.sha256(body.encode()).hexdigest()
    data = json.dumps({"sha256": checksum, "reads": body}).encode()
    if len(data) > _FILE_BYTES_MAX:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
    return data


def _latest(found: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return the latest date of each path, the latest ``READS_MAX`` of them."""
    latest: dict[str, float] = {}
    for reads_s in found:
        for path, read_s in reads_s.items():
            if math.isfinite(read_s) and read_s > latest.get(path, -math.inf):
                latest[path] = read_s
    if len(latest) > READS_MAX:
        newest = sorted(latest.items(), key=lambda item: (-item[1], item[0]))[:READS_MAX]
        return dict(newest)
    return latest
