"""The symbol names that all ``rank`` requests share; many missing ones are read on a thread."""

import asyncio
from collections.abc import Callable
from typing import Any

from clew.engine.derived.symbols import SymbolNames, Symbols
from clew.engine.snapshot import Snapshot

LEARNED_AT_ONCE = 200  # names, about 2 ms on the event loop; more are learned on a thread
TRIES_MAX = 3  # the vault may change while names are learned


class SharedSymbolNames:
    """The symbol names read so far; a request that reads missing names does so for all others."""

    def __init__(self, stemmer: str) -> None:
        self._names = SymbolNames(stemmer)
        self._learning: asyncio.Future[Any] | None = None

    async def symbols(self, present: Callable[[], Snapshot]) -> tuple[Snapshot, Symbols]:
        """Return the ``present`` revision and its symbols.

        If the caller is cancelled, the thread goes on learning, and the next caller waits for it.
        """
        tries = 0
        while True:
            while self._learning is not None:
                await asyncio.wait([self._learning])
            snapshot = present()
            unlearned = self._names.unlearned(snapshot)
            tries += 1
            if unlearned.count <= LEARNED_AT_ONCE or tries > TRIES_MAX:
                self._names.learn(unlearned)
                return snapshot, self._names.symbols(snapshot)
            loop = asyncio.get_running_loop()
            self._learning = loop.run_in_executor(None, self._names.learn, unlearned)
            self._learning.add_done_callback(self._end)

    def _end(self, _: asyncio.Future[Any]) -> None:
        self._learning = None
