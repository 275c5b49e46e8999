"""Starting an indexer; imports little, so that it can be the first thing a daemon does."""

import socket
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from clew.surface.children import words_for

CHANNEL_BYTES = 1024 * 1024
INDEXER = words_for("clew.surface.indexer")


@dataclass(frozen=True, slots=True)
class Spawned:
    """An indexer that waits to be told what to do, and our end of the channel to it.

    It ends by itself when the channel is closed.
    """

    process: "subprocess.Popen[bytes]"
    channel: socket.socket


def spawn_early() -> Spawned | None:
    """Start an indexer before anything is known; ``None`` if that fails.

    Whoever serves tries again, and has a log to complain to.
    """
    try:
        return spawn()
    except OSError:
        return None


def spawn(words: Sequence[str] = INDEXER) -> Spawned:
    """Start an indexer with the command ``words``.

    Raises:
        OSError: it cannot be started.
    """
    ours, theirs = socket.socketpair()
    # Room for a few chunks, so that neither side waits for each that the other takes in.
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, CHANNEL_BYTES)
    with theirs:
        try:
            process = subprocess.Popen(list(words), stdin=theirs.fileno())
        except OSError:
            ours.close()
            raise
    return Spawned(process, ours)
