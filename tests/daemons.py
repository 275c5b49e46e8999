"""Real daemons for tests, each with its own folders, ended at the end of a block."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from clew.surface.client import NoDaemon, Refused, call
from tests import processes
from tests.pace import Stopwatch

SAMPLE_VAULT = Path(__file__).parent.parent / "sample-vault"
SAMPLE_TIME_S = 1_763_683_200  # 2025-11-21: the file time of every note of the copied sample
START_SECONDS_MAX = 20.0
ANSWER_SECONDS_MAX = 120.0  # only a daemon that hangs takes longer, on any machine
STOP_SECONDS_MAX = 120.0
FRESH_MS_MAX = 60_000  # for methods that wait until every change so far is applied
PIPELINE_MS_MAX = 60_000  # for each pipeline of a window
_WAITING = ("sync", "doctor")
_POLL_S = 0.03  # a request each 10 ms would take a fifth of a processor


class Daemon:
    """A daemon and its paths; use ``prepared`` or ``daemon``, which stop it at the end."""

    def __init__(self, home: Path, vault: Path, arguments: tuple[str, ...] = ()) -> None:
        self.home = home
        self.vault = vault
        self.socket = home / "s" / "clew.sock"
        self.arguments = arguments
        self.before: tuple[str, ...] = ()  # command prefix, such as that of a tracer
        self.child: subprocess.Popen[bytes] | None = None  # the last one started
        self._spawned: list[subprocess.Popen[bytes]] = []

    @property
    def command(self) -> list[str]:
        """The words that start the daemon."""
        return self.command_with_state(self.home / "state")

    def command_with_state(self, state: Path) -> list[str]:
        """Return the words that start the daemon with its state in another folder."""
        words = ["serve", "--vault", str(self.vault), "--socket", str(self.socket)]
        words += ["--state", str(state), *self.arguments]
        return [*self.before, sys.executable, "-m", "clew", *words]

    @property
    def pid(self) -> int:
        """The process that was started."""
        assert self.child is not None
        return self.child.pid

    def spawn(self, words: Sequence[str] = (), **variables: str) -> subprocess.Popen[bytes]:
        """Start the daemon, with another command if ``words`` has one; do not wait for it."""
        environment = {**self.environment, **variables}
        with (self.home / "log").open("ab") as log:
            # In its own session, because Linux shares the processors among sessions: so the indexer
            # with its low priority gets some CPU on a busy machine.
            self.child = subprocess.Popen(
                words or self.command, stderr=log, env=environment, start_new_session=True
            )
        self._spawned.append(self.child)
        return self.child

    def end(self) -> None:
        """Kill every process that was spawned and everything below it."""
        while self._spawned:
            processes.end(self._spawned.pop())

    def start(self) -> None:
        """Start the daemon and wait until it has read the vault."""
        self.spawn()
        watch = Stopwatch()
        while not self._is_ready():
            assert self.is_running, self.log
            assert not watch.is_over(START_SECONDS_MAX), self.log
            time.sleep(0.02)

    def _is_ready(self) -> bool:
        try:
            return bool(self.ask("status")["ready"])
        except NoDaemon:
            return False

    @property
    def is_running(self) -> bool:
        """Return whether the process that was started last runs."""
        return self.child is not None and self.child.poll() is None

    @property
    def environment(self) -> dict[str, str]:
        """The environment in which the daemon and its clients run."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("CLEW")}
        folders = {"XDG_STATE_HOME": "xs", "XDG_RUNTIME_DIR": "xr", "XDG_CONFIG_HOME": "xc"}
        return {**kept, **{name: str(self.home / place) for name, place in folders.items()}}

    @property
    def log(self) -> str:
        """The text that the daemon has logged so far."""
        return (self.home / "log").read_text()

    def ask(self, method: str, /, **params: Any) -> Any:
        """Return the result of one request; what has a limit gets time for a busy machine."""
        if params.get("waitFresh") or params.get("waitFor") or method in _WAITING:
            params.setdefault("waitFreshMs", FRESH_MS_MAX)
        if method == "assemble":
            params.setdefault("timeoutMs", PIPELINE_MS_MAX)
        return call(str(self.socket), method, params, timeout_s=ANSWER_SECONDS_MAX)

    def refusal(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the error that answers a request."""
        try:
            self.ask(method, **params)
        except Refused as refused:
            return refused.error
        raise AssertionError(f"{method} was not refused")

    def connect(self) -> socket.socket:
        """Return a new connection to the daemon."""
        peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        peer.settimeout(ANSWER_SECONDS_MAX)
        peer.connect(str(self.socket))
        return peer

    def say(self, line: bytes) -> list[Any]:
        """Send bytes, close the sending side, and return all reply lines."""
        with self.connect() as peer:
            peer.sendall(line)
            peer.shutdown(socket.SHUT_WR)
            answered = b"".join(iter(lambda: peer.recv(65536), b""))
        return [json.loads(row) for row in answered.splitlines()]

    def stop(self) -> int:
        """Stop the daemon as a service manager would; return its exit status."""
        assert self.child is not None
        if self.child.poll() is None:
            self.child.terminate()
        return self.child.wait(timeout=STOP_SECONDS_MAX)

    def until(self, method: str, test: Any, seconds: float = 5.0, **params: Any) -> Any:
        """Repeat a request until ``test`` of the result is true; fail after ``seconds``."""
        watch = Stopwatch()
        while True:
            result = self.ask(method, **params)
            if test(result):
                return result
            assert not watch.is_over(seconds), result
            time.sleep(_POLL_S)

    def until_answered(self, method: str) -> Any:
        """Return the first reply that is no refusal, after the daemon was spawned."""
        watch = Stopwatch()
        while not watch.is_over(ANSWER_SECONDS_MAX):
            with suppress(NoDaemon, Refused):
                return self.ask(method)
            time.sleep(0.002)
        raise AssertionError(self.log)

    def until_partitioned(self) -> None:
        """Wait until the communities are those of the present graph."""
        self.until("status", lambda said: said["stages"]["communities"]["ready"], 30.0)


def broken_parts(status: Mapping[str, Any]) -> dict[str, str]:
    """Return the degraded parts; leave out ``edges``, which only shows that the machine is busy."""
    parts = dict(part.split(": ", 1) for part in status["degraded"])
    return {part: reason for part, reason in parts.items() if part != "edges"}


@contextmanager
def prepared(home: Path, vault: Path, *arguments: str) -> Iterator[Daemon]:
    """Yield a daemon that is not started; end every process that the block spawns with it."""
    home.mkdir(exist_ok=True)
    running = Daemon(home, vault, arguments)
    try:
        yield running
    finally:
        running.end()


@contextmanager
def daemon(home: Path, vault: Path, *arguments: str) -> Iterator[Daemon]:
    """Run a daemon on ``vault`` within a block."""
    with prepared(home, vault, *arguments) as running:
        running.start()
        yield running
        running.stop()


def succeed(run: Callable[[], tuple[int, str]]) -> str:
    """Run a command until it succeeds; return its output.

    On a busy machine ``clew start`` and other commands may give up. ``run`` returns the exit status
    and the output.
    """
    watch = Stopwatch()
    while True:
        status, said = run()
        if status == 0:
            return said
        assert not watch.is_over(START_SECONDS_MAX), said


def copy_sample(target: Path) -> Path:
    """Copy the sample vault, with the same file time for every note; return the copy."""
    shutil.copytree(SAMPLE_VAULT, target)
    for path in target.rglob("*"):
        os.utime(path, (SAMPLE_TIME_S, SAMPLE_TIME_S))
    return target
