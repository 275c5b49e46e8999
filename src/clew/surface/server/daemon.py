"""Run a daemon from start to end: lock the state, open the socket, run the tasks, shut down.

The shutdown undoes the steps of the start in the reverse order.
"""

import asyncio
import gc
import logging
import os
import sys
from collections.abc import Callable

from clew.surface.allocator import give_back_memory, keep_freed_memory
from clew.surface.children import Spawned
from clew.surface.config import Config
from clew.surface.locked import LockedDisk
from clew.surface.private import FolderLock, take_lock
from clew.surface.record import live_record
from clew.surface.server.answers.packs.context_cache import new_cache
from clew.surface.server.child.spawning import EarlyStart, spawn_indexer
from clew.surface.server.connection import Connections
from clew.surface.server.listening import Listening
from clew.surface.server.paths import DaemonPaths, shown
from clew.surface.server.service import VaultService
from clew.surface.server.upkeep import CHECK_SECONDS, keep_up
from clew.surface.server.vault_file import enter_vault
from clew.surface.signals import EndSignals
from clew.text.masking.secrets import is_masking
from clew.values.errors import AlreadyRunning, ConfigError

logger = logging.getLogger(__name__)

SAVE_EVERY_S = 2.0
# After many queries at the same time the allocator holds 15 to 22 MB that an idle server never uses
# again. Under load they are in use again within some hundred requests.
GIVE_BACK_EVERY_S = 60.0
# The threshold with which Python makes no full collection of reference cycles by itself: one amid a
# reply of 100,000 rows takes up to 28 ms, and finds nothing. ``give_back_regularly`` makes them.
_NEVER = 1_000_000_000
# Packs and drawings are made on threads. While one is, a request of another client waits several
# times for Python's lock, each time so long; by default it is 5 ms.
SWITCH_S = 0.001


def serve(
    paths: DaemonPaths,
    config: Config,
    early: EarlyStart | None = None,
    spawn: Callable[[], Spawned] = spawn_indexer,
    *,
    verbosity: int = 0,
    check_seconds: float = CHECK_SECONDS,
) -> None:
    """Serve a vault until told to stop; ``early``: the indexer and signals started already.

    Every ``check_seconds`` the daemon checks that commands can still find it.

    Raises:
        AlreadyRunning: another daemon serves the vault, or has replaced this one.
        ConfigError: the state or the socket cannot be used, or can no longer be.
    """
    signals = early.signals if early else EndSignals()
    signals.listen()
    sys.setswitchinterval(SWITCH_S)
    if _is_inside(paths.state, paths.vault) or _is_inside(paths.socket, paths.vault):
        raise ConfigError(
            f"the state ({paths.state}) and the socket ({paths.socket}) must not be inside the "
            "vault, which is only read: serve a smaller folder, or give --state and --socket "
            "outside of it"
        )
    lock = _lock_state(paths.state)
    keep_freed_memory()
    is_masking.set(config.context.mask_secrets)
    briefing = config.briefing(paths.vault, paths.state, verbosity, os.getpid())
    try:
        service = VaultService(
            paths,
            briefing,
            config.sibling_config(),
            config.search_config(),
            early.indexer if early else None,
            spawn,
            LockedDisk(lock),
        )
        service.other_vault = enter_vault(LockedDisk(lock), paths.state, paths.vault)
        service.allows_private = config.context.allow_private
        service.tools.contexts = new_cache(config.context.cache_entries)
        asyncio.run(_serve(service, lock, signals, config.server.max_clients, check_seconds))
    finally:
        lock.close()


def _lock_state(state: str) -> FolderLock:
    """Lock the state folder.

    Raises:
        AlreadyRunning: another daemon holds the lock; the message says where it listens.
        ConfigError: the folder cannot be used.
    """
    try:
        return take_lock(state)
    except AlreadyRunning as error:
        record = live_record(state)
        if record is None:
            raise
        where = f"{error} (process {record.pid}) at {shown(record.socket)}"
        raise AlreadyRunning(where, error.hint) from error


async def _serve(
    service: VaultService,
    lock: FolderLock,
    signals: EndSignals,
    max_clients: int,
    check_seconds: float,
) -> None:
    loop = asyncio.get_running_loop()
    # The loop's own handlers are not used: it removes them when it is closed, and then a second
    # signal would interrupt the rest of the shutdown.
    with signals.calling(lambda: loop.call_soon_threadsafe(service.stopping.set)):
        await _answer_clients(service, lock, max_clients, check_seconds)


async def _answer_clients(
    service: VaultService, lock: FolderLock, max_clients: int, check_seconds: float
) -> None:
    connections = Connections(service, max_clients)
    service.receiver.after_change = connections.notify
    listening = Listening(service, connections.new, LockedDisk(lock))
    loop = asyncio.get_running_loop()
    await listening.open()
    tasks = [
        loop.create_task(service.indexer.keep()),
        loop.create_task(_save_regularly(service)),
        loop.create_task(give_back_regularly(GIVE_BACK_EVERY_S)),
        loop.create_task(keep_up(service, lock, listening, check_seconds)),
    ]
    settling = loop.create_task(freeze_once_set(service.receiver.ready))
    try:
        await _until_stopped(service, tasks)
    finally:
        listening.close()
        await connections.close_all()
        ending = [settling, *reversed(tasks)]
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)
        service.save(at_end=True)
        listening.remove()
        logger.info("stopped")


async def _until_stopped(service: VaultService, tasks: list[asyncio.Task[None]]) -> None:
    """Wait until the daemon is told to stop; raise the error of a task that failed."""
    stopping = asyncio.ensure_future(service.stopping.wait())
    try:
        await asyncio.wait([stopping, *tasks], return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            if task.done():
                task.result()
    finally:
        stopping.cancel()


async def freeze_once_set(ready: asyncio.Event) -> None:
    """Freeze all objects that exist once ``ready`` is set, so that the collector skips them.

    Nearly all of them live as long as the daemon. Each full collection would traverse them, and
    block every client for 40 ms or more. From then on only ``give_back_regularly`` makes full ones.
    """
    await ready.wait()
    gc.collect()
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, _NEVER)


async def _save_regularly(service: VaultService) -> None:
    while True:
        await asyncio.sleep(SAVE_EVERY_S)
        service.save()


async def give_back_regularly(every_s: float) -> None:
    """Collect reference cycles and give back free memory every ``every_s`` seconds."""
    while True:
        await asyncio.sleep(every_s)
        if gc.get_count()[2]:  # else next to nothing was made since the last one
            gc.collect()
        give_back_memory()


def _is_inside(path: str, folder: str) -> bool:
    real, outer = os.path.realpath(path), os.path.realpath(folder)
    return os.path.commonpath([real, outer]) == outer
