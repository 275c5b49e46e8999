"""Load the approximate index of vectors on a thread, after the indexer has saved it."""

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from clew.surface.server.child.replica import Replica
from clew.surface.server.shared_work import POOL
from clew.values import ipc

if TYPE_CHECKING:
    from clew.index.approximate import ApproximateIndex

logger = logging.getLogger(__name__)


class ApproximateLoader:
    """Loads the file in ``folder`` into the replica; tells the indexer if it cannot be used."""

    def __init__(self, folder: str, replica: Replica, tell: Callable[[object], None]) -> None:
        self._folder = folder
        self._replica = replica
        self._tell = tell
        self._loading: asyncio.Task[None] | None = None
        self._is_newer = False  # whether a newer file was saved while this one is loaded

    def load(self) -> None:
        """Begin to load the file; meanwhile queries use exact search or the earlier file."""
        self._is_newer = True
        if self._loading is None:
            self._loading = asyncio.get_running_loop().create_task(self._load())

    async def _load(self) -> None:
        try:
            while self._is_newer:
                self._is_newer = False
                opening = asyncio.get_running_loop().run_in_executor(POOL, _open, self._folder)
                self._replica.use_approximate(await opening)
        except (OSError, ValueError) as error:
            logger.warning("approximate index unusable reason=%s", error)
            self._tell(ipc.ApproximateIndexRejected(str(error)))
        finally:
            self._loading = None


def _open(folder: str) -> "ApproximateIndex":
    from clew.engine.approximate.opening import open_approximate  # noqa: PLC0415 - 0.1 s

    return open_approximate(folder)
