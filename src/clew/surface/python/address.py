"""The address of a daemon, and sockets to connect to it."""

import select
import socket
from collections.abc import Iterator
from dataclasses import dataclass

from clew.surface.client import NoDaemon, is_of_this_user
from clew.surface.paths import socket_path, state_folder
from clew.surface.record import live_record
from clew.surface.vaults import find_vault


@dataclass(frozen=True, slots=True)
class Address:
    """The vault of a daemon, or the path of its socket."""

    vault: str | None
    socket: str | None

    def paths(self) -> Iterator[str]:
        """Yield the paths of sockets to try.

        Raises:
            NoVault: no vault is named, and none is at or above the current folder.
        """
        if self.socket is not None:
            yield self.socket
            return
        vault = find_vault(self.vault)
        path = socket_path(vault)
        yield path
        record = live_record(state_folder(vault))
        if record is not None and record.socket != path:
            yield record.socket


def new_socket() -> socket.socket:
    """Return an unconnected Unix socket."""
    return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)


def has_ended(peer: socket.socket) -> bool:
    """Return whether the other side has closed the connection, as after a restart of the daemon."""
    polled = select.poll()
    polled.register(peer, 0)
    return any(events & (select.POLLHUP | select.POLLERR) for _, events in polled.poll(0))


def check_user(peer: socket.socket, path: str) -> None:
    """Raise ``NoDaemon`` if the process that listens belongs to another user."""
    if not is_of_this_user(peer):
        raise NoDaemon(f"the process that listens at {path} belongs to another user")
