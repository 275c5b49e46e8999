"""Start a daemon for one benchmark, and send it requests over one connection."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from clew.surface.paths import socket_path

START_SECONDS_MAX = 600.0
_STOP_SECONDS_MAX = 30.0
_NO_WORD = b"the query has only stop words"  # as some queries of the benchmark


@dataclass(frozen=True, slots=True)
class Served:
    """A running daemon."""

    vault: str
    pid: int
    peer: socket.socket

    @property
    def indexer_pid(self) -> int:
        """The process id of the indexer; after a large first index another one takes over."""
        deadline_s = time.monotonic() + START_SECONDS_MAX
        while time.monotonic() < deadline_s:
            if (pid := _child_of(self.pid)) is not None:
                return pid
            time.sleep(0.02)
        raise RuntimeError("the daemon has no indexer")


def move_home(folder: str) -> None:
    """Make child processes keep runtime files, state, config and bytecode below ``folder``."""
    for name in ("RUNTIME_DIR", "STATE_HOME", "CONFIG_HOME"):
        path = os.path.join(folder, name.lower())
        os.makedirs(path, 0o700, exist_ok=True)
        os.environ[f"XDG_{name}"] = path
    for name in ("CLEW_VAULT", "CLEW_CONFIG", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"):
        os.environ.pop(name, None)
    # Installed modules are compiled already; this caches the bytecode of a checkout too.
    os.environ["PYTHONPYCACHEPREFIX"] = os.path.join(folder, "bytecode")


@contextmanager
def served(vault: str) -> Iterator[Served]:
    """Serve ``vault`` for as long as the context lasts; wait until its first index is complete."""
    with started(vault) as server:
        ask(server.peer, request("concepts", limit=1, waitFresh=True, waitFreshMs=600_000))
        yield server


@contextmanager
def started(vault: str) -> Iterator[Served]:
    """Serve ``vault`` for as long as the context lasts; its first index may not have begun."""
    # A benchmark that is told to end must end its daemon first.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    words = [sys.executable, "-m", "clew", "serve", "--vault", vault]
    daemon = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    try:
        with _connected(socket_path(vault), daemon) as peer:
            yield Served(vault, daemon.pid, peer)
    finally:
        _end(daemon)


def _end(daemon: "subprocess.Popen[bytes]") -> None:
    """Stop a daemon; kill one that does not stop. Its indexer ends with it either way."""
    daemon.terminate()
    try:
        daemon.wait(_STOP_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()
        raise


def _child_of(pid: int) -> int | None:
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        children = file.read().split()
    return int(children[0]) if children else None


def request(method: str, **params: Any) -> bytes:
    """Return a request as one line."""
    call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return json.dumps(call).encode() + b"\n"


def ask(peer: socket.socket, line: bytes) -> bytes:
    """Send one line and return the reply line."""
    peer.sendall(line)
    parts = [peer.recv(1 << 18)]
    while not parts[-1].endswith(b"\n"):
        parts.append(peer.recv(1 << 18))
        if not parts[-1]:
            raise ConnectionError("the daemon closed the connection")
    return b"".join(parts)


def result(peer: socket.socket, method: str, **params: Any) -> Any:
    """Return the result of one request."""
    reply = json.loads(ask(peer, request(method, **params)))
    if "error" in reply:
        raise RuntimeError(f"{method}: {reply['error']}")
    return reply["result"]


def cpu_s(pid: int) -> float:
    """Return the CPU seconds that a process of this user has used, in all threads."""
    # This is how Linux encodes the id of a process's CPU clock (clock_getcpuclockid).
    return time.clock_gettime((~pid << 3) | 2)


def _connected(path: str, daemon: "subprocess.Popen[bytes]") -> socket.socket:
    """Return a connection, after retrying until the daemon listens."""
    peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    peer.settimeout(START_SECONDS_MAX)
    deadline_s = time.monotonic() + START_SECONDS_MAX
    while time.monotonic() < deadline_s and daemon.poll() is None:
        try:
            peer.connect(path)
        except OSError:
            time.sleep(0.02)
        else:
            return peer
    raise RuntimeError("the daemon did not start")


def latency_ms(server: Served, method: str, **params: Any) -> float:
    """Return how long a client waits for a reply.

    Raises:
        RuntimeError: the reply is an error, unless the query has only stop words.
    """
    line = request(method, **params)
    began_s = time.perf_counter()
    reply = ask(server.peer, line)
    took_ms = 1000 * (time.perf_counter() - began_s)
    if b'"error"' in reply[:200] and _NO_WORD not in reply:
        raise RuntimeError(f"{method}: {reply[:500]!r}")
    return took_ms
