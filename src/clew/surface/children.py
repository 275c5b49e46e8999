"""Start modules of clew as child processes; count the processors for them and for threads.

Imports little, since a daemon loads this before it starts its indexer.
"""

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from clew.surface.signals import interrupts_blocked

CHANNEL_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Spawned:
    """A started child process, and the parent's end of the channel to it.

    It exits when the channel is closed.
    """

    process: "subprocess.Popen[bytes]"
    channel: socket.socket


@dataclass(frozen=True, slots=True)
class SpawnedGroup:
    """A child that forks a process for each channel, and the parent's ends of these channels.

    Each process exits when its channel is closed, and the child exits after all of them.
    """

    process: "subprocess.Popen[bytes]"
    channels: tuple[socket.socket, ...]


def module_command(module: str) -> tuple[str, ...]:
    """Return the command that runs a module of clew.

    ``-P`` keeps Python from importing modules from the current folder. That is often the vault,
    and a ``numpy.py`` among the notes must not run.
    """
    return (sys.executable, "-P", "-m", module)


def spawn(command: Sequence[str]) -> Spawned:
    """Start a child with the command ``command``; its standard input is the channel to it.

    Raises:
        OSError: it cannot be started.
    """
    ours, theirs = socket.socketpair()
    # The buffer holds a few chunks, so that sender and receiver need not take turns.
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, CHANNEL_BYTES)
    with theirs:
        try:
            with interrupts_blocked():
                process = subprocess.Popen(list(command), stdin=theirs.fileno())
        except OSError:
            ours.close()
            raise
    return Spawned(process, ours)


def spawn_group(command: Sequence[str], count: int) -> SpawnedGroup:
    """Start a child with ``count`` channels; their descriptors follow ``command`` in its command.

    Raises:
        OSError: it cannot be started.
    """
    with ExitStack() as theirs_open, ExitStack() as undo:
        channels, descriptors = [], []
        for _ in range(count):
            ours, theirs = socket.socketpair()
            undo.enter_context(ours)
            theirs_open.enter_context(theirs)
            channels.append(ours)
            descriptors.append(theirs.fileno())
        with interrupts_blocked():
            process = subprocess.Popen(
                [*command, *map(str, descriptors)], stdin=subprocess.DEVNULL, pass_fds=descriptors
            )
        undo.pop_all()
    return SpawnedGroup(process, tuple(channels))


def processor_count() -> int:
    """Return how many processors this process may use, or, if unknown, how many there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # macOS does not tell what a process may use
