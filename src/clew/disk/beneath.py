"""Opening and reading a file below a folder without following links, as ``RESOLVE_BENEATH`` does.

Each folder of the path is opened with ``O_NOFOLLOW`` relative to the one before, so a symbolic link
cannot lead out of the root, even if it is created at the same time. Opening a FIFO or a device
never blocks.
"""

import errno
import os
import stat
from dataclasses import dataclass

FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

# Errors of ``open`` that mean there is no such file, or a symbolic link or file in its path.
_NOT_THERE = frozenset((errno.ENOENT, errno.ELOOP, errno.ENOTDIR, errno.ENXIO, errno.ENAMETOOLONG))


@dataclass(frozen=True, slots=True)
class FileRead:
    """The first bytes of a file, and its status before they were read."""

    data: bytes
    status: os.stat_result


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
            child = os.open(folder, FOLDER_FLAGS, dir_fd=parent)
            os.close(parent)
            parent = child
        return os.open(name, _FILE_FLAGS, dir_fd=parent)
    finally:
        os.close(parent)


def read_beneath(root: str, path: str, max_bytes: int, head_bytes: int = 0) -> FileRead | None:
    """Read up to ``max_bytes`` of the file at ``path`` below ``root``.

    Of a larger file only ``head_bytes`` are read. ``None`` if there is no regular file.

    Raises:
        OSError: it is there, but cannot be read.
    """
    try:
        descriptor = open_beneath(root, path)
    except OSError as error:
        if error.errno in _NOT_THERE:
            return None
        raise
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return None
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(max_bytes if status.st_size <= max_bytes else head_bytes)
        return FileRead(data, status)
    finally:
        os.close(descriptor)
