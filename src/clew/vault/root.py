"""The vault's folder: the check that it is still the same one, and its settings files.

When a disk is unmounted, another folder (usually an empty one) is at the same path, with another
device and inode. These may also change when the disk is mounted again, since systems renumber
network and encrypted disks: then the notes in it prove that it is the same folder.
"""

import errno
import os
import stat
from collections.abc import Callable

from clew.disk.beneath import open_beneath


class FolderReplaced(OSError):
    """The vault's path leads to a different folder than before."""


class FolderEmptied(OSError):
    """The vault's folder has no entries, while the saved index has notes."""


class VaultRoot:
    """The folder at the vault's path; ``identity`` is its device and inode, ``None`` if unknown."""

    def __init__(self, path: str, identity: tuple[int, int] | None = None) -> None:
        self.path = path
        self.identity = identity

    def check(self, has_its_notes: Callable[[], bool] = lambda: False) -> None:
        """Check that the path still leads to the same folder as before.

        A folder of another identity counts as the same if ``has_its_notes()`` is true. A folder
        whose identity is unknown does too, unless it has no entries at all: an empty folder is
        what is left where a disk is not mounted.

        Raises:
            FolderReplaced: the path leads to another folder.
            FolderEmptied: it leads to a folder without entries, which had notes.
            OSError: the path leads to no folder.
        """
        status = os.stat(self.path)
        if not stat.S_ISDIR(status.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        identity = (status.st_dev, status.st_ino)
        if identity == self.identity:
            return
        if self.identity is None:
            if _is_empty(self.path) and not has_its_notes():
                raise FolderEmptied(errno.ENOENT, "an empty folder is at this path")
        elif not has_its_notes():
            raise FolderReplaced(errno.ENOTDIR, "another folder is at this path")
        self.identity = identity

    def is_there(self) -> bool:
        """Return whether ``check`` succeeds."""
        try:
            self.check()
        except OSError:
            return False
        return True

    def read_small(self, path: str, bytes_max: int) -> bytes | None:
        """Return up to ``bytes_max`` bytes of a file in the vault; ``None`` if it is unreadable."""
        try:
            descriptor = open_beneath(self.path, path)
        except OSError:
            return None
        try:
            with open(descriptor, "rb", closefd=False) as file:
                return file.read(bytes_max)
        except OSError:  # such as IsADirectoryError
            return None
        finally:
            os.close(descriptor)

    def names_in(self, folder: str) -> list[str]:
        """Return the names in a folder of the vault; none if the folder cannot be listed."""
        try:
            descriptor = open_beneath(self.path, folder)
        except OSError:
            return []
        try:
            return os.listdir(descriptor)
        except OSError:
            return []
        finally:
            os.close(descriptor)


def _is_empty(folder: str) -> bool:
    with os.scandir(folder) as entries:
        return next(entries, None) is None
