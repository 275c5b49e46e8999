"""The model that embeds queries, loaded once on a thread after the first index is ready."""

import asyncio
import logging
from typing import TYPE_CHECKING

from clew.surface.server.shared_work import POOL
from clew.values.errors import ModelUnavailable

if TYPE_CHECKING:
    from clew.embed.encoder import Encoder

logger = logging.getLogger(__name__)


def _open(name: str) -> "Encoder":
    from clew.embed.models import open_model  # noqa: PLC0415 - takes 0.3 s, kept out of the start

    return open_model(name)


class QueryModel:
    """Loads one model once and shares it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._loading: asyncio.Future[Encoder] | None = None
        self.failure: str | None = None  # why the model cannot be loaded

    async def encoder(self) -> "Encoder | None":
        """Return the encoder once it is loaded; ``None`` if it cannot be loaded."""
        if self.failure is not None:
            return None
        if self._loading is None:
            loop = asyncio.get_running_loop()
            self._loading = loop.run_in_executor(POOL, _open, self._name)
        try:
            return await asyncio.shield(self._loading)
        except ModelUnavailable as error:
            logger.warning("no query vectors reason=%s", error)
            self.failure = str(error)
        except (OSError, ImportError, MemoryError) as error:
            # No descriptor or memory to spare, perhaps: the next query tries again.
            logger.warning("model not loaded reason=%s", error)
            self._loading = None
        return None
