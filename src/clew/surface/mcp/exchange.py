"""One request to the daemon over a connection of its own, which never blocks the bridge."""

from __future__ import annotations

import json
import select
from _socket import AF_UNIX, SOCK_STREAM, socket

from clew.surface.client import NOT_REPEATED, REPLY_BYTES_MAX, NoDaemon, Refused, is_of_this_user
from clew.surface.json_text import encoded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from clew.surface.mcp.daemon import Daemon
    from clew.surface.mcp.work import Question

ANSWER_SECONDS_MAX = 55.0  # clients give up after 60
_RETRY_S = 0.1
READY_SECONDS_MAX = 15.0  # the longest retry while the first index cannot answer yet
_READY_RETRY_S = 0.5
_LOST_MAX = 2  # lost connections after which the request is given up, as it may be the cause
_READ_BYTES = 1 << 18


class Exchange:
    """A request and its reply. After each event or at ``wake_at_s``, call ``step``."""

    def __init__(self, daemon: Daemon, question: Question, now_s: float) -> None:
        request = {"jsonrpc": "2.0", "id": 1, "method": question.method, "params": question.params}
        self._daemon = daemon
        self._may_repeat = question.method not in NOT_REPEATED
        self._line = encoded(request) + b"\n"
        self._unsent = memoryview(self._line)
        self._peer: socket | None = None
        self._received: list[bytes] = []
        self._received_bytes = 0
        self._loss_count = 0
        self._retry_until_s: float | None = None
        self.deadline_s = now_s + ANSWER_SECONDS_MAX
        self._ready_until_s = now_s + READY_SECONDS_MAX
        self.wake_at_s = now_s

    def fileno(self) -> int | None:
        """Return the descriptor of the connection, ``None`` while there is none."""
        return None if self._peer is None else self._peer.fileno()

    @property
    def events(self) -> int:
        """The events to wait for."""
        return select.POLLIN | (select.POLLOUT if self._unsent else 0)

    def close(self) -> None:
        """Close the connection, which cancels the request."""
        if self._peer is not None:
            self._peer.close()
            self._peer = None

    def step(self, now_s: float) -> dict[str, Any] | None:
        """Do all work that does not block; return the result once it is complete.

        Raises:
            NoDaemon: no daemon answers, or not in time.
            Refused: the daemon answered with an error.
        """
        if now_s >= self.deadline_s:
            raise NoDaemon(f"the daemon did not answer in {ANSWER_SECONDS_MAX:.0f} s: try again")
        self.wake_at_s = self.deadline_s
        if self._peer is None and not self._connect(now_s):
            return None
        assert self._peer is not None
        try:
            return self._transfer(self._peer)
        except BlockingIOError:
            return None
        except OSError:
            self._retry_after_loss(now_s)
            return None
        except Refused as error:
            if error.code != "notReady" or now_s >= self._ready_until_s:
                raise
            self._retry(now_s + _READY_RETRY_S)
            return None

    def _transfer(self, peer: socket) -> dict[str, Any] | None:
        """Send and receive until a call would block, which raises ``BlockingIOError``."""
        try:
            while self._unsent:
                self._unsent = self._unsent[peer.send(self._unsent) :]
        except (BrokenPipeError, ConnectionResetError):
            pass  # a daemon that refuses a line as too long sends the reason before it closes
        while True:
            data = peer.recv(_READ_BYTES)
            if not data:
                raise ConnectionResetError
            self._received.append(data)
            self._received_bytes += len(data)
            if data.endswith(b"\n"):
                return _result(b"".join(self._received))
            if self._received_bytes > REPLY_BYTES_MAX:
                raise NoDaemon(f"the answer is over {REPLY_BYTES_MAX} bytes: ask for less")

    def _retry_after_loss(self, now_s: float) -> None:
        """Retry after a lost connection, unless this could have an effect twice."""
        if not self._may_repeat and not self._unsent:
            raise NoDaemon(
                "the daemon ended before it answered: recall the turn to see if it was kept"
            )
        self._retry(now_s + _RETRY_S)
        self._loss_count += 1
        if self._loss_count >= _LOST_MAX:
            raise NoDaemon("the daemon ended while it answered: try again, or ask for less")

    def _retry(self, at_s: float) -> None:
        """Close the connection; send the request again at the time ``at_s``."""
        self.close()
        self._unsent = memoryview(self._line)
        self._received, self._received_bytes = [], 0
        self.wake_at_s = at_s

    def _connect(self, now_s: float) -> bool:
        """Connect; return whether this worked. If not, ``wake_at_s`` is the time of the next try.

        Raises:
            NoDaemon: no daemon has listened for the longest time to wait.
        """
        self._daemon.check_start()
        for path in self._daemon.sockets():
            peer = socket(AF_UNIX, SOCK_STREAM)
            try:
                peer.setblocking(False)
                peer.connect(path)
                if is_of_this_user(peer):
                    self._peer = peer
                    self._daemon.has_answered = True
                    return True
            except BlockingIOError:  # the daemon's listen queue is full
                self.wake_at_s = now_s + _RETRY_S
                return False
            except OSError:
                pass
            finally:
                if self._peer is not peer:
                    peer.close()
        if self._retry_until_s is None:
            self._retry_until_s = now_s + self._daemon.seconds_to_wait()
        if now_s >= self._retry_until_s:
            raise NoDaemon(self._daemon.advice())
        self.wake_at_s = now_s + _RETRY_S
        return False


def _result(line: bytes) -> dict[str, Any]:
    reply = json.loads(line)
    if "error" in reply:
        raise Refused(reply["error"])
    result: dict[str, Any] = reply["result"]
    return result
