"""Opening a file below a folder, and never one outside of it.

A path is opened folder by folder with ``O_NOFOLLOW``, so that no symbolic link, however it got
there, leads out of the folder; FIFOs and devices are never waited on.
"""

import errno
import os

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def open_beneath(root: str, path: str) -> int:
    """Open a regular file below ``root`` for reading without following any symbolic link."""
    *folders, name = path.split("/")
    if "\0" in path or not {"", ".", ".."}.isdisjoint((*folders, name)):
        raise FileNotFoundError(errno.ENOENT, "no path of a vault", path)
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for folder in folders:
            below = os.open(folder, _FOLDER_FLAGS, dir_fd=here)
            os.close(here)
            here = below
        return os.open(name, _FILE_FLAGS, dir_fd=here)
    finally:
        os.close(here)
