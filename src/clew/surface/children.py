"""Starting our own modules as child processes.

Imports little, since a daemon loads this before it starts its indexer.
"""

import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from clew.surface.signals import interrupts_blocked

CHANNEL_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Spawned:
    """A child that is waiting for its first message, and our end of the channel to it.

    It exits when the channel is closed.
    """

    process: "subprocess.Popen[bytes]"
    channel: socket.socket


def words_for(module: str) -> tuple[str, ...]:
    """Return the command that runs one of our modules.

    ``-P`` keeps Python from importing modules from the current folder. That is often the vault,
    and a ``numpy.py`` among the notes must not run.
    """
    return (sys.executable, "-P", "-m", module)


def spawn(words: Sequence[str]) -> Spawned:
    """Start a child with the command ``words``; its standard input is the channel to it.

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
