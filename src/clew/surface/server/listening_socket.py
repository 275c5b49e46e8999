"""Create, identify and remove the listening socket.

The socket is in a private folder. A socket at which a daemon answers is never replaced.
"""

import contextlib
import errno
import os
import socket
import stat
import sys

from clew.surface.paths import SOCKET_PATH_BYTES_MAX, fits_socket
from clew.surface.peers import tells_peers
from clew.surface.private import make_private_folder
from clew.values.errors import AlreadyRunning, ConfigError

BACKLOG = 100
_FIRST_PASSED = 3  # SD_LISTEN_FDS_START: the first descriptor that a service manager passes


def open_socket(path: str) -> socket.socket:
    """Bind a socket to ``path`` and listen; the caller must hold the lock of the state folder.

    Raises:
        AlreadyRunning: a process answers there.
        ConfigError: the path cannot be used.
    """
    if not fits_socket(path):
        limit = f"over {SOCKET_PATH_BYTES_MAX} bytes, the limit of the system"
        raise ConfigError(f"the socket's path is {limit}: {path}\ngive --socket a shorter one")
    if not tells_peers():
        raise ConfigError(f"{sys.platform} does not say which user connects to a socket")
    make_private_folder(os.path.dirname(path))
    _remove_stale(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    old_umask = os.umask(0o177)
    try:
        listener.bind(path)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise ConfigError(f"{path}: {error.strerror}") from error
    finally:
        os.umask(old_umask)
    listener.setblocking(False)
    return listener


def inherited_socket(path: str) -> socket.socket | None:
    """Return the listening socket that a service manager has passed to this process.

    ``None`` if it has passed none. Source: sd_listen_fds(3).

    Raises:
        ConfigError: it is not a socket that listens at ``path``, or others may enter its folder.
    """
    process, count = os.environ.pop("LISTEN_PID", ""), os.environ.pop("LISTEN_FDS", "")
    if process != str(os.getpid()):
        return None
    if count != "1":
        raise ConfigError(f"the service manager passed {count} sockets instead of one")
    try:
        listener = socket.socket(fileno=_FIRST_PASSED)
    except OSError as error:
        raise ConfigError(f"the service manager passed no socket: {error.strerror}") from error
    listener.set_inheritable(False)
    is_listening = listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    if listener.family != socket.AF_UNIX or not is_listening or listener.getsockname() != path:
        raise ConfigError(f"the service manager passed another socket than {path}")
    make_private_folder(os.path.dirname(path))
    listener.setblocking(False)
    return listener


def file_identity(path: str) -> tuple[int, int] | None:
    """Return the device and the inode of the file at a path, ``None`` if there is none.

    While a socket is open, no other file can have its inode.
    """
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def remove_socket(path: str, identity: tuple[int, int] | None) -> None:
    """Remove the socket's file, unless another file has replaced it."""
    if identity is not None and file_identity(path) == identity:
        with contextlib.suppress(OSError):
            os.unlink(path)


def _remove_stale(path: str) -> None:
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(status.st_mode):
        raise ConfigError(f"{path} exists and is no socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(path)
        except OSError as error:
            if error.errno in (errno.ECONNREFUSED, errno.ENOENT):
                os.unlink(path)
                return
    raise AlreadyRunning(f"a daemon answers at {path}", "give --socket another path")
