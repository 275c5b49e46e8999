"""The model that makes vectors of queries: loaded once, aside, after the first answers."""

import asyncio
import logging
from typing import TYPE_CHECKING

from clew.values.errors import ModelUnavailable

if TYPE_CHECKING:
    from clew.embed.encoder import Encoder

logger = logging.getLogger(__name__)


def _open(name: str) -> "Encoder":
    """Load what vectors take: some 0.3 s that a start need not wait for."""
    from clew.embed.models import open_model  # noqa: PLC0415

    return open_model(name)


class QueryModel:
    """Loads the model once, aside, and makes vectors of queries with it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._loading: asyncio.Future[Encoder] | None = None
        self.failure: str | None = None

    async def encoder(self) -> "Encoder | None":
        """Return the encoder once it is loaded; ``None`` when it cannot be."""
        if self.failure is not None:
            return None
        if self._loading is None:
            loop = asyncio.get_running_loop()
            self._loading = loop.run_in_executor(None, _open, self._name)
        try:
            return await asyncio.shield(self._loading)
        except ModelUnavailable as error:
            logger.warning("no vectors of queries reason=%s", error)
            self.failure = str(error)
            return None
