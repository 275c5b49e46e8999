"""Find the daemon of a vault for the bridge, and start it if allowed."""

from __future__ import annotations

import json
import os
import sys

from clew.surface.client import NoDaemon
from clew.surface.paths import socket_path, state_folder
from clew.surface.record import live_record
from clew.surface.vaults import NoVault, find_vault

_START_SECONDS_MAX = 40.0  # ``clew start`` itself gives up after 30
_RETURN_SECONDS_MAX = 3.0  # the longest wait for a daemon that restarts
_UNQUOTED = str.maketrans("", "", "/-_.+")  # removes characters that need no quotes in a shell


class Daemon:
    """The daemon of a vault, whose sockets are looked up when a request needs them."""

    def __init__(self, vault: str | None, socket: str | None, *, autostart: bool) -> None:
        self._vault = vault
        self._socket = socket
        self._autostart = autostart
        self._starter: int | None = None  # the process of ``clew start``, while it runs
        self._failed_start: int | None = None  # its exit status, if it was not 0
        self.has_answered = False

    def sockets(self) -> list[str]:
        """Return the paths at which the daemon may listen, the likeliest first.

        Raises:
            NoDaemon: no vault is named, and none is found.
        """
        if self._socket:
            return [self._socket]
        try:
            vault = find_vault(self._vault)
        except NoVault as error:
            raise NoDaemon(f"{error}: the bridge is to be started with --vault") from error
        paths = [socket_path(vault)]
        # The computed path depends on the environment, of which a client may pass on only a part.
        record = live_record(state_folder(vault))
        if record is not None and record.socket not in paths:
            paths.append(record.socket)
        return paths

    def seconds_to_wait(self) -> float:
        """Return for how long to retry if no daemon answers; start a daemon if allowed."""
        if self._autostart:
            self._start()
            return 0.0 if self._failed_start else _START_SECONDS_MAX
        return _RETURN_SECONDS_MAX if self.has_answered else 0.0

    def check_start(self) -> None:
        """Check whether a running ``clew start`` has failed.

        Raises:
            NoDaemon: it has failed.
        """
        if self._starter is None:
            return
        pid, status = os.waitpid(self._starter, os.WNOHANG)
        if pid:
            self._starter = None
            self._failed_start = os.waitstatus_to_exitcode(status) or None
        if self._failed_start:
            raise NoDaemon(self.advice())

    def advice(self) -> str:
        """Return the message for an agent if no daemon answers."""
        start = " ".join(map(_quoted, self._start_command()))
        if self._failed_start:
            return (
                f"the daemon could not be started (exit status {self._failed_start}): run "
                f"`{start}` in a shell to see why"
            )
        return f"no daemon answers: ask the user to run `{start}`, then try again"

    def _start_command(self) -> list[str]:
        words = ["clew", "start"]
        words += ["--vault", os.path.abspath(self._vault)] if self._vault else []
        return words + (["--socket", self._socket] if self._socket else [])

    def _start(self) -> None:
        """Run ``clew start`` unless it already runs; several bridges may do so at once."""
        if self._starter is not None:
            return
        self._failed_start = None
        command = [sys.executable, "-P", "-m", *self._start_command()]
        # The child's stdout is the client's, so it is redirected to stderr.
        redirected = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, 2, 1),
        ]
        self._starter = os.posix_spawn(sys.executable, command, os.environ, file_actions=redirected)


def _quoted(word: str) -> str:
    is_plain = word.isascii() and word.translate(_UNQUOTED).isalnum()
    return word if is_plain else json.dumps(word)
