"""The socket at which a daemon listens, and the record by which commands find it."""

import asyncio
import logging
import os
import socket
from collections.abc import Callable
from dataclasses import replace

from clew.disk.durable import Disk, replace_file
from clew.surface.paths import RECORD_FILE, fallback_socket
from clew.surface.record import Record, encode, read_record, record_of_this_process
from clew.surface.server.listening_socket import (
    BACKLOG,
    file_identity,
    inherited_socket,
    open_socket,
    remove_socket,
)
from clew.surface.server.paths import shown
from clew.surface.server.service import VaultService
from clew.values.errors import ConfigError

logger = logging.getLogger(__name__)

ACCEPTED_AT_ONCE = 8


class Listening:
    """The listening socket of a daemon and its record; both are removed at the end."""

    def __init__(
        self,
        service: VaultService,
        accept: Callable[[], asyncio.BaseProtocol],
        disk: Disk,
    ) -> None:
        self._service = service
        self._accept = accept
        self._disk = disk
        self._record_path = os.path.join(service.paths.state, RECORD_FILE)
        self._server: asyncio.Server | None = None
        self._path = ""
        self._file: tuple[int, int] | None = None  # device and inode of the socket's file
        self._owns_file = False

    async def open(self) -> None:
        """Listen, and write the record.

        Raises:
            AlreadyRunning: another daemon answers at the socket.
            ConfigError: the socket cannot be used.
        """
        path = self._service.paths.socket
        inherited = inherited_socket(path)
        await self._listen(path, inherited or open_socket(path))
        # The service manager keeps its socket open after this daemon has ended.
        self._owns_file = inherited is None
        self._write_record()

    async def _listen(self, path: str, listener: socket.socket) -> None:
        # asyncio accepts up to ``backlog`` clients at once, before this process can refuse or evict
        # one. A small number bounds the open descriptors; the kernel's queue may be longer.
        loop = asyncio.get_running_loop()
        self._server = await loop.create_unix_server(
            self._accept, sock=listener, backlog=ACCEPTED_AT_ONCE
        )
        listener.listen(BACKLOG)
        self._path, self._file = path, file_identity(path)
        logger.info("listening socket=%s vault=%s", path, self._service.paths.vault)

    async def renew(self) -> None:
        """Create the socket and the record again if they were removed or replaced.

        Raises:
            AlreadyRunning: another daemon answers at the socket.
            ConfigError: no socket can be created.
        """
        if file_identity(self._path) != self._file:
            await self._listen_again()
        record, wanted = read_record(self._service.paths.state), self._record()
        if record is None or encode(record) != encode(wanted):
            self._write_record()

    async def _listen_again(self) -> None:
        """Listen at the same path, or else at the path for daemons without a runtime folder."""
        former = self._server
        paths = self._service.paths
        try:
            await self._listen(self._path, open_socket(self._path))
        except ConfigError as error:
            logger.warning("socket cannot be created again reason=%s", error)
            path = fallback_socket(paths.vault)
            await self._listen(path, open_socket(path))
        self._owns_file = True
        self._service.paths = replace(paths, socket=self._path)
        if former is not None:
            former.close()

    def _record(self) -> Record:
        return record_of_this_process(self._path)

    def _write_record(self) -> None:
        try:
            replace_file(self._disk, self._record_path, [encode(self._record())])
        except OSError as error:
            reason = f"{shown(self._record_path)} cannot be written: {error.strerror or error}"
            self._service.health.degrade("record", reason)
        else:
            self._service.health.recover("record")

    def close(self) -> None:
        """Accept no more clients."""
        if self._server is not None:
            self._server.close()

    def remove(self) -> None:
        """Remove the socket's file and the record."""
        if self._owns_file:
            remove_socket(self._path, self._file)
        try:
            self._disk.unlink(self._record_path)
        except OSError as error:
            logger.debug("record not removed reason=%s", error)
