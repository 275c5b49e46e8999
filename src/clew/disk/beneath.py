"""Opening a file below a folder without following symbolic links, as ``RESOLVE_BENEATH`` does.

Each folder of the path is opened with ``O_NOFOLLOW`` relative to the one before, so a symbolic link
cannot lead out of the root, even if it is created at the same time. Opening a FIFO or a device
never blocks.
"""

import errno
import os

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def open_beneath(root: str, path: str) -> int:
    """Open the file at ``path`` below ``root`` for reading; return its descriptor.

    Raises:
        OSError: it cannot be opened, or a part of the path is a symbolic link.
    """
    *folders, name = path.split("/")
    if "\0" in path or not {"", ".", ".."}.isdisjoint((*folders, name)):
        raise FileNotFoundError(errno.ENOENT, "not a path below the root", path)
    parent = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for folder in folders:
            child = os.open(folder, _FOLDER_FLAGS, dir_fd=parent)
            os.close(parent)
            parent = child
        return os.open(name, _FILE_FLAGS, dir_fd=parent)
    finally:
        os.close(parent)
