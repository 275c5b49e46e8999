"""Requests for a walk over the vault (``waitFresh``, ``sync``), and when each may be answered.

A request is answered by a walk that begins after it was made, once that walk has ended and every
change that it held back is applied.
"""

import time
from dataclasses import dataclass, replace

from clew.engine.reading.steps import Absorbed
from clew.values import ipc

Unsettled = frozenset[tuple[str, int]]  # changes that were observed but are not applied yet


@dataclass(slots=True)
class _ChangeCounts:
    """How many notes were changed since the start."""

    added: int = 0
    modified: int = 0
    removed: int = 0


@dataclass(slots=True)
class _Waiting:
    """A request whose walk has begun, and the changes to apply before it is answered."""

    request: ipc.WalkRequest
    counts_before: _ChangeCounts
    began_s: float  # on the monotonic clock
    unsettled: Unsettled = frozenset()


class WalkRequests:
    """The requests that wait: for a walk to begin, for it to end, for its changes to be applied."""

    def __init__(self) -> None:
        self._pending: list[ipc.WalkRequest] = []
        self._walking: list[_Waiting] = []
        self._settling: list[_Waiting] = []
        self._counts = _ChangeCounts()

    @property
    def are_pending(self) -> bool:
        """Whether any request is waiting for a walk to begin."""
        return bool(self._pending)

    def add(self, request: ipc.WalkRequest) -> None:
        """Add a request; the next walk answers it."""
        self._pending.append(request)

    def begin_walk(self) -> bool:
        """Give all pending requests to the walk that begins; return whether it reads every note."""
        began_s = time.monotonic()
        self._walking = [
            _Waiting(request, replace(self._counts), began_s) for request in self._pending
        ]
        self._pending = []
        return any(waiting.request.full for waiting in self._walking)

    def count(self, absorbed: Absorbed) -> None:
        """Count the changes of one round of reading."""
        self._counts.added += absorbed.added
        self._counts.modified += absorbed.modified
        self._counts.removed += absorbed.removed

    def end_walk(self, unsettled: Unsettled) -> None:
        """Let the requests of the walk that ended wait until ``unsettled`` changes are applied."""
        for waiting in self._walking:
            waiting.unsettled = unsettled
        self._settling += self._walking
        self._walking = []

    def answers(self, unsettled: Unsettled) -> list[ipc.WalkReply]:
        """Return the replies that are due, when only ``unsettled`` is not applied yet."""
        for waiting in self._settling:
            waiting.unsettled &= unsettled
        due = [waiting for waiting in self._settling if not waiting.unsettled]
        self._settling = [waiting for waiting in self._settling if waiting.unsettled]
        return list(map(self._reply, due))

    def _reply(self, waiting: _Waiting) -> ipc.WalkReply:
        before = waiting.counts_before
        return ipc.WalkReply(
            ticket=waiting.request.ticket,
            added=self._counts.added - before.added,
            modified=self._counts.modified - before.modified,
            removed=self._counts.removed - before.removed,
            took_ms=round((time.monotonic() - waiting.began_s) * 1000, 3),
            failure=None,
        )

    def refusals(self, failure: str) -> list[ipc.WalkReply]:
        """Return refusals for all requests whose walk failed or cannot be finished."""
        refused = [*self._walking, *self._settling]
        self._walking, self._settling = [], []
        return [ipc.WalkReply(each.request.ticket, 0, 0, 0, 0.0, failure) for each in refused]
