"""Identify the process at the other end of a Unix socket. Imports nothing slow.

Sources: unix(7) of Linux, ``struct ucred``; sys/un.h and sys/ucred.h of macOS, ``struct xucred``.
"""

from __future__ import annotations

# The C module behind ``socket`` loads in a tenth of the time.
import _socket
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of a whole command
    from typing import Protocol

    class Peer(Protocol):
        """A connected Unix socket."""

        def getsockopt(self, level: int, option: int, size: int, /) -> bytes:
            """Return ``size`` bytes of an option, at most."""
            ...


_UCRED_BYTES, _UCRED_UID = 12, 4  # pid, uid, gid
_SOL_LOCAL, _LOCAL_PEERCRED, _LOCAL_PEERPID = 0, 1, 2  # macOS
_XUCRED_BYTES = 76  # version (0), uid, number of groups, groups
_XUCRED_UID = 4
_INT_BYTES = 4


def tells_peers(platform: str = sys.platform) -> bool:
    """Return whether this system can identify the process at the other end of a socket."""
    return platform in {"linux", "darwin"}


def peer_uid(peer: Peer, platform: str = sys.platform) -> int | None:
    """Return the user of the process at the other end; ``None`` if the system does not tell.

    On Linux this is the user at the time of ``connect`` or ``listen``.

    Raises:
        OSError: the socket is not connected.
    """
    if platform == "linux":
        return _number(
            peer.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, _UCRED_BYTES), _UCRED_UID
        )
    if platform != "darwin":
        return None
    credentials = peer.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED_BYTES)
    is_known = len(credentials) >= _XUCRED_UID + _INT_BYTES and not _number(credentials, 0)
    return _number(credentials, _XUCRED_UID) if is_known else None


def peer_pid(peer: Peer, platform: str = sys.platform) -> int:
    """Return the id of the process at the other end; 0 if the system does not tell.

    Raises:
        OSError: the socket is not connected.
    """
    if platform == "linux":
        return _number(peer.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, _UCRED_BYTES), 0)
    if platform == "darwin":
        return _number(peer.getsockopt(_SOL_LOCAL, _LOCAL_PEERPID, _INT_BYTES), 0)
    return 0


def _number(data: bytes, offset: int) -> int:
    return int.from_bytes(data[offset : offset + _INT_BYTES], sys.byteorder)
