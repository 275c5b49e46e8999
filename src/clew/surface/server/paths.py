"""The paths of a daemon's vault, state and socket, and how paths are shown."""

import os
import shlex
from dataclasses import dataclass

from clew.surface.places import socket_path, state_folder


@dataclass(frozen=True, slots=True)
class Places:
    """The paths of a daemon's vault, state folder and socket."""

    vault: str
    state: str
    socket: str


def restart_commands(places: Places) -> str:
    """Return the commands that stop this daemon and start one on the folder at the vault's path.

    The second command names the socket and the state folder if they are not the default ones.
    """
    vault, socket, state = (
        shlex.quote(shown(path)) for path in (places.vault, places.socket, places.state)
    )
    start = f"clew start --vault {vault}"
    if places.socket != socket_path(places.vault):
        start += f" --socket {socket}"
    if places.state != state_folder(places.vault):
        start += f" --state {state}"
    return f"`clew stop --socket {socket}`, then `{start}`"


def shown(path: str) -> str:
    """Return a path as text that JSON can hold; bytes that are not UTF-8 become escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
