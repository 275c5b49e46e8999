"""A daemon's life in one function: lock, socket, first index, watch, answer, and all of it undone.

Things are stopped in the reverse of the order in which they were started.
"""

import asyncio
import contextlib
import logging
import os
import signal
import sys

from clew.engine.indexer import Indexer
from clew.surface.config import Config
from clew.surface.server.connection import Connections
from clew.surface.server.door import open_socket, take_lock
from clew.surface.server.freshness import Freshness
from clew.surface.server.service import Places, VaultService
from clew.values.errors import ConfigError, VaultUnavailable

logger = logging.getLogger(__name__)

SAVE_EVERY_S = 2.0


def serve(places: Places, config: Config) -> None:
    """Serve a vault until told to stop.

    Raises:
        AlreadyRunning: another daemon serves it.
        ConfigError: the state or the socket cannot be used.
    """
    if _is_inside(places.state, places.vault) or _is_inside(places.socket, places.vault):
        raise ConfigError("state and socket must not be inside the vault, which is only read")
    lock = take_lock(places.state)
    try:
        asyncio.run(_serve(places, config))
    finally:
        os.close(lock)


async def _serve(places: Places, config: Config) -> None:
    listener = open_socket(places.socket)
    service = VaultService(Indexer(config.indexer_settings(places.vault)), places)
    connections = Connections(service, config.server.max_clients)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, service.stopping.set)
    server = await loop.create_unix_server(connections.new, sock=listener)
    logger.info("listening socket=%s vault=%s", places.socket, places.vault)
    tasks = [
        loop.create_task(_index_and_watch(service, config)),
        loop.create_task(_save_now_and_then(service)),
    ]
    try:
        await _until_stopped(service, tasks)
    finally:
        for task in reversed(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        server.close()
        await connections.close_all()
        service.save()
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


async def _index_and_watch(service: VaultService, config: Config) -> None:
    while not service.ready.is_set():
        try:
            async for _ in service.first_index():
                await asyncio.sleep(0)
        except VaultUnavailable:
            await asyncio.sleep(2.0)
    await Freshness(service, config.watch).keep()


async def _save_now_and_then(service: VaultService) -> None:
    while True:
        await asyncio.sleep(SAVE_EVERY_S)
        service.save()


def _is_inside(path: str, folder: str) -> bool:
    real, outer = os.path.realpath(path), os.path.realpath(folder)
    return os.path.commonpath([real, outer]) == outer


def log_to_stderr(verbosity: int) -> None:
    """Log one line an event to stderr; more of them the higher ``verbosity`` is."""
    level = logging.DEBUG if verbosity > 1 else logging.INFO
    logging.basicConfig(
        stream=sys.stderr, level=level, format="%(asctime)s %(levelname)s %(name)s %(message)s"
    )
    logging.getLogger("watchfiles").setLevel(logging.WARNING)
    logging.getLogger("markdown_it").setLevel(logging.WARNING)
