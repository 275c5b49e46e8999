"""Periodic checks that commands can find the daemon: its state folder, socket and record."""

import asyncio
import logging
import os

from clew.surface.paths import LOCK_FILE
from clew.surface.private import FolderLock
from clew.surface.server.listening import Listening
from clew.surface.server.service import VaultService
from clew.values import ipc
from clew.values.errors import AlreadyRunning, ConfigError

logger = logging.getLogger(__name__)

CHECK_SECONDS = 60.0


async def keep_up(
    service: VaultService, lock: FolderLock, listening: Listening, every_s: float
) -> None:
    """Check every ``every_s`` seconds that commands can find the daemon, until cancelled.

    Raises:
        AlreadyRunning: another daemon serves the vault now.
        ConfigError: no socket can be made.
    """
    while True:
        await asyncio.sleep(every_s)
        _hold_state(service, lock)
        await listening.renew()


def _hold_state(service: VaultService, lock: FolderLock) -> None:
    """Make the state folder and its files again if the folder was removed or replaced."""
    if not lock.is_in_place():
        logger.warning("state folder was removed or replaced path=%s", lock.folder)
        try:
            lock.retake()
        except AlreadyRunning as error:
            message = "another daemon serves the state folder, which was removed or replaced"
            raise AlreadyRunning(
                message, "this one ends; clew status tells of the other"
            ) from error
        except ConfigError as error:
            service.health.degrade(
                "state", f"the folder was removed and cannot be made again: {error}"
            )
            return
        service.health.recover("state")
        service.save_again()
    elif not os.path.lexists(os.path.join(lock.folder, "index", LOCK_FILE)):
        service.indexer.tell(ipc.SaveAgain())
