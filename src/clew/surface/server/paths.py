"""The paths of a daemon's vault, state and socket, and paths as printable text."""

import os
from dataclasses import dataclass

from clew.surface.paths import socket_path, state_folder
from clew.text.unicode import shell_word


@dataclass(frozen=True, slots=True)
class DaemonPaths:
    """The paths of a daemon's vault, state folder and socket."""

    vault: str
    state: str
    socket: str


def restart_commands(paths: DaemonPaths) -> str:
    """Return the commands that stop this daemon and start one on the vault's present folder.

    The second command names the socket and the state folder if they are not the default ones.
    """
    vault, socket, state = map(shell_word, (paths.vault, paths.socket, paths.state))
    start = f"clew start --vault {vault}"
    if paths.socket != socket_path(paths.vault):
        start += f" --socket {socket}"
    if paths.state != state_folder(paths.vault):
        start += f" --state {state}"
    return f"`clew stop --socket {socket}`, then `{start}`"


def shown(path: str) -> str:
    """Return a path as text that JSON can hold; bytes that are not UTF-8 become escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
