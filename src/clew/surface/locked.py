"""Write to a state folder only as long as the folder's lock is in place.

When the folder is removed or replaced while the daemon runs, another daemon may lock it and write
there. Each step checks the lock first, so that two daemons never write to one state.
"""

import errno

from clew.disk.durable import RealDisk
from clew.surface.private import FolderLock


class LockedDisk(RealDisk):
    """Changes the file system, but fails once the lock was removed or replaced."""

    def __init__(self, lock: FolderLock) -> None:
        self._lock = lock

    def _require_lock(self) -> None:
        if not self._lock.is_in_place():
            raise OSError(errno.ESTALE, "the state folder was removed or replaced")

    def make_folder(self, path: str) -> None:
        """Make one folder that only its owner can enter."""
        self._require_lock()
        super().make_folder(path)

    def create(self, path: str) -> int:
        """Make an empty file that only its owner can read; return its descriptor."""
        self._require_lock()
        return super().create(path)

    def open_append(self, path: str) -> int:
        """Return a descriptor that writes at the end of a regular file of the owner's own."""
        self._require_lock()
        return super().open_append(path)

    def write(self, descriptor: int, data: memoryview) -> int:
        """Write some or all of ``data``; return the number of bytes written."""
        self._require_lock()
        return super().write(descriptor, data)

    def truncate(self, descriptor: int, size_bytes: int) -> None:
        """Cut an open file off after ``size_bytes``."""
        self._require_lock()
        super().truncate(descriptor, size_bytes)

    def rename(self, source: str, target: str) -> None:
        """Rename a file or folder atomically; replace a file that has the new name."""
        self._require_lock()
        super().rename(source, target)

    def unlink(self, path: str) -> None:
        """Remove a file's name."""
        self._require_lock()
        super().unlink(path)

    def remove_folder(self, path: str) -> None:
        """Remove an empty folder."""
        self._require_lock()
        super().remove_folder(path)
