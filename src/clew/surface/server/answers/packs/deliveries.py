"""The pieces that ``context`` has delivered to each session, so that none is delivered twice.

They are in memory only. The least recently used sessions are evicted, and get pieces again.
"""

from collections import OrderedDict
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import count

SESSIONS_MAX = 256
PIECES_MAX = 20_000  # of one session; the oldest are forgotten first
ALL_PIECES_MAX = 200_000  # of all sessions, 20 MB


@dataclass(slots=True)
class _Session:
    version: int = 0  # changes with the delivered pieces; 0 without any
    pieces: dict[bytes, None] = field(default_factory=dict)  # oldest first


class Deliveries:
    """The pieces delivered to the most recently used sessions."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, _Session] = OrderedDict()
        self._versions = count(1)
        self._piece_count = 0

    def version(self, session_id: str | None) -> int:
        """Return a number that changes whenever a new piece is delivered to the session."""
        session = self._sessions.get(session_id) if session_id is not None else None
        return session.version if session else 0

    def delivered(self, session_id: str | None) -> frozenset[bytes]:
        """Return the digests of the pieces that were delivered to the session."""
        session = self._sessions.get(session_id) if session_id is not None else None
        return frozenset(session.pieces) if session else frozenset()

    def add(self, session_id: str | None, pieces: AbstractSet[bytes]) -> None:
        """Record pieces delivered to a session, by their digests."""
        if session_id is None:
            return
        session = self._sessions.setdefault(session_id, _Session())
        self._sessions.move_to_end(session_id)
        count_before = len(session.pieces)
        has_new = not pieces <= session.pieces.keys()
        for piece in sorted(pieces):
            session.pieces.pop(piece, None)  # so that it is inserted as the newest
            session.pieces[piece] = None
        if has_new:
            session.version = next(self._versions)
            self._piece_count += len(session.pieces) - count_before
        self._forget(session)

    def _forget(self, session: _Session) -> None:
        while len(session.pieces) > PIECES_MAX:
            del session.pieces[next(iter(session.pieces))]
            self._piece_count -= 1
        while len(self._sessions) > SESSIONS_MAX or self._piece_count > ALL_PIECES_MAX:
            _, oldest = self._sessions.popitem(last=False)
            self._piece_count -= len(oldest.pieces)
