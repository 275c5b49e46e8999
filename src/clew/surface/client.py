"""One exchange with a daemon: connect, send a line, read a line. Imports nothing slow."""

from __future__ import annotations

import os

# The C module behind ``socket`` is enough here, and loads in a tenth of the time.
from _socket import AF_UNIX, SOCK_STREAM, socket

from clew.surface.json_text import decoded, encoded
from clew.surface.peers import peer_pid, peer_uid

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of a whole command
    from collections.abc import Callable
    from typing import Any, TypeVar

    T = TypeVar("T")

REPLY_BYTES_MAX = 16 * 1024 * 1024 + 4096
PROTOCOL = 1  # the version that this client speaks
# Methods that a client never sends again if the connection ends before the answer. A second request
# could add a second turn, or stop another daemon.
NOT_REPEATED = frozenset(("session.append", "shutdown"))
CONNECT_TRIES = 50
TIMEOUT_S = 660.0


class NoDaemon(Exception):
    """No process answers at the socket."""


class Refused(Exception):
    """The daemon answered with an error; ``error`` is that member of its reply."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.error = error

    @property
    def code(self) -> str:
        """The daemon's name for this kind of error, or ``""``."""
        return self._datum("code")

    @property
    def hint(self) -> str:
        """The daemon's advice on the error, or ``""``."""
        return self._datum("hint")

    @property
    def field(self) -> str:
        """The field of the request that has a wrong value, or ``""``."""
        return self._datum("field")

    @property
    def candidates(self) -> list[str]:
        """The URIs of the notes that an ambiguous name may mean; empty for other errors."""
        data = self.error.get("data")
        return list(data.get("candidates", ())) if isinstance(data, dict) else []

    def _datum(self, name: str) -> str:
        data = self.error.get("data")
        return str(data.get(name, "")) if isinstance(data, dict) else ""


def exchange(path: str, line: bytes, timeout_s: float = TIMEOUT_S) -> bytes:
    """Send one line to the socket at ``path`` and return the one line it answers.

    Raises:
        NoDaemon: no process listens there, or it closed the connection before it answered.
    """

    def ask(peer: socket) -> bytes:
        try:  # noqa: SIM105 - importing contextlib takes time
            peer.sendall(line + b"\n")
        except (BrokenPipeError, ConnectionResetError):
            pass  # a daemon that refuses a line as too long sends the reason before it closes
        return _read_line(peer)

    return _with_connection(path, ask, timeout_s)


def listener_pid(path: str) -> int:
    """Return the id of the process that listens at a socket; 0 if the system does not say.

    Raises:
        NoDaemon: no process listens there.
    """
    return _with_connection(path, peer_pid, TIMEOUT_S)


def _with_connection(path: str, use: Callable[[socket], T], timeout_s: float) -> T:
    peer = socket(AF_UNIX, SOCK_STREAM)
    try:
        peer.settimeout(timeout_s)
        _connect(peer, path)
        if not is_of_this_user(peer):
            raise NoDaemon(f"the process that listens at {path} belongs to another user")
        return use(peer)
    except (FileNotFoundError, ConnectionError) as error:
        raise NoDaemon(f"no daemon at {path}") from error
    except TimeoutError as error:
        raise NoDaemon(f"the daemon at {path} did not answer in {timeout_s:.0f} s") from error
    except OSError as error:
        raise NoDaemon(f"{path} cannot be used as a socket: {error.strerror or error}") from error
    finally:
        peer.close()


def is_of_this_user(peer: socket) -> bool:
    """Return whether a process of this user is at the other end; for root, always true."""
    return os.getuid() in (0, peer_uid(peer))


def _read_line(peer: socket) -> bytes:
    parts: list[bytes] = []
    size = 0
    while not (parts and parts[-1].endswith(b"\n")):
        part = peer.recv(1 << 18)
        if not part:
            raise NoDaemon("the daemon closed the connection before it answered")
        parts.append(part)
        size += len(part)
        if size > REPLY_BYTES_MAX:
            raise NoDaemon(f"the answer is over {REPLY_BYTES_MAX} bytes")
    return b"".join(parts)


def _connect(peer: socket, path: str) -> None:
    """Connect, trying again while the daemon's queue of new clients is full."""
    for _ in range(CONNECT_TRIES):
        try:
            peer.connect(path)
        except BlockingIOError:
            import time  # noqa: PLC0415 - needed only if the queue is full

            time.sleep(0.02)
        else:
            return
    raise NoDaemon(f"the daemon at {path} takes no more clients now")


def call(path: str, method: str, params: dict[str, Any], timeout_s: float = TIMEOUT_S) -> Any:
    """Return the result of one request as plain dicts and lists.

    Raises:
        NoDaemon: no process answers at the socket.
        Refused: the daemon answered with an error.
    """
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    reply = decoded(exchange(path, encoded(request), timeout_s))
    if "error" in reply:
        raise Refused(reply["error"])
    return reply["result"]
