"""Where a daemon's things are, and how their paths are shown."""

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Places:
    """Where a daemon's things are."""

    vault: str
    state: str
    socket: str


def shown(path: str) -> str:
    """Return a path of this machine as text that JSON can hold."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
