"""Where a daemon's things are, and how their paths are shown."""

import os
import shlex
from dataclasses import dataclass

from clew.surface.places import socket_path, state_folder


@dataclass(frozen=True, slots=True)
class Places:
    """Where a daemon's things are."""

    vault: str
    state: str
    socket: str


def restart_commands(places: Places) -> str:
    """Return the commands that stop this daemon, and start one on the folder at the vault's path.

    The second one names the socket and the state where those are not the default ones.
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
    """Return a path of this machine as text that JSON can hold."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
