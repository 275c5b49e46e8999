"""Launch a daemon in the background and wait until it answers.

``clew start`` loads this, and so does any command that starts a daemon because of ``autostart``. So
it imports nothing that the request itself does not need.
"""

from __future__ import annotations

import os
import subprocess
import time

from clew.surface.children import module_command
from clew.surface.client import NoDaemon, Refused, call
from clew.surface.paths import log_path, socket_path, state_folder
from clew.surface.record import UNREACHABLE, live_record

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of a whole command
    from typing import Any

START_SECONDS_MAX = 30.0
_LOG_BYTES_MAX = 8 * 1024 * 1024
_LOG_LINES = 5  # the end of the log that is shown if the daemon ended at once
_POLL_S = 0.02


class NotStarted(Exception):
    """No daemon could be started; ``details`` are further lines for the user."""

    def __init__(self, message: str, *details: str) -> None:
        super().__init__(message)
        self.details = details


class Unusable(NotStarted):
    """The state folder cannot be used."""


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

    def command(self) -> list[str]:
        """Return the command that serves the vault in the foreground."""
        paths = {
            "--config": self.config,
            "--socket": self.socket_named,
            "--state": self.state_named,
        }
        options = [word for name, value in paths.items() if value for word in (name, value)]
        return [*module_command("clew"), "serve", "--vault", self.vault, *options]


def launch(daemon: Launch) -> None:
    """Start a daemon, which outlives this process, and return when it answers.

    Raises:
        NotStarted: the daemon ended at once or does not answer, and no other one serves the vault.
    """
    log = log_path(_private(daemon.state))
    child, log_start = _spawn(daemon.command(), log)
    deadline_s = time.monotonic() + START_SECONDS_MAX
    while time.monotonic() < deadline_s:
        if answers(daemon.socket):
            return
        if child.poll() is not None:
            if running_at(daemon) is not None:
                return  # another command was faster
            raise NotStarted(f"the daemon ended at once; {log} says why:", *_tail(log, log_start))
        time.sleep(_POLL_S)
    raise NotStarted(f"the daemon does not answer; see {log}")


def running_at(daemon: Launch) -> str | None:
    """Return the socket of a daemon that already serves the vault, ``None`` if none does.

    Raises:
        NotStarted: it cannot be reached, or does not listen at the socket that the user named.
    """
    if answers(daemon.socket):
        return daemon.socket
    record = live_record(daemon.state)
    if record is None:
        return None
    what = f"a daemon (process {record.pid}) already serves this vault"
    if not answers(record.socket):
        reason = f"{what} and does not answer at {record.socket}"
        raise NotStarted(reason, UNREACHABLE.format(stop="clew stop"))
    if daemon.socket_named and record.socket != daemon.socket:
        raise NotStarted(f"{what} at {record.socket}", "end it first with: clew stop")
    return record.socket


def answers(path: str) -> bool:
    """Return whether a daemon answers at a socket."""
    return result_or_none(path, "hello", {"protocol": 1}) is not None


def result_or_none(path: str, method: str, params: dict[str, Any]) -> Any:
    """Return the result of a quick request, ``None`` if it fails."""
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


def _spawn(command: list[str], log: str) -> tuple[subprocess.Popen[bytes], int]:
    """Start a daemon; return its process, and the offset in the log at which its lines begin."""
    mode = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
    if os.path.exists(log) and os.path.getsize(log) > _LOG_BYTES_MAX:
        mode |= os.O_TRUNC
    descriptor = os.open(log, mode, 0o600)
    log_start = os.fstat(descriptor).st_size
    try:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
            start_new_session=True,
        )
        return child, log_start
    finally:
        os.close(descriptor)


def _tail(log: str, start: int) -> list[str]:
    """Return the last lines of the log after the byte offset ``start``."""
    with open(log, encoding="utf-8", errors="replace", newline="\n") as file:
        file.seek(start)
        return [line.rstrip("\n") for line in file.readlines()[-_LOG_LINES:]]
