"""A daemon's life in one function: lock, socket, indexer, answers, and all of it undone.

Things are stopped in the reverse of the order in which they were started.
"""

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import Callable

from clew.surface.config import Config
from clew.surface.private import take_lock
from clew.surface.server.allocator import keep_freed_memory
from clew.surface.server.child.spawning import Spawned, spawn
from clew.surface.server.connection import Connections
from clew.surface.server.listening_socket import BACKLOG, open_socket
from clew.surface.server.paths import Places
from clew.surface.server.service import VaultService
from clew.values.errors import ConfigError

logger = logging.getLogger(__name__)

SAVE_EVERY_S = 2.0
ACCEPTED_AT_ONCE = 8


def serve(
    places: Places,
    config: Config,
    spawned: Spawned | None = None,
    spawn: Callable[[], Spawned] = spawn,
    *,
    verbosity: int = 0,
) -> None:
    """Serve a vault until told to stop; ``spawned`` is an indexer that was started already.

    Raises:
        AlreadyRunning: another daemon serves it.
        ConfigError: the state or the socket cannot be used.
    """
    if _is_inside(places.state, places.vault) or _is_inside(places.socket, places.vault):
        raise ConfigError("state and socket must not be inside the vault, which is only read")
    lock = take_lock(places.state)
    keep_freed_memory()
    briefing = config.briefing(places.vault, places.state, verbosity, os.getpid())
    try:
        service = VaultService(
            places, briefing, config.sibling_config(), config.search_config(), spawned, spawn
        )
        asyncio.run(_serve(service, config.server.max_clients))
    finally:
        os.close(lock)


async def _serve(service: VaultService, max_clients: int) -> None:
    places = service.places
    listener = open_socket(places.socket)
    connections = Connections(service, max_clients)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, service.stopping.set)
    # asyncio accepts as many clients in one go as the queue holds, before any is refused or makes
    # room: few at a time, so that descriptors stay within bounds; the queue itself is longer.
    server = await loop.create_unix_server(connections.new, sock=listener, backlog=ACCEPTED_AT_ONCE)
    listener.listen(BACKLOG)
    logger.info("listening socket=%s vault=%s", places.socket, places.vault)
    tasks = [
        loop.create_task(service.indexer.keep()),
        loop.create_task(_save_now_and_then(service)),
    ]
    try:
        await _until_stopped(service, tasks)
    finally:
        server.close()
        await connections.close_all()
        for task in reversed(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        service.save(at_end=True)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(places.socket)
        logger.info("stopped")


async def _until_stopped(service: VaultService, tasks: list[asyncio.Task[None]]) -> None:
    """Return when the daemon was told to stop; raise what ended one of its tasks."""
    stopping = asyncio.ensure_future(service.stopping.wait())
    try:
        await asyncio.wait([stopping, *tasks], return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            if task.done():
                task.result()
    finally:
        stopping.cancel()


async def _save_now_and_then(service: VaultService) -> None:
    while True:
        await asyncio.sleep(SAVE_EVERY_S)
        service.save()


def _is_inside(path: str, folder: str) -> bool:
    real, outer = os.path.realpath(path), os.path.realpath(folder)
    return os.path.commonpath([real, outer]) == outer
