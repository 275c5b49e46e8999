"""Sessions kept in the state folder: all are in memory, and each change is saved first.

Invariant: ``sessions`` equals the state on the disk. A change is visible once it is saved. The
mapping and its values are immutable, so other threads may read them; one thread makes all changes.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple, TypeVar

from clew.disk.checked import Damaged
from clew.disk.durable import Disk
from clew.engine.sessions.session_files import NO_TURNS, SessionFiles, TurnsEnd, session_stem
from clew.values.errors import TooLarge
from clew.values.memory.turns import ScratchEntry, Session, Turn, new_turn

SESSIONS_MAX = 10_000
TURNS_MAX = 10_000  # of one session
CHARACTERS_MAX = 64 * 1024 * 1024  # of all turns and scratch values
SCRATCH_CHARACTERS_MAX = 1024 * 1024  # of one session's keys and values
SCRATCH_VALUE_MAX = 256 * 1024  # characters
SCRATCH_KEYS_MAX = 1_000  # of one session
TURN_CHARACTERS = 100  # added to the length of each turn, for its overhead
SHARED = ""  # the id of the scratch values that no session owns

T = TypeVar("T")
_BEGIN_ANOTHER = "begin another session"
_REMOVE_OLD = "delete sessions that are no longer needed (clew session delete)"
_CLEAR_SCRATCH = "clear values that are no longer needed"


class _Read(NamedTuple):
    """A session read from its files, and the position where its next turn is appended."""

    session: Session
    end: TurnsEnd


class SessionStore:
    """The sessions of one vault."""

    def __init__(self, folder: str, disk: Disk) -> None:
        self._files = SessionFiles(os.path.join(folder, "sessions"), disk)
        self._ends: dict[str, TurnsEnd] = {}
        self._characters = 0
        self._is_loaded = False
        self.sessions: Mapping[str, Session] = {}  # by id

    def load(self) -> Mapping[str, Session]:
        """Return all sessions, which are read at the first call; unreadable files are left out.

        Raises:
            OSError: the folder cannot be read.
        """
        if not self._is_loaded:
            sessions: dict[str, Session] = {}
            for stem in self._files.stems():
                with suppress(OSError):  # A change to this session raises the error.
                    if read := self._read(stem):
                        sessions[read.session.id] = read.session
                        self._ends[read.session.id] = read.end
            self.sessions = sessions
            self._characters = sum(map(_characters, sessions.values()))
            self._is_loaded = True
        return self.sessions

    def append(self, session_id: str, role: str, text: str, time_s: float) -> Turn:
        """Add a turn; it is on the disk afterwards.

        Raises:
            TooLarge: the session, or all of them together, would be over their bounds.
            OSError: saving failed; ``sessions`` shows the state on the disk, if that is readable.
        """
        session = self._session(session_id)
        if len(session.turns) >= TURNS_MAX:
            raise TooLarge(f"a session has at most {TURNS_MAX} turns", _BEGIN_ANOTHER)
        turn = new_turn(session_id, len(session.turns) + 1, role, text, time_s)
        self._check_room(session, TURN_CHARACTERS + len(role) + len(text))
        end = self._ends.get(session_id, NO_TURNS.end)
        self._ends[session_id] = self._saved(session_id, lambda: self._files.append_turn(turn, end))
        self._publish(replace(session, turns=(*session.turns, turn)))
        return turn

    def set_scratch(self, session_id: str, key: str, value: str, time_s: float) -> None:
        """Set a scratch value; it is on the disk afterwards.

        Raises:
            TooLarge: the value, or all of the session together, would be over its bound.
            OSError: saving failed; ``sessions`` shows the state on the disk, if that is readable.
        """
        if len(value) > SCRATCH_VALUE_MAX:
            message = f"a scratch value has at most {SCRATCH_VALUE_MAX} characters"
            raise TooLarge(f"{message}, not {len(value)}", "keep it in a note or a file")
        session = self._session(session_id)
        scratch = {**session.scratch, key: ScratchEntry(value, time_s)}
        if len(scratch) > SCRATCH_KEYS_MAX:
            message = f"a session has at most {SCRATCH_KEYS_MAX} scratch values"
            raise TooLarge(message, _CLEAR_SCRATCH)
        if _scratch_characters(scratch) > SCRATCH_CHARACTERS_MAX:
            message = f"the scratch of a session has at most {SCRATCH_CHARACTERS_MAX} characters"
            raise TooLarge(message, _CLEAR_SCRATCH)
        more = _scratch_characters(scratch) - _scratch_characters(session.scratch)
        self._check_room(session, more)
        self._replace_scratch(session, scratch)

    def clear_scratch(self, session_id: str, key: str | None) -> int:
        """Remove a scratch value, or without a key all of a session; return how many were removed.

        Raises:
            OSError: saving failed; ``sessions`` shows the state on the disk, if that is readable.
        """
        session = self._session(session_id)
        kept = {} if key is None else {k: v for k, v in session.scratch.items() if k != key}
        cleared = len(session.scratch) - len(kept)
        if cleared:
            self._replace_scratch(session, kept)
        return cleared

    def delete(self, session_id: str, time_s: float) -> Session | None:
        """Remove a session with its turns and scratch values; return it, or ``None`` without one.

        Raises:
            OSError: the session may or may not be deleted.
        """
        self.load()
        session = self.sessions.get(session_id) or self._read_anew(session_id)
        if session is None:
            return None
        end = self._ends.get(session_id, NO_TURNS.end)
        try:
            self._files.delete(session_id, end, time_s)
        except OSError:
            with suppress(OSError):
                # If the tombstone is written, the next read removes the files that are left.
                is_deleted = self._files.is_deleted(session_id)
                self._show(session_id, None if is_deleted else self._read(session_stem(session_id)))
            raise
        self._show(session_id, None)
        return session

    def save_all(self) -> None:
        """Write the files of all sessions again, after the folder was removed or replaced.

        Raises:
            OSError: some files are not written.
        """
        for session in self.sessions.values():
            if session.turns:
                self._ends[session.id] = self._files.write_turns(session.id, session.turns)
            if session.scratch:
                self._files.write_scratch(session.id, session.scratch)

    def _session(self, session_id: str) -> Session:
        """Return the session with an id, or a new empty one.

        Raises:
            OSError: the files of the session cannot be read.
            TooLarge: there are too many sessions to begin another.
        """
        self.load()
        session = self.sessions.get(session_id) or self._read_anew(session_id)
        if session is None and len(self.sessions) >= SESSIONS_MAX:
            message = f"there are {SESSIONS_MAX} sessions, which is as many as are kept"
            raise TooLarge(message, _REMOVE_OLD)
        return session or Session(session_id)

    def _check_room(self, session: Session, characters: int) -> None:
        if self._characters + characters > CHARACTERS_MAX:
            message = f"all sessions together have at most {CHARACTERS_MAX} characters"
            raise TooLarge(message, _CLEAR_SCRATCH if session.scratch else _REMOVE_OLD)

    def _replace_scratch(self, session: Session, scratch: Mapping[str, ScratchEntry]) -> None:
        self._saved(session.id, lambda: self._files.write_scratch(session.id, scratch))
        self._publish(replace(session, scratch=scratch))

    def _saved(self, session_id: str, write: Callable[[], T]) -> T:
        """Return the result of ``write``; if it fails, read the session from the disk again."""
        try:
            return write()
        except OSError:
            with suppress(OSError):
                self._reload(session_id)
            raise

    def _reload(self, session_id: str) -> None:
        """Read a session again, but keep the one in memory if the disk has fewer turns.

        In that case the state folder was removed or replaced, and ``save_all`` writes them again.
        """
        kept_count = len(self.sessions[session_id].turns) if session_id in self.sessions else 0
        read = self._read(session_stem(session_id))
        if len(read.session.turns if read else ()) >= kept_count:
            self._show(session_id, read)

    def _show(self, session_id: str, read: _Read | None) -> None:
        """Make a session visible as it was read from its files; ``None``: it has no files."""
        self._publish(read.session if read else Session(session_id))
        self._ends[session_id] = read.end if read else NO_TURNS.end

    def _read_anew(self, session_id: str) -> Session | None:
        """Read a session that is not in memory; return it, or ``None`` if it has no files.

        Raises:
            OSError: its files cannot be read.
        """
        read = self._read(session_stem(session_id))
        if read is None:
            return None
        self._publish(read.session)
        self._ends[session_id] = read.end
        return read.session

    def _read(self, stem: str) -> _Read | None:
        turns, end = self._files.read_turns(stem)
        try:
            session_id, scratch = self._files.read_scratch(stem) or (None, {})
        except Damaged:
            self._files.set_damaged_aside(stem)
            session_id, scratch = None, {}
        session_id = turns[0].session_id if turns else session_id
        return None if session_id is None else _Read(Session(session_id, turns, scratch), end)

    def _publish(self, session: Session) -> None:
        """Replace the visible session; an empty session is removed."""
        sessions = dict(self.sessions)
        if before := sessions.pop(session.id, None):
            self._characters -= _characters(before)
        if session.turns or session.scratch:
            sessions[session.id] = session
            self._characters += _characters(session)
        self.sessions = sessions


def _characters(session: Session) -> int:
    texts = sum(len(turn.text) + len(turn.role) + TURN_CHARACTERS for turn in session.turns)
    return texts + _scratch_characters(session.scratch)


def _scratch_characters(scratch: Mapping[str, ScratchEntry]) -> int:
    return sum(len(key) + len(entry.value) for key, entry in scratch.items())
