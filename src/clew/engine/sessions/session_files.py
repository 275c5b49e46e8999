"""The files of sessions: the user's own data, which no rebuild can restore.

Each session has these files, named by a hash of its id, since clients choose ids freely::

    <folder>/<hash>.turns            a journal of its turns, one record each
    <folder>/<hash>.scratch          its scratch values, with a checksum
    <folder>/<hash>.scratch.damaged  an earlier file that could not be decoded

To delete a session, a tombstone is appended to its journal, and then its files are removed. If a
crash leaves files, the next reader of the tombstone removes them. So a session exists whole, or not
at all.

Each record also has the session id, so that a file can be read without the others. A turn is on the
disk when ``append_turn`` returns, and scratch values when ``write_scratch`` does: a kill or power
cut loses neither.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import NamedTuple

from msgspec import DecodeError, Struct, ValidationError, json

from clew.disk.checked import Damaged, checked_text, text_with_checksum
from clew.disk.durable import Disk, ensure_folder, open_state_file, replace_file
from clew.disk.journal import Journal, JournalEnd, empty_journal_end, read_journal
from clew.values.memory.turns import ScratchEntry, Turn, new_turn

FILES_MAX = 50_000  # entries of the folder that are read, whatever their names
SCRATCH_FILE_BYTES_MAX = 16 * 1024 * 1024
TurnsEnd = JournalEnd  # the position after a session's last turn
_SEED = b"clew session turns 1"
_TURNS, _SCRATCH = ".turns", ".scratch"
_DELETED = ""  # the role of the tombstone of a deleted session


class _Record(Struct, frozen=True):
    """A turn as the journal has it."""

    session: str
    role: str
    time: float
    text: str


class _ScratchBody(Struct, frozen=True):
    """The scratch values of a session, each with the time it was set."""

    session: str
    values: dict[str, tuple[float, str]]


class ReadTurns(NamedTuple):
    """The turns of a journal, and the position where the next is appended."""

    turns: tuple[Turn, ...]
    end: JournalEnd


NO_TURNS = ReadTurns((), empty_journal_end(_SEED))


class SessionFiles:
    """Reads and writes the files of sessions in one folder."""

    def __init__(self, folder: str, disk: Disk) -> None:
        self._folder = os.path.abspath(folder)
        self._disk = disk

    def stems(self) -> list[str]:
        """Return the stem of each session's files, sorted.

        Raises:
            OSError: the folder exists and cannot be read.
        """
        stems: dict[str, None] = {}
        with suppress(FileNotFoundError), os.scandir(self._folder) as entries:
            for entry, _ in zip(entries, range(FILES_MAX), strict=False):
                stem, ending = os.path.splitext(entry.name)
                if ending in (_TURNS, _SCRATCH):
                    stems[stem] = None
        return sorted(stems)

    def read_turns(self, stem: str) -> ReadTurns:
        """Return the turns of a session; if it was deleted, remove its files and return none.

        Raises:
            OSError: its journal exists and cannot be read, or its files cannot be removed.
        """
        records, end = self._records(stem)
        if any(row.role == _DELETED for row in records):
            self._remove(stem)
            return NO_TURNS
        turns = (
            new_turn(row.session, number, row.role, row.text, row.time)
            for number, row in enumerate(records, 1)
        )
        return ReadTurns(tuple(turns), end)

    def is_deleted(self, session_id: str) -> bool:
        """Return whether the journal of a session has a tombstone.

        Raises:
            OSError: its journal exists and cannot be read.
        """
        records, _ = self._records(session_stem(session_id))
        return any(row.role == _DELETED for row in records)

    def _records(self, stem: str) -> tuple[list[_Record], JournalEnd]:
        payloads, end = read_journal(self._path(stem, _TURNS), _SEED)
        records: list[_Record] = []
        for payload in payloads:
            with suppress(DecodeError, ValidationError, UnicodeDecodeError):
                row = json.decode(payload, type=_Record)
                if session_stem(row.session) == stem:
                    records.append(row)
        return records, end

    def append_turn(self, turn: Turn, end: JournalEnd) -> JournalEnd:
        """Append a turn to its session's journal, after ``end``; return the new end.

        Raises:
            OSError: the turn may or may not be on the disk; all earlier turns are.
        """
        record = _Record(turn.session_id, turn.role, turn.time_s, turn.text)
        path = self._path(session_stem(turn.session_id), _TURNS)
        return self._append([json.encode(record)], path, end)

    def write_turns(self, session_id: str, turns: Sequence[Turn]) -> JournalEnd:
        """Replace the journal of a session by one with these turns; return its end.

        Raises:
            OSError: the turns could not be written.
        """
        path = self._path(session_stem(session_id), _TURNS)
        records = [_Record(turn.session_id, turn.role, turn.time_s, turn.text) for turn in turns]
        end = self._append(list(map(json.encode, records)), f"{path}.new", NO_TURNS.end)
        self._disk.rename(f"{path}.new", path)
        self._disk.sync_folder(self._folder)
        return end

    def delete(self, session_id: str, end: JournalEnd, time_s: float) -> None:
        """Append a tombstone after ``end``, the end of the journal, and remove the session's files.

        Raises:
            OSError: the session still exists whole, or it is deleted and some files are left.
        """
        stem = session_stem(session_id)
        if end.record_count:
            record = _Record(session_id, _DELETED, time_s, "")
            self._append([json.encode(record)], self._path(stem, _TURNS), end)
        self._remove(stem)

    def _remove(self, stem: str) -> None:
        """Remove all files of a session; the journal with the tombstone goes last."""
        if not os.path.isdir(self._folder):
            return
        for ending in (f"{_SCRATCH}.damaged", _SCRATCH, f"{_TURNS}.new"):
            with suppress(FileNotFoundError):
                self._disk.unlink(self._path(stem, ending))
        self._disk.sync_folder(self._folder)
        with suppress(FileNotFoundError):
            self._disk.unlink(self._path(stem, _TURNS))
            self._disk.sync_folder(self._folder)

    def _append(self, payloads: Sequence[bytes], path: str, end: JournalEnd) -> JournalEnd:
        if not end.record_count:
            self._make_folder()
        journal = Journal(path, end, self._disk)
        try:
            for payload in payloads:
                journal.append(payload)
            journal.sync()
        finally:
            journal.close()
        return journal.end

    def read_scratch(self, stem: str) -> tuple[str, Mapping[str, ScratchEntry]] | None:
        """Return a session's id and scratch values, or ``None`` if it has none.

        Raises:
            OSError: the file exists and cannot be read.
            Damaged: its content does not match its checksum.
        """
        try:
            with open_state_file(self._folder, f"{stem}{_SCRATCH}") as file:
                data = file.read(SCRATCH_FILE_BYTES_MAX)
        except FileNotFoundError:
            return None
        try:
            body = json.decode(checked_text("body", data), type=_ScratchBody)
        except (DecodeError, ValidationError, UnicodeDecodeError) as error:
            raise Damaged from error
        if session_stem(body.session) != stem:
            raise Damaged("the scratch values of another session")
        values = {key: ScratchEntry(value, at) for key, (at, value) in body.values.items()}
        return body.session, values

    def write_scratch(self, session_id: str, scratch: Mapping[str, ScratchEntry]) -> None:
        """Replace a session's scratch values on the disk; without any, remove the file.

        Raises:
            OSError: the disk has either the old values or the new ones, complete.
        """
        self._make_folder()
        path = self._path(session_stem(session_id), _SCRATCH)
        if not scratch:
            with suppress(FileNotFoundError):
                self._disk.unlink(path)
                self._disk.sync_folder(self._folder)
            return
        values = {key: (entry.time_s, entry.value) for key, entry in scratch.items()}
        body = json.encode(_ScratchBody(session_id, values)).decode()
        replace_file(self._disk, path, [text_with_checksum("body", body)])

    def set_damaged_aside(self, stem: str) -> None:
        """Rename a file of scratch values that could not be decoded, so that none overwrites it.

        Raises:
            OSError: it cannot be renamed.
        """
        path = self._path(stem, _SCRATCH)
        self._disk.rename(path, f"{path}.damaged")

    def _make_folder(self) -> None:
        parent = os.path.dirname(self._folder)
        if os.path.isdir(self._folder):
            return
        ensure_folder(self._disk, parent)
        ensure_folder(self._disk, self._folder)
        self._disk.sync_folder(parent)
        self._disk.sync_folder(os.path.dirname(parent))

    def _path(self, stem: str, ending: str) -> str:
        return os.path.join(self._folder, f"{stem}{ending}")


def session_stem(session_id: str) -> str:
    """Return the name of a session's files, without their endings."""
    return sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]
