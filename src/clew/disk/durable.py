"""Writing state files so that they survive a crash or a power cut.

A power cut may lose any write that was not fsynced, and may keep a rename while it loses the bytes
of the renamed file. So each change has four steps, in this order:

1. write the bytes under a temporary name;
2. fsync the file, so that its bytes are on the disk;
3. rename it to its final name, which POSIX makes atomic: other processes see the old or the new;
4. fsync the folder, so that the new name is on the disk.

After a crash at any point, the final name has the old content or the new, never a mixture; after
step 4, it has the new. A whole folder is published in the same way. A journal
(``clew.disk.journal``) appends instead, and detects a torn end by checksums.

``Disk`` has the system calls that change files. All state is changed through it and no other module
does so (a test checks this), so a test can record every call, make it fail, or simulate a power
cut.

Files and folders are private to their owner: modes 0600 and 0700.
"""

import errno
import fcntl
import os
import stat
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from io import BufferedReader
from typing import Protocol

from clew.disk.beneath import FOLDER_FLAGS, open_beneath

_BUFFER_BYTES = 1024 * 1024  # Chunks are joined up to this size before a write.

_NEW_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a FIFO in place of the file would block for ever.
_APPEND_FLAGS = (
    os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
)
_FSYNC_UNSUPPORTED = frozenset((errno.EINVAL, errno.ENOTSUP))


def flush(descriptor: int) -> None:
    """Write an open file to the disk, past the disk's own cache.

    On macOS fsync does not reach that far, and F_FULLFSYNC does; some file systems there lack it.
    Source: fsync(2) of macOS.
    """
    full_fsync = getattr(fcntl, "F_FULLFSYNC", None)
    if full_fsync is not None:
        with suppress(OSError):
            fcntl.fcntl(descriptor, full_fsync)
            return
    os.fsync(descriptor)


class Disk(Protocol):
    """The system calls that change state files; every method may raise ``OSError``."""

    def make_folder(self, path: str) -> None:
        """Make a folder, which must not exist."""

    def create(self, path: str) -> int:
        """Create a file, which must not exist; return a descriptor for writing."""

    def open_append(self, path: str) -> int:
        """Open a file for appending, and create it if it does not exist; return its descriptor."""

    def write(self, descriptor: int, data: memoryview) -> int:
        """Write some or all of ``data``; return the number of bytes written."""

    def truncate(self, descriptor: int, size_bytes: int) -> None:
        """Truncate an open file to ``size_bytes``."""

    def sync(self, descriptor: int) -> None:
        """Fsync an open file."""

    def close(self, descriptor: int) -> None:
        """Close a descriptor."""

    def sync_folder(self, path: str) -> None:
        """Fsync a folder, so that the names in it are on the disk."""

    def rename(self, source: str, target: str) -> None:
        """Rename a file or folder atomically; replace a file that has the new name."""

    def unlink(self, path: str) -> None:
        """Remove a file."""

    def remove_folder(self, path: str) -> None:
        """Remove an empty folder."""


class RealDisk:
    """Changes files through the operating system."""

    def make_folder(self, path: str) -> None:
        """Make a folder that only its owner can enter."""
        os.mkdir(path, 0o700)

    def create(self, path: str) -> int:
        """Create a file that only its owner can read; return its descriptor."""
        return os.open(path, _NEW_FLAGS, 0o600)

    def open_append(self, path: str) -> int:
        """Open a regular file of this user for appending; return its descriptor."""
        descriptor = os.open(path, _APPEND_FLAGS, 0o600)
        try:
            _require_own_file(descriptor, path)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor

    def write(self, descriptor: int, data: memoryview) -> int:
        """Write some or all of ``data``; return the number of bytes written."""
        return os.write(descriptor, data)

    def truncate(self, descriptor: int, size_bytes: int) -> None:
        """Truncate an open file to ``size_bytes``."""
        os.ftruncate(descriptor, size_bytes)

    def sync(self, descriptor: int) -> None:
        """Fsync an open file."""
        flush(descriptor)

    def close(self, descriptor: int) -> None:
        """Close a descriptor."""
        os.close(descriptor)

    def sync_folder(self, path: str) -> None:
        """Fsync a folder, so that the names in it are on the disk.

        Some file systems cannot do this, and return EINVAL or ENOTSUP, which is ignored.
        """
        descriptor = os.open(path, FOLDER_FLAGS)
        try:
            flush(descriptor)
        except OSError as error:
            if error.errno not in _FSYNC_UNSUPPORTED:
                raise
        finally:
            os.close(descriptor)

    def rename(self, source: str, target: str) -> None:
        """Rename a file or folder atomically; replace a file that has the new name."""
        os.rename(source, target)

    def unlink(self, path: str) -> None:
        """Remove a file."""
        os.unlink(path)

    def remove_folder(self, path: str) -> None:
        """Remove an empty folder."""
        os.rmdir(path)


