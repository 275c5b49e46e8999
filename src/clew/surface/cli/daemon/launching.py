"""Launch a daemon in the background and wait until it answers.

Loaded by ``clew start``, and by any command that starts a daemon because the config says so, so it
imports nothing that the request itself does not need.
"""

from __future__ import annotations

import os
import subprocess
import time

from clew.surface.children import words_for
from clew.surface.client import NoDaemon, Refused, call
from clew.surface.places import log_path, socket_path, state_folder
from clew.surface.record import UNREACHABLE, live_record

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of a whole command
    from typing import Any

START_SECONDS_MAX = 30.0
_LOG_BYTES_MAX = 8 * 1024 * 1024
_LOG_LINES = 5  # shown of the log of a daemon that ended at once
_POLL_S = 0.02


class NotStarted(Exception):
    """No daemon could be started; ``details`` are further lines for the user."""

    def __init__(self, message: str, *details: str) -> None:
        super().__init__(message)
        self.details = details


class Unusable(NotStarted):
    """The folder of the state cannot be used."""


class Launch:
    """A daemon to start: its vault, and the paths that the command line names."""

    __slots__ = ("config", "socket", "socket_named", "state", "state_named", "vault")

    def __init__(
        self,
        vault: str,
        *,
        config: str | None = None,
        socket: str | None = None,
        state: str | None = None,
    ) -> None:
        self.vault = vault
        self.config = config
        self.socket_named = socket
        self.state_named = state
        self.socket = socket_path(vault, socket)
        self.state = state_folder(vault, state)

    def words(self) -> list[str]:
        """Return the command that serves the vault in the foreground."""
        given = {
            "--config": self.config,
            "--socket": self.socket_named,
            "--state": self.state_named,
        }
        options = [word for name, value in given.items() if value for word in (name, value)]
        return [*words_for("clew"), "serve", "--vault", self.vault, *options]


def launch(wanted: Launch) -> None:
    """Start a daemon, which outlives this process, and return when it answers.

    Raises:
        NotStarted: it ended at once or does not answer, and no other daemon serves the vault.
    """
    log = log_path(_private(wanted.state))
    child, log_start = _spawn(wanted.words(), log)
    deadline_s = time.monotonic() + START_SECONDS_MAX
    while time.monotonic() < deadline_s:
        if answers(wanted.socket):
            return
        if child.poll() is not None:
            if running_at(wanted) is not None:
                return  # another command was faster
            raise NotStarted(f"the daemon ended at once; {log} says why:", *_tail(log, log_start))
        time.sleep(_POLL_S)
    raise NotStarted(f"the daemon does not answer; see {log}")


def running_at(wanted: Launch) -> str | None:
    """Return the socket of a daemon that serves the vault already, ``None`` if none does.

    Raises:
        NotStarted: one does, but cannot be reached, or listens elsewhere than at the named socket.
    """
    if answers(wanted.socket):
        return wanted.socket
    record = live_record(wanted.state)
    if record is None:
        return None
    what = f"a daemon (process {record.pid}) already serves this vault"
    if not answers(record.socket):
        reason = f"{what} and does not answer at {record.socket}"
        raise NotStarted(reason, UNREACHABLE.format(stop="clew stop"))
    if wanted.socket_named and record.socket != wanted.socket:
        raise NotStarted(f"{what} at {record.socket}", "end it first with: clew stop")
    return record.socket


def answers(path: str) -> bool:
    """Return whether a daemon answers at a socket."""
    return asked(path, "hello", {"protocol": 1}) is not None


def asked(path: str, method: str, params: dict[str, Any]) -> Any:
    """Return the result of a request that takes little time, ``None`` if it fails."""
    try:
        return call(path, method, params, timeout_s=5.0)
    except (NoDaemon, Refused, OSError):
        return None


def _private(folder: str) -> str:
    """Create a folder that only this user can enter; return its path."""
    from clew.surface.private import make_private_folder  # noqa: PLC0415 - only where one starts
    from clew.values.errors import ConfigError  # noqa: PLC0415

    try:
        make_private_folder(folder)
    except ConfigError as error:
        raise Unusable(str(error)) from error
    return folder


def _spawn(words: list[str], log: str) -> tuple[subprocess.Popen[bytes], int]:
    """Start a daemon; return it, and where its lines begin in the log."""
    mode = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
    if os.path.exists(log) and os.path.getsize(log) > _LOG_BYTES_MAX:
        mode |= os.O_TRUNC
    descriptor = os.open(log, mode, 0o600)
    log_start = os.fstat(descriptor).st_size
    try:
        child = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
            start_new_session=True,
        )
        return child, log_start
    finally:
        os.close(descriptor)


def _tail(log: str, start: int) -> list[str]:
    """Return the last lines of the log after its byte ``start``, where this daemon began."""
    with open(log, encoding="utf-8", errors="replace", newline="\n") as file:
        file.seek(start)
        return [line.rstrip("\n") for line in file.readlines()[-_LOG_LINES:]]
