"""Private folders, and locks that give a folder one owner process at a time."""

import contextlib
import fcntl
import os
import stat

from clew.surface.paths import LOCK_FILE
from clew.values.errors import AlreadyRunning, ConfigError

_LOCK_TRIES = 10


class FolderLock:
    """The lock of a folder, held until it is closed.

    The kernel locks a file, not a name: after the folder was removed or replaced, this lock is
    still held, but another process can lock the new file at the same path.
    """

    def __init__(self, folder: str, descriptor: int) -> None:
        self.folder = folder
        self._path = os.path.join(folder, LOCK_FILE)
        self._descriptor = descriptor

    def is_in_place(self) -> bool:
        """Return whether the locked file is still the file at the path."""
        return _leads_to(self._path, self._descriptor)

    def retake(self) -> None:
        """Lock the file that is now at the path; make it if it is missing.

        Raises:
            AlreadyRunning: another daemon has locked it.
            ConfigError: the folder cannot be used.
        """
        if self.is_in_place():
            return
        descriptor = _lock_file_of(self.folder)
        os.close(self._descriptor)
        self._descriptor = descriptor

    def close(self) -> None:
        """Release the lock."""
        os.close(self._descriptor)


def take_lock(folder: str) -> FolderLock:
    """Lock a folder; make it if it does not exist.

    Raises:
        AlreadyRunning: another daemon holds the lock.
        ConfigError: the folder cannot be used.
    """
    return FolderLock(folder, _lock_file_of(folder))


def _lock_file_of(folder: str) -> int:
    """Return a descriptor of the lock file in a folder, which holds its lock."""
    path = os.path.join(folder, LOCK_FILE)
    for _ in range(_LOCK_TRIES):
        make_private_folder(folder)
        descriptor = _open_locked(path)
        # Between the two calls another daemon may have removed the folder and made a new one.
        if _leads_to(path, descriptor):
            return descriptor
        os.close(descriptor)
    raise ConfigError(f"{path} is replaced all the time")


def _open_locked(path: str) -> int:
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(path, flags, 0o600)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise AlreadyRunning("a daemon already serves this vault", "clew status") from error
    except OSError as error:
        os.close(descriptor)
        raise ConfigError(f"{path} cannot be locked: {error.strerror}") from error
    return descriptor


def _leads_to(path: str, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.lstat(path), os.fstat(descriptor))
    except OSError:
        return False


def make_private_folder(path: str) -> None:
    """Make a folder that only this user can enter, or check that it is one.

    Raises:
        ConfigError: it belongs to another user, is not a folder, or lets others in.
    """
    # The XDG base directory specification requires new parent folders to be private too.
    old_umask = os.umask(0o077)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.mkdir(path)
        status = os.lstat(path)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    finally:
        os.umask(old_umask)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        raise ConfigError(f"{path} is not a folder of your own")
    if status.st_mode & 0o077:
        raise ConfigError(f"{path} lets others in: chmod 700 it")
