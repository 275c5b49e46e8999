"""The one door through which state on disk is changed.

A ``Disk`` has the few primitives; what is built on them here keeps the order that survives a kill
at any moment and a power cut: bytes are synced before the name that leads to them, a name appears
by one rename, and the folder that holds the name is synced last. No other module changes state
files, so a test that stands in for the disk sees, and can fail, each and every step.

Nothing here knows what the bytes mean. Files and folders are the owner's alone: 0600 and 0700.
"""

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from typing import BinaryIO, Protocol

from clew.disk.beneath import open_beneath

_WRITE_BYTES = 1024 * 1024  # pieces are gathered up to this size

_NEW_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK a FIFO in the file's place would be waited on for ever.
_APPEND_FLAGS = (
    os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
)
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_FOLDER_SYNC = frozenset((errno.EINVAL, errno.ENOTSUP))


class Disk(Protocol):
    """What can be done to the files of the state; every method may raise ``OSError``."""

    def make_folder(self, path: str) -> None:
        """Make one folder; it must not be there."""

    def create(self, path: str) -> int:
        """Make an empty file, which must not be there; return its descriptor for writing."""

    def open_append(self, path: str) -> int:
        """Return a descriptor that writes at the end of a file, made empty if it is not there."""

    def write(self, descriptor: int, data: memoryview) -> int:
        """Write some of ``data``; return how many bytes."""

    def truncate(self, descriptor: int, size_bytes: int) -> None:
        """Cut an open file off after ``size_bytes``."""

    def sync(self, descriptor: int) -> None:
        """Return when the bytes of an open file are on the medium."""

    def close(self, descriptor: int) -> None:
        """Let go of a descriptor."""

    def sync_folder(self, path: str) -> None:
        """Return when the names in a folder are on the medium."""

    def rename(self, source: str, target: str) -> None:
        """Give a file or folder another name, in one step; a file there is replaced."""

    def unlink(self, path: str) -> None:
        """Remove a file's name."""

    def remove_folder(self, path: str) -> None:
        """Remove an empty folder."""


class RealDisk:
    """The file system."""

    def make_folder(self, path: str) -> None:
        """Make one folder that only its owner can enter."""
        os.mkdir(path, 0o700)

    def create(self, path: str) -> int:
        """Make an empty file that only its owner can read; return its descriptor."""
        return os.open(path, _NEW_FLAGS, 0o600)

    def open_append(self, path: str) -> int:
        """Return a descriptor that writes at the end of a regular file of the owner's own."""
        descriptor = os.open(path, _APPEND_FLAGS, 0o600)
        try:
            _require_own_file(descriptor, path)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor

    def write(self, descriptor: int, data: memoryview) -> int:
        """Write some of ``data``; return how many bytes."""
        return os.write(descriptor, data)

    def truncate(self, descriptor: int, size_bytes: int) -> None:
        """Cut an open file off after ``size_bytes``."""
        os.ftruncate(descriptor, size_bytes)

    def sync(self, descriptor: int) -> None:
        """Return when the bytes of an open file are on the medium."""
        os.fsync(descriptor)

    def close(self, descriptor: int) -> None:
        """Let go of a descriptor."""
        os.close(descriptor)

    def sync_folder(self, path: str) -> None:
        """Return when the names in a folder are on the medium.

        A file system that has no such operation says so by EINVAL; there is no more to be had.
        """
        descriptor = os.open(path, _FOLDER_FLAGS)
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno not in _NO_FOLDER_SYNC:
                raise
        finally:
            os.close(descriptor)

    def rename(self, source: str, target: str) -> None:
        """Give a file or folder another name, in one step; a file there is replaced."""
        os.rename(source, target)

    def unlink(self, path: str) -> None:
        """Remove a file's name."""
        os.unlink(path)

    def remove_folder(self, path: str) -> None:
        """Remove an empty folder."""
        os.rmdir(path)


DISK: Disk = RealDisk()


