"""Folders that only this user can enter, and one holder of each at a time."""

import contextlib
import fcntl
import os
import stat

from clew.values.errors import AlreadyRunning, ConfigError


def take_lock(folder: str) -> int:
    """Hold the lock of a folder for as long as the returned descriptor is open.

    Raises:
        AlreadyRunning: another daemon holds it.
        ConfigError: the folder cannot be used.
    """
    make_private_folder(folder)
    path = os.path.join(folder, "lock")
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


def make_private_folder(path: str) -> None:
    """Make a folder that only this user can enter, or check that it is one.

    Raises:
        ConfigError: it belongs to someone else, is no folder, or lets others in.
    """
    # The XDG base directory specification wants parents made for it to be private too.
    before = os.umask(0o077)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.mkdir(path)
        status = os.lstat(path)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    finally:
        os.umask(before)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        raise ConfigError(f"{path} is not a folder of your own")
    if status.st_mode & 0o077:
        raise ConfigError(f"{path} lets others in: chmod 700 it")
