"""Work that many may want at once, done once: on a thread, while others are answered."""

import asyncio
from collections.abc import Callable
from typing import TypeAlias, TypeVar

from clew.engine.derived.derived_values import Derived

T = TypeVar("T")

# What a thread does, and what is done here with what it made.
Work: TypeAlias = tuple[Callable[[], T], Callable[[T], None]]


class Aside:
    """One kind of work, of which there is one piece a revision."""

    def __init__(self) -> None:
        self._doing: tuple[Derived, int, asyncio.Future[None]] | None = None

    async def once(self, derived: Derived, begin: Callable[[Derived], Work[T]]) -> None:
        """Return when the work that ``begin`` tells is done for the present revision.

        Who asks while it is done waits for it too. It goes on though all who asked are gone.
        """
        if self._doing is None or self._doing[:2] != (derived, derived.revision):
            doing = asyncio.ensure_future(_done(*begin(derived)))
            self._doing = derived, derived.revision, doing
            doing.add_done_callback(self._end)
        await asyncio.shield(self._doing[2])

    def _end(self, done: asyncio.Future[None]) -> None:
        if self._doing is not None and self._doing[2] is done:
            self._doing = None  # and with it an index that may be retired by now


async def _done(work: Callable[[], T], keep: Callable[[T], None]) -> None:
    keep(await asyncio.get_running_loop().run_in_executor(None, work))
