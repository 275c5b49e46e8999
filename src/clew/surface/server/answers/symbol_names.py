"""The names of symbols, learned aside where they are many, for all requests together."""

import asyncio
from collections.abc import Callable
from typing import Any

from clew.engine.derived.symbols import SymbolNames
from clew.engine.snapshot import Snapshot

LEARNED_AT_ONCE = 200  # names, some 2 ms; more are learned on a thread
TRIES_MAX = 3  # the vault may change while names are learned


class Naming:
    """Names as learned so far; who looks at them first sees to it that all are."""

    def __init__(self, stemmer: str) -> None:
        self.names = SymbolNames(stemmer)
        self._learning: asyncio.Future[Any] | None = None

    async def learned(self, present: Callable[[], Snapshot]) -> SymbolNames:
        """Return names of all that the ``present`` revision has, until something is awaited.

        Many are learned while queries are answered. Who asked for that may be gone by the end: it
        goes on, and the next one waits for it.
        """
        tries = 0
        while True:
            while self._learning is not None:
                await asyncio.wait([self._learning])
            unlearned = self.names.unlearned(present())
            tries += 1
            if unlearned.count <= LEARNED_AT_ONCE or tries > TRIES_MAX:
                self.names.learn(unlearned)
                return self.names
            loop = asyncio.get_running_loop()
            self._learning = loop.run_in_executor(None, self.names.learn, unlearned)
            self._learning.add_done_callback(self._end)

    def _end(self, _: asyncio.Future[Any]) -> None:
        self._learning = None
