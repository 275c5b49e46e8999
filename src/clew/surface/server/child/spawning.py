"""Starting an indexer. Imports little, so that a daemon can do it first."""

import socket
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from clew.surface.children import words_for

CHANNEL_BYTES = 1024 * 1024
INDEXER = words_for("clew.surface.indexer")


@dataclass(frozen=True, slots=True)
class Spawned:
    """An indexer that waits for its ``Start`` message, and the server's end of the channel to it.

    It exits when the channel is closed.
    """

    process: "subprocess.Popen[bytes]"
    channel: socket.socket


def spawn_early() -> Spawned | None:
    """Start an indexer before the settings are read; ``None`` if that fails.

    The supervisor then tries again and logs the failure.
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
    # The buffer holds a few chunks, so that sender and receiver need not take turns.
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, CHANNEL_BYTES)
    with theirs:
        try:
            process = subprocess.Popen(list(words), stdin=theirs.fileno())
        except OSError:
            ours.close()
            raise
    return Spawned(process, ours)
