"""Looks that the server asked for, and when each may be answered."""

import time
from dataclasses import dataclass, replace

from clew.engine.indexer import Absorbed
from clew.values import ipc

Unsettled = frozenset[tuple[str, int]]  # what was seen and does not count yet


@dataclass(slots=True)
class _Tally:
    """How many notes were changed, since the start."""

    added: int = 0
    modified: int = 0
    removed: int = 0


@dataclass(slots=True)
class _Waiting:
    """Someone who asked for a look, and what must count before it is answered."""

    look: ipc.WalkRequest
    before: _Tally
    began_s: float  # on the monotonic clock
    unsettled: Unsettled = frozenset()


class Looks:
    """Those who asked: before the look that will answer them has begun, and after."""

    def __init__(self) -> None:
        self._asked: list[ipc.WalkRequest] = []
        self._begun: list[_Waiting] = []
        self._waiting: list[_Waiting] = []
        self._tally = _Tally()

    @property
    def are_asked(self) -> bool:
        """Whether someone waits for a look to begin."""
        return bool(self._asked)

    def ask(self, look: ipc.WalkRequest) -> None:
        """Take in a request."""
        self._asked.append(look)

    def begin(self) -> bool:
        """Begin a look at the whole vault; return whether it is to read every note again."""
        began_s = time.monotonic()
        self._begun = [_Waiting(look, replace(self._tally), began_s) for look in self._asked]
        self._asked = []
        return any(waiting.look.full for waiting in self._begun)

    def count(self, absorbed: Absorbed) -> None:
        """Count what a round of reading changed."""
        self._tally.added += absorbed.added
        self._tally.modified += absorbed.modified
        self._tally.removed += absorbed.removed

    def end(self, unsettled: Unsettled) -> None:
        """Note that the look has ended; all of ``unsettled`` must count before it is answered."""
        for waiting in self._begun:
            waiting.unsettled = unsettled
        self._waiting += self._begun
        self._begun = []

    def answers(self, unsettled: Unsettled) -> list[ipc.WalkReply]:
        """Return the answers that are due, now that only ``unsettled`` does not count yet."""
        for waiting in self._waiting:
            waiting.unsettled &= unsettled
        due = [waiting for waiting in self._waiting if not waiting.unsettled]
        self._waiting = [waiting for waiting in self._waiting if waiting.unsettled]
        return [
            ipc.WalkReply(
                ticket=waiting.look.ticket,
                added=self._tally.added - waiting.before.added,
                modified=self._tally.modified - waiting.before.modified,
                removed=self._tally.removed - waiting.before.removed,
                took_ms=round((time.monotonic() - waiting.began_s) * 1000, 3),
                failure=None,
            )
            for waiting in due
        ]

    def refusals(self, failure: str) -> list[ipc.WalkReply]:
        """Return the answers to all whose look could not be made, or not be finished."""
        refused = [*self._begun, *self._waiting]
        self._begun, self._waiting = [], []
        return [ipc.WalkReply(each.look.ticket, 0, 0, 0, 0.0, failure) for each in refused]
