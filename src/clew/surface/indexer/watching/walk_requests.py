"""Requests that wait for changes (``waitFresh``, ``waitFor``, ``sync``), and the time to answer.

A request for the whole vault is answered by a walk that begins after the request, once the walk has
ended and every change that it held back is applied. A request for single notes is answered by a
check of their paths, or by a walk, once the changes of these notes are applied.
"""

import time
from collections.abc import Callable, Iterator
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
    """A request whose walk or check has begun, and the changes to apply before it is answered."""

    request: ipc.WalkRequest
    counts_before: _ChangeCounts
    began_s: float  # on the monotonic clock
    unsettled: Unsettled = frozenset()


class WalkRequests:
    """Requests that wait for a walk to begin, for its end, or for its changes to be applied."""

    def __init__(self) -> None:
        self._pending: list[ipc.WalkRequest] = []
        self._walking: list[_Waiting] = []
        self._settling: list[_Waiting] = []
        self._counts = _ChangeCounts()

    @property
    def is_anyone_waiting(self) -> bool:
        """Whether any request is not answered yet."""
        return bool(self._pending or self._walking or self._settling)

    @property
    def are_pending(self) -> bool:
        """Whether any request is waiting for a walk or a check to begin."""
        return bool(self._pending)

    @property
    def must_walk(self) -> bool:
        """Whether any of the pending requests is for the whole vault."""
        return any(not request.paths for request in self._pending)

    @property
    def pending_paths(self) -> frozenset[str]:
        """The notes for which pending requests wait."""
        return frozenset(path for request in self._pending for path in request.paths)

    def awaited_paths(self) -> Iterator[str]:
        """Yield the notes for which requests wait that a check or a walk may answer."""
        for request in self._requests_for_notes():
            yield from request.paths

    def add(self, request: ipc.WalkRequest) -> None:
        """Add a request for the next walk or, if it is for single notes, for the next check."""
        self._pending.append(request)

    def begin_walk(self) -> bool:
        """Assign all pending requests to the walk that begins; return whether it reads every note.

        A check of single paths calls this too, if no pending request is for the whole vault.
        """
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
        """Make the requests of the ended walk wait until the changes ``unsettled`` are applied."""
        for waiting in self._walking:
            waiting.unsettled = _awaited(unsettled, waiting.request.paths)
        self._settling += self._walking
        self._walking = []

    def answers(self, unsettled: Unsettled) -> list[ipc.WalkReply]:
        """Return the replies that are due if only the changes ``unsettled`` are not applied yet."""
        for waiting in self._settling:
            waiting.unsettled &= unsettled
        due = [waiting for waiting in self._settling if not waiting.unsettled]
        self._settling = [waiting for waiting in self._settling if waiting.unsettled]
        return list(map(self._reply, due))

    def early_answers(self, is_current: Callable[[str], bool]) -> list[ipc.WalkReply]:
        """Return replies in the middle of a long round, to requests whose notes are up to date.

        ``is_current`` returns whether queries see the present content of the note at a path.
        """
        early = [each for each in self._requests_for_notes() if all(map(is_current, each.paths))]
        tickets = {request.ticket for request in early}
        self._pending = [each for each in self._pending if each.ticket not in tickets]
        self._walking = [each for each in self._walking if each.request.ticket not in tickets]
        return [ipc.WalkReply(ticket, 0, 0, 0, 0.0, None) for ticket in sorted(tickets)]

    def _requests_for_notes(self) -> list[ipc.WalkRequest]:
        begun = [waiting.request for waiting in self._walking]
        return [request for request in (*self._pending, *begun) if request.paths]

    def _reply(self, waiting: _Waiting) -> ipc.WalkReply:
        counts = waiting.counts_before
        return ipc.WalkReply(
            ticket=waiting.request.ticket,
            added=self._counts.added - counts.added,
            modified=self._counts.modified - counts.modified,
            removed=self._counts.removed - counts.removed,
            took_ms=round((time.monotonic() - waiting.began_s) * 1000, 3),
            failure=None,
        )

    def refusals(self, failure: str) -> list[ipc.WalkReply]:
        """Return refusals for all requests whose walk failed or cannot end."""
        refused = [*self._walking, *self._settling]
        self._walking, self._settling = [], []
        return [ipc.WalkReply(each.request.ticket, 0, 0, 0, 0.0, failure) for each in refused]


def _awaited(unsettled: Unsettled, paths: tuple[str, ...]) -> Unsettled:
    """Return the changes for which a request waits; empty ``paths`` mean the whole vault."""
    if not paths:
        return unsettled
    return frozenset(change for change in unsettled if change[0] in paths)
