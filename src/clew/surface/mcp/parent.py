"""The process that started the bridge: a client that dies may leave the pipes open.

Something else may hold them, such as another server of the same client, so that the end of stdin
is never seen.
"""

from __future__ import annotations

import os

POLL_S = 2.0  # where the system cannot tell


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


def _pidfd(pid: int) -> int | None:
    """Return a descriptor for the end of a process: Linux 5.3 has them."""
    try:
        return os.pidfd_open(pid)
    except (OSError, AttributeError):
        return None