def open_state_file(root: str, path: str) -> BinaryIO:
    """Open a state file below ``root`` for reading; no symbolic link below it is followed.

    Raises:
        OSError: it is not there, cannot be read, is no regular file, or is someone else's.
    """
    descriptor = open_beneath(root, path)
    try:
        _require_own_file(descriptor, path)
    except OSError:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


def size_of(descriptor: int) -> int:
    """Return the size of an open file in bytes."""
    return os.fstat(descriptor).st_size


def ensure_folder(disk: Disk, path: str) -> None:
    """Make a folder unless it is there; its parent must be.

    Raises:
        OSError: it cannot be made, or something else has its name.
    """
    try:
        disk.make_folder(path)
    except FileExistsError:
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path) from None


def write_all(disk: Disk, descriptor: int, data: bytes | bytearray) -> None:
    """Write all of ``data``.

    Raises:
        OSError: some of it may be in the file.
    """
    with memoryview(data) as rest:
        done = 0
        while done < len(rest):
            done += disk.write(descriptor, rest[done:])


def write_file(disk: Disk, path: str, pieces: Iterable[bytes]) -> None:
    """Write a new file whole and sync it; its name is durable once its folder is synced.

    Raises:
        OSError: it is there already or cannot be written; what was begun is removed if possible.
    """
    with ExitStack() as undo:
        descriptor = disk.create(path)
        undo.callback(_unlink_if_possible, disk, path)
        undo.callback(_close_if_possible, disk, descriptor)
        gathered = bytearray()
        for piece in pieces:
            gathered += piece
            if len(gathered) >= _WRITE_BYTES:
                write_all(disk, descriptor, gathered)
                gathered = bytearray()
        write_all(disk, descriptor, gathered)
        disk.sync(descriptor)
        undo.pop_all()
    # Everything is on the medium by now: what a close could still complain of does not matter.
    _close_if_possible(disk, descriptor)


def replace_file(disk: Disk, path: str, pieces: Iterable[bytes]) -> None:
    """Write a file whole so that a crash or power cut leaves the old one or the new one.

    Raises:
        OSError: it cannot be written; whichever of the two is there is whole.
    """
    new = f"{path}.new"
    with suppress(FileNotFoundError):
        disk.unlink(new)  # left behind by a crash
    write_file(disk, new, pieces)
    try:
        disk.rename(new, path)
    except OSError:
        _unlink_if_possible(disk, new)
        raise
    disk.sync_folder(os.path.dirname(path))


def publish_folder(disk: Disk, new: str, path: str) -> None:
    """Give a folder whose files are all synced its final name; nothing may have that name.

    Raises:
        OSError: ``path`` is not there, or ``OutcomeUnknown`` if it may be.
    """
    disk.sync_folder(new)
    parent = os.path.dirname(path)
    disk.rename(new, path)
    try:
        disk.sync_folder(parent)
    except OSError as error:
        try:
            disk.rename(path, new)
            disk.sync_folder(parent)
        except OSError:
            raise OutcomeUnknown(error.errno, error.strerror, path) from error
        raise


class OutcomeUnknown(OSError):
    """A step could be neither finished nor undone: a restart may find either."""


def remove_tree(disk: Disk, path: str) -> None:
    """Remove a file, a symbolic link, or a folder with all that is in it.

    Raises:
        OSError: something could not be removed; some of the rest may be gone.
    """
    if not stat.S_ISDIR(os.lstat(path).st_mode):
        disk.unlink(path)
        return
    folders = [path]
    for folder in folders:  # grows on the way
        with os.scandir(folder) as entries:
            found = list(entries)
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            else:
                disk.unlink(entry.path)
    for folder in reversed(folders):
        disk.remove_folder(folder)


def _require_own_file(descriptor: int, path: str) -> None:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
        raise PermissionError(errno.EPERM, "not a regular file of our own", path)


def _unlink_if_possible(disk: Disk, path: str) -> None:
    with suppress(OSError):
        disk.unlink(path)


def _close_if_possible(disk: Disk, descriptor: int) -> None:
    with suppress(OSError):
        disk.close(descriptor)
