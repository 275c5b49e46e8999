"""The socket's place: a private folder, one daemon a vault, no live socket ever replaced."""

import contextlib
import errno
import fcntl
import os
import socket
import stat

from clew.surface.places import SOCKET_PATH_BYTES_MAX
from clew.values.errors import AlreadyRunning, ConfigError

BACKLOG = 100


def take_lock(state: str) -> int:
    """Hold the lock of a state folder for as long as the returned descriptor is open.

    Raises:
        AlreadyRunning: another daemon holds it.
        ConfigError: the folder cannot be used.
    """
    make_private_folder(state)
    path = os.path.join(state, "lock")
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


def open_socket(path: str) -> socket.socket:
    """Bind and listen at ``path``; only the holder of the vault's lock may call this.

    Raises:
        AlreadyRunning: something answers there.
        ConfigError: the path cannot be used.
    """
    if len(os.fsencode(path)) > SOCKET_PATH_BYTES_MAX:
        raise ConfigError(f"the socket's path is over {SOCKET_PATH_BYTES_MAX} bytes: {path}")
    make_private_folder(os.path.dirname(path))
    _remove_stale(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(path)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise ConfigError(f"{path}: {error.strerror}") from error
    finally:
        os.umask(before)
    listener.setblocking(False)
    return listener


def _remove_stale(path: str) -> None:
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(status.st_mode):
        raise ConfigError(f"{path} is there and is no socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(path)
        except OSError as error:
            if error.errno in (errno.ECONNREFUSED, errno.ENOENT):
                os.unlink(path)
                return
    raise AlreadyRunning(f"a daemon answers at {path}", "give --socket another path")
