"""The process that started the bridge: a client that dies may leave the pipes open.

Something else may hold them, such as another server of the same client, so that the end of stdin
is never seen.
"""

from __future__ import annotations

import os
import stat

POLL_S = 2.0  # where the system cannot tell
_STDIN = 0
_DESCRIPTORS_MAX = 65_536


class Parent:
    """The parent at the time this was made."""

    def __init__(self) -> None:
        self._pid = os.getppid()
        self.descriptor = _pidfd(self._pid)  # readable once the parent has ended, or ``None``

    @property
    def has_ended(self) -> bool:
        """Return whether the parent is gone: another process is the parent then."""
        return os.getppid() != self._pid

    @property
    def must_be_polled(self) -> bool:
        """Return whether nothing but asking again tells when the parent ends."""
        # The parent has no number if it is in another container: then its end cannot be seen.
        return self.descriptor is None and self._pid != 0

    @property
    def may_be_another(self) -> bool:
        """Return whether the process that started this one may have ended before this was made.

        The parent is then the process that adopts orphans. It has no end of the pipe on stdin, but
        neither have a few helpers that start programs for others.
        """
        return self._pid != 0 and not _may_hold_stdin(self._pid)


def _may_hold_stdin(pid: int) -> bool:
    """Return whether a process has the pipe on our stdin open, or one cannot tell."""
    folder = f"/proc/{pid}/fd"
    try:
        ours = os.fstat(_STDIN)
        if not stat.S_ISFIFO(ours.st_mode):
            return True  # the two ends of a pair of sockets are different files
        numbers = os.listdir(folder)[:_DESCRIPTORS_MAX]
    except PermissionError:
        return False  # the process of another user, such as the first process of the system
    except OSError:
        return True
    return any(_is_same(f"{folder}/{number}", ours) for number in numbers)


def _is_same(path: str, ours: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.stat(path), ours)
    except OSError:
        return False  # closed since it was listed


def _pidfd(pid: int) -> int | None:
    """Return a descriptor for the end of a process: Linux 5.3 has them."""
    try:
        return os.pidfd_open(pid)
    except (OSError, AttributeError):
        return None
