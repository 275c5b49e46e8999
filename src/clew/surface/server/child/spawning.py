"""Start the indexer process.

This module imports little, so that a daemon can start the indexer before it loads the rest.
"""

import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from clew.surface.children import words_for
from clew.surface.signals import EndSignals, interrupts_blocked

CHANNEL_BYTES = 1024 * 1024
INDEXER = words_for("clew.surface.indexer")


@dataclass(frozen=True, slots=True)
class Spawned:
    """An indexer that is waiting for its ``Start`` message, and the server's end of its channel.

    It exits when the channel is closed.
    """

    process: "subprocess.Popen[bytes]"
    channel: socket.socket


@dataclass(frozen=True, slots=True)
class EarlyStart:
    """What a daemon starts before it loads its own modules."""

    signals: EndSignals
    indexer: Spawned | None  # None: it could not be started; the supervisor tries again


@contextmanager
def start_early(signals: EndSignals) -> Iterator[EarlyStart]:
    """Start an indexer, so that it loads while this process does; kill it at exit if necessary."""
    indexer = None
    with suppress(OSError):
        indexer = spawn()
    try:
        yield EarlyStart(signals, indexer)
    finally:
        if indexer is not None:
            _kill(indexer)


def _kill(spawned: Spawned) -> None:
    spawned.channel.close()
    if spawned.process.poll() is None:
        spawned.process.kill()
        spawned.process.wait()


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
            with interrupts_blocked():
                process = subprocess.Popen(list(words), stdin=theirs.fileno())
        except OSError:
            ours.close()
            raise
    return Spawned(process, ours)
