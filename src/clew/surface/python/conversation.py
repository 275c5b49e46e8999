"""The conversation with a daemon, without I/O.

Each exchange is a generator: it yields steps for the socket, and is sent their results. So one
description of requests, replies, time limits and reconnecting serves blocking code and asyncio,
which differ only in how they carry out a step (``blocking.py`` and ``asynchronous.py``).
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from clew.surface.client import NOT_REPEATED, REPLY_BYTES_MAX, NoDaemon, Refused
from clew.values.daemon_replies import Changed, Subscribed
from clew.values.errors import Busy, TooLarge
from clew.values.requests import Request, Since, Subscribe

T = TypeVar("T")

RECEIVED_BYTES_MAX = 256 * 1024  # per step
RECONNECT_S_MAX = 60.0  # the longest time to reconnect to a daemon that was reached before
_PAUSE_S_MIN, _PAUSE_S_MAX = 0.02, 1.0  # between two tries to connect
_MS = 1_000.0
# Refusals after which the daemon closes the connection.
LAST_REFUSALS = frozenset((TooLarge.code, Busy.code))


class Lost(Exception):
    """The connection ended or cannot be made; ``is_busy``: only since the listen queue is full."""

    def __init__(self, message: str, *, is_busy: bool = False) -> None:
        super().__init__(message)
        self.is_busy = is_busy


def lost(error: OSError, path: str) -> Exception:
    """Return the exception of a conversation for an error of the socket."""
    if isinstance(error, TimeoutError):
        return TimeoutError(f"the daemon at {path} did not answer in time")
    is_busy = isinstance(error, BlockingIOError)
    return Lost(f"no daemon at {path}: {error.strerror or error}", is_busy=is_busy)


@dataclass(frozen=True, slots=True)
class Open:
    """Connect unless connected already."""


@dataclass(frozen=True, slots=True)
class Send:
    """Send bytes, at the latest until ``until_s`` on the conversation's clock."""

    data: bytes
    until_s: float


@dataclass(frozen=True, slots=True)
class Receive:
    """Receive some bytes, at the latest until ``until_s``; ``None``: without a time limit."""

    until_s: float | None


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait."""

    seconds: float


Step = Open | Send | Receive | Pause
Steps = Generator[Step, bytes, T]


class _Line(msgspec.Struct, frozen=True):
    """A line of the daemon: a reply, or a notification, which has ``params``."""

    id: int | None = None
    result: msgspec.Raw = msgspec.Raw()
    error: dict[str, Any] | None = None
    params: msgspec.Raw = msgspec.Raw()


class Conversation:
    """The state of one connection: the bytes of an incomplete line, and the last request id.

    ``now_s``: a monotonic clock.
    """

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._received = bytearray()
        self._searched = 0  # there is no line end before this index
        self._last_id = 0
        self._was_open = False  # whether the daemon was ever reached

    def ask(self, method: str, request: Request, reply: type[T], timeout_s: float) -> Steps[T]:
        """Send a request and return its reply; if the connection is lost, send it again.

        Methods that are not idempotent are never sent again (``NOT_REPEATED``).

        The time for which the daemon may wait for changes is added to the time limit.

        Raises:
            NoDaemon: no daemon answers, or it does not come back.
            Refused: the daemon answered with an error.
            TimeoutError: it did not answer in time.
        """
        if request.wait_fresh or request.wait_for:
            timeout_s += request.wait_fresh_ms / _MS
        until_s = self._now_s() + timeout_s
        self._last_id += 1
        line = _encoded(self._last_id, method, request)
        again_until_s = min(until_s, self._now_s() + RECONNECT_S_MAX)
        pause_s = _PAUSE_S_MIN
        while True:
            try:
                answer = yield from self._exchange(line, until_s)
            except Lost as error:
                self.forget()
                may_come = (self._was_open and method not in NOT_REPEATED) or error.is_busy
                if not may_come or self._now_s() >= again_until_s:
                    raise NoDaemon(str(error)) from error
                yield Pause(pause_s)
                pause_s = min(2 * pause_s, _PAUSE_S_MAX)
            else:
                return msgspec.json.decode(answer, type=reply)

    def _exchange(self, line: bytes, until_s: float) -> Steps[bytes]:
        """Send a line and return the result in its reply."""
        yield from self._send(line, until_s)
        while True:
            answer = yield from self._next_line(until_s)
            if answer.error is not None:
                raise Refused(answer.error)
            if answer.id == self._last_id:
                return bytes(answer.result)

    def _send(self, line: bytes, until_s: float) -> Steps[None]:
        yield Open()
        self._was_open = True
        yield Send(line, until_s)

    def _next_line(self, until_s: float | None) -> Steps[_Line]:
        while (end := self._received.find(b"\n", self._searched)) < 0:
            self._searched = len(self._received)
            if self._searched > REPLY_BYTES_MAX:
                raise NoDaemon(f"the answer is over {REPLY_BYTES_MAX} bytes")
            self._received += yield Receive(until_s)
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        self._searched = 0
        return msgspec.json.decode(line, type=_Line)

    def forget(self) -> None:
        """Discard the received bytes, since the connection has ended."""
        self._received.clear()
        self._searched = 0

    def follow(
        self, request: Subscribe, timeout_s: float
    ) -> Generator[Step | Subscribed | Changed, bytes, None]:
        """Subscribe; yield the reply and each change, forever; resume after a lost connection.

        Raises:
            NoDaemon: no daemon answers, or it does not come back.
            Refused, TimeoutError: as for ``ask``.
        """
        while True:
            begun = yield from self.ask("subscribe", request, Subscribed, timeout_s)
            yield begun
            since = request.since or Since(epoch=begun.epoch, revision=begun.revision)
            try:
                while True:
                    line = yield from self._next_line(None)
                    if line.params:
                        changed = msgspec.json.decode(line.params, type=Changed)
                        since = Since(epoch=changed.epoch, revision=changed.revision)
                        yield changed
            except Lost:
                self.forget()
            request = msgspec.structs.replace(request, since=since)


def _encoded(number: int, method: str, request: Request) -> bytes:
    call = {"jsonrpc": "2.0", "id": number, "method": method, "params": request}
    return msgspec.json.encode(call) + b"\n"
