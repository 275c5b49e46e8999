"""The dates of events on disk, by note path: the user's own data, which no rebuild can restore.

There are two kinds of events: explicit reads, and edits that the daemon saw. Reads have the files::

    <folder>/reads.json     all dates by note path, with a checksum
    <folder>/reads.log      a journal of the dates since
    <folder>/reads.json.damaged    an earlier ``reads.json`` that could not be decoded

Files of edits are named ``edits``. A path keeps its latest date until a renamed note leaves it.
What is saved is applied in order, and applying all of it twice changes nothing. Invariant: an added
date is lost only through a power cut right afterwards, damage, or too many later dates; a file that
cannot be read is never truncated or overwritten. Reads no clock and no notes: callers pass paths
and times.
"""

import errno
import json
import math
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple

from clew.disk.checked import Damaged, checked_text, text_with_checksum
from clew.disk.durable import DISK, Disk, ensure_folder, open_state_file, replace_file
from clew.disk.journal import Journal, empty_journal_end, read_journal
from clew.engine.note_dates import EDITS_MAX, READS_MAX


class DateFiles(NamedTuple):
    """The files of one kind of dates."""

    name: str  # of both files, and of the field with the dates in the JSON file
    seed: bytes  # of the journal's checksums
    paths_max: int  # the oldest dates are dropped first


READS = DateFiles("reads", b"clew read dates 1", READS_MAX)
EDITS = DateFiles("edits", b"clew edit dates 1", EDITS_MAX)

# In place of a path: the position of the log up to which the dates have followed renamed notes, see
# ``engine/note_dates.py``. Earlier versions read it as the date of a note that does not exist.
FOLLOWED = ""
# In place of a date: a renamed note has left the path. Earlier versions ignore it.
_LEFT_S = -math.inf

UNSAVED_LEFT_MAX = 10_000  # each addition tries to save them; of more, the oldest keep their dates
_FILE_BYTES_MAX = 256 * 1024 * 1024
# Exceptions of decoding JSON that has another shape.
_DECODE_ERRORS = (
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
    OverflowError,
    RecursionError,
)


class PathDates:
    """Loads and saves one kind of dates of one vault in a folder."""

    def __init__(self, folder: str, files: DateFiles, disk: Disk = DISK) -> None:
        self._files = files
        self._folder = os.path.abspath(folder)
        self._path = os.path.join(self._folder, f"{files.name}.json")
        self._log_path = os.path.join(self._folder, f"{files.name}.log")
        self._disk = disk
        self._log: Journal | None = None  # None until the log is read
        self._unsaved_left: dict[str, float] = {}  # paths that could not be saved as left

    @property
    def log_bytes(self) -> int:
        """Return the size of the log, 0 until it is read."""
        return self._log.end.size_bytes if self._log else 0

    def load(self) -> dict[str, float]:
        """Return the dates, POSIX seconds by path; unreadable files are treated as empty."""
        parts: list[Mapping[str, float]] = []
        with suppress(OSError, Damaged):
            parts.append(self._read_file())
        with suppress(OSError):
            parts.extend(self._read_log())
        return self._latest(parts)

    def add(self, dates_s: Mapping[str, float], left: Iterable[str] = ()) -> None:
        """Save that the paths ``left`` have no date, and additional dates; they survive a crash.

        Raises:
            OSError: these dates were not saved; all earlier ones are intact.
        """
        self._unsaved_left |= dict.fromkeys(left, _LEFT_S)
        while len(self._unsaved_left) > UNSAVED_LEFT_MAX:
            del self._unsaved_left[next(iter(self._unsaved_left))]
        if self._log is None:
            self._read_log()
        ensure_folder(self._disk, self._folder)
        assert self._log is not None
        self._log.append(json.dumps({**self._unsaved_left, **dates_s}).encode())
        self._unsaved_left = {}

    def compact(self, dates_s: Mapping[str, float]) -> None:
        """Write ``dates_s`` and all saved dates into one file, and start a new log.

        A damaged file is renamed first, not overwritten.

        Raises:
            OSError: a file cannot be read or written; no date is lost.
        """
        ensure_folder(self._disk, self._folder)
        parts = [*self._read_log(), self._unsaved_left, dates_s]
        try:
            parts.insert(0, self._read_file())
        except Damaged:
            self._disk.rename(self._path, f"{self._path}.damaged")
        self._disk.sync_folder(os.path.dirname(self._folder))
        replace_file(self._disk, self._path, [self._encode(self._latest(parts))])
        with suppress(FileNotFoundError):
            self._disk.unlink(self._log_path)
        self.close()
        self._log = Journal(self._log_path, empty_journal_end(self._files.seed), self._disk)
        self._unsaved_left = {}

    def close(self) -> None:
        """Close the log's file."""
        if self._log is not None:
            self._log.close()

    def _read_file(self) -> dict[str, float]:
        """Return the dates of the file, or no dates if there is no such file.

        Raises:
            OSError: the file cannot be read.
            Damaged: its content does not match its checksum.
        """
        try:
            with open_state_file(self._folder, os.path.basename(self._path)) as file:
                return _decode(checked_text(self._files.name, file.read(_FILE_BYTES_MAX)))
        except FileNotFoundError:
            return {}
        except _DECODE_ERRORS as error:
            raise Damaged from error

    def _read_log(self) -> list[dict[str, float]]:
        """Open the log for appending and return its dates.

        Raises:
            OSError: the log cannot be read.
        """
        self.close()
        self._log = None
        payloads, end = read_journal(self._log_path, self._files.seed)
        self._log = Journal(self._log_path, end, self._disk)
        found = []
        for payload in payloads:
            with suppress(*_DECODE_ERRORS):
                found.append(_decode(payload.decode()))
        return found

    def _encode(self, dates_s: Mapping[str, float]) -> bytes:
        body = json.dumps(dict(sorted(dates_s.items())))
        data = text_with_checksum(self._files.name, body)
        if len(data) > _FILE_BYTES_MAX:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), self._path)
        return data

    def _latest(self, parts: Iterable[Mapping[str, float]]) -> dict[str, float]:
        """Return the latest date of each path since it was left; of too many, drop the oldest."""
        latest: dict[str, float] = {}
        for dates_s in parts:
            for path, date_s in dates_s.items():
                if date_s == _LEFT_S:
                    latest.pop(path, None)
                elif math.isfinite(date_s):
                    is_position = path == FOLLOWED
                    latest[path] = date_s if is_position else max(date_s, latest.get(path, date_s))
        if len(latest) > self._files.paths_max:
            followed = {path: latest.pop(path) for path in (FOLLOWED,) if path in latest}
            newest = sorted(latest.items(), key=lambda item: (-item[1], item[0]))
            return {**dict(newest[: self._files.paths_max]), **followed}
        return latest


def _decode(text: str) -> dict[str, float]:
    return {str(path): float(date_s) for path, date_s in json.loads(text).items()}
