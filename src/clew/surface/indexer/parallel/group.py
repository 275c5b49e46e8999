"""A group of processes, as its user sees it: each answers requests in their order.

The processes hold no state that is needed after the group's end, so they are killed.
"""

import os
import select
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from clew.surface.children import processor_count, spawn_group
from clew.surface.indexer.limits import give_way
from clew.surface.indexer.parallel.results import receive_result
from clew.values.ipc import message_frame

_EXIT_SECONDS_MAX = 1.0  # the longest wait for the exit of a parent whose channel was closed
_END_SECONDS_MAX = 5.0  # the longest wait for the parent after SIGTERM, before SIGKILL
PROCESSES_MAX = 4  # more would be idle, since one indexer applies and saves all results


def process_count() -> int:
    """Return how many processes are worth starting: one for each core that this one may use."""
    if not hasattr(os, "memfd_create"):
        return 0  # processes return results in files in memory, which only Linux has
    cores = processor_count()
    return min(cores, PROCESSES_MAX) if cores > 1 else 0


class MemberEnded(Exception):
    """A process of a group ended by itself, or the group could not be started."""

    def __init__(self, reason: str, member: "Member | None") -> None:
        super().__init__(reason)
        self.reason = reason
        self.member = member  # None: the group could not be started


class Member:
    """One process of a group."""

    def __init__(self, channel: socket.socket, parent: "subprocess.Popen[bytes]") -> None:
        self._channel = channel
        self._parent = parent

    def send(self, request: object) -> None:
        """Send a request.

        Raises:
            MemberEnded: the process has ended.
        """
        try:
            self._channel.sendall(message_frame(request))
        except ConnectionError as error:
            raise MemberEnded(self._exit_reason(), self) from error

    def has_result(self, wait_s: float) -> bool:
        """Wait up to ``wait_s`` for a result; return whether ``take`` would return at once."""
        return bool(select.select([self._channel], [], [], wait_s)[0])

    def take(self) -> bytes:
        """Wait for the result of the oldest request whose result was not yet taken.

        Raises:
            MemberEnded: the process ended before.
        """
        try:
            result = receive_result(self._channel)
        except ConnectionError:
            result = None
        if result is None:
            raise MemberEnded(self._exit_reason(), self)
        return result

    def _exit_reason(self) -> str:
        """Return how the parent of the group ended; its log says more of the process."""
        try:
            status = self._parent.wait(_EXIT_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            return "closed its channel"
        return f"signal {-status}" if status < 0 else f"exit status {status}"


@contextmanager
def running_group(
    command: Sequence[str], count: int, *, is_urgent: bool = False
) -> Iterator[Sequence[Member]]:
    """Run a group of ``count`` processes within a block, at the lowest priority if not urgent.

    Raises:
        MemberEnded: it cannot be started.
    """
    try:
        group = spawn_group(command, count)
    except OSError as error:
        raise MemberEnded(f"cannot be started: {error}", None) from error
    if not is_urgent:
        give_way(group.process.pid)  # it loads code for a while before it forks the others
    try:
        yield [Member(channel, group.process) for channel in group.channels]
    finally:
        for channel in group.channels:
            channel.close()
        _end(group.process)


def _end(parent: "subprocess.Popen[bytes]") -> None:
    """End the parent of a group, which kills the others first; they end with the parent anyway."""
    parent.terminate()
    try:
        parent.wait(_END_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        parent.kill()
        parent.wait()