DISK: Disk = RealDisk()


def open_state_file(root: str, path: str) -> BufferedReader:
    """Open a state file below ``root`` for reading, without following symbolic links.

    Raises:
        OSError: it does not exist, cannot be read, is not a regular file, or belongs to another
        user.
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
    """Make a folder unless it exists; its parent must exist.

    Raises:
        OSError: it cannot be made, or its name is taken by something else.
    """
    try:
        disk.make_folder(path)
    except FileExistsError:
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path) from None


def write_all(disk: Disk, descriptor: int, data: bytes | bytearray) -> None:
    """Write all of ``data``.

    Raises:
        OSError: a write failed; part of ``data`` may be in the file.
    """
    with memoryview(data) as view:
        written = 0
        while written < len(view):
            written += disk.write(descriptor, view[written:])


def write_file(disk: Disk, path: str, chunks: Iterable[bytes]) -> None:
    """Write a new file and fsync it. The caller fsyncs the folder.

    Raises:
        OSError: the file exists already or cannot be written; a partial file is removed if
            possible.
    """
    with ExitStack() as undo:
        descriptor = disk.create(path)
        undo.callback(_unlink_if_possible, disk, path)
        undo.callback(_close_if_possible, disk, descriptor)
        buffer = bytearray()
        for chunk in chunks:
            buffer += chunk
            if len(buffer) >= _BUFFER_BYTES:
                write_all(disk, descriptor, buffer)
                buffer = bytearray()
        write_all(disk, descriptor, buffer)
        disk.sync(descriptor)
        undo.pop_all()
    # All bytes are on the disk by now, so an error of ``close`` does not matter.
    _close_if_possible(disk, descriptor)


def replace_file(disk: Disk, path: str, chunks: Iterable[bytes]) -> None:
    """Write or replace a file atomically: a crash or power cut leaves the old file or the new one.

    Raises:
        OSError: a step failed; the path has the old file or the new one, complete.
    """
    new = f"{path}.new"
    with suppress(FileNotFoundError):
        disk.unlink(new)  # An earlier crash may have left this file.
    write_file(disk, new, chunks)
    try:
        disk.rename(new, path)
    except OSError:
        _unlink_if_possible(disk, new)
        raise
    disk.sync_folder(os.path.dirname(path))


def publish_folder(disk: Disk, new: str, path: str) -> None:
    """Rename a folder to its final name, which must be free; its files are fsynced already.

    Raises:
        OutcomeUnknown: a restart may find the folder under either name.
        OSError: the folder is not published.
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
    """A step could be neither completed nor undone: a restart may find either state."""


def remove_tree(disk: Disk, path: str) -> None:
    """Remove a file, a symbolic link, or a folder with its contents.

    Raises:
        OSError: an entry could not be removed; others may be gone already.
    """
    if not stat.S_ISDIR(os.lstat(path).st_mode):
        disk.unlink(path)
        return
    folders = [path]
    for folder in folders:  # The loop appends subfolders.
        with os.scandir(folder) as listing:
            entries = list(listing)
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            else:
                disk.unlink(entry.path)
    for folder in reversed(folders):
        disk.remove_folder(folder)


def _require_own_file(descriptor: int, path: str) -> None:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
        raise PermissionError(errno.EPERM, "not a regular file of this user", path)


def _unlink_if_possible(disk: Disk, path: str) -> None:
    with suppress(OSError):
        disk.unlink(path)


def _close_if_possible(disk: Disk, descriptor: int) -> None:
    with suppress(OSError):
        disk.close(descriptor)
