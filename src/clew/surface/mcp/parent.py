"""The process that started the bridge, watched because a dead client may leave the pipes open.

Another process, such as another server of the same client, may hold them, so that stdin never ends.
"""

from __future__ import annotations

import os
import stat

POLL_S = 2.0  # on systems that cannot signal the end of a process
_STDIN = 0
_DESCRIPTORS_MAX = 65_536


class Parent:
    """The process that was the parent when this object was made."""

    def __init__(self) -> None:
        self._pid = os.getppid()
        self.descriptor = _pidfd(self._pid)  # readable once the parent has ended, or ``None``

    @property
    def has_ended(self) -> bool:
        """Return whether the parent has ended, since another process is the parent now."""
        return os.getppid() != self._pid

    @property
    def must_be_polled(self) -> bool:
        """Return whether only polling can tell when the parent ends."""
        # A parent in another container has the pid 0, and its end cannot be seen.
        return self.descriptor is None and self._pid != 0

    @property
    def may_be_another(self) -> bool:
        """Return whether the real parent may have ended before this object was made.

        Then the parent is the process that adopts orphans, which does not hold the pipe on stdin.
        This is not certain, since a few launchers do not hold the pipe either.
        """
        return self._pid != 0 and not _may_hold_stdin(self._pid)


def _may_hold_stdin(pid: int) -> bool:
    """Return whether a process has the pipe of this stdin open; true if this cannot be told."""
    folder = f"/proc/{pid}/fd"
    try:
        stdin = os.fstat(_STDIN)
        if not stat.S_ISFIFO(stdin.st_mode):
            return True  # the two ends of a pair of sockets are different files
        numbers = os.listdir(folder)[:_DESCRIPTORS_MAX]
    except PermissionError:
        return False  # another user's process, such as init
    except OSError:
        return True
    return any(_is_same(f"{folder}/{number}", stdin) for number in numbers)


def _is_same(path: str, ours: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.stat(path), ours)
    except OSError:
        return False  # the descriptor was closed after it was listed


def _pidfd(pid: int) -> int | None:
    """Return a descriptor that is readable once a process has ended (Linux 5.3), or ``None``."""
    try:
        return os.pidfd_open(pid)
    except (OSError, AttributeError):
        return None
