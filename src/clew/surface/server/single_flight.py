"""Single-flight: work that many requests need at once is done once, on a thread."""

import asyncio
from collections.abc import Callable
from typing import TypeAlias, TypeVar

from clew.engine.derived.derived_values import Derived

T = TypeVar("T")

# Two functions: the first computes a value on a thread, the second stores it on the event loop.
Work: TypeAlias = tuple[Callable[[], T], Callable[[T], None]]


class SingleFlight:
    """One kind of work, done at most once at a time for each revision."""

    def __init__(self) -> None:
        self._running: tuple[Derived, asyncio.Future[None]] | None = None

    async def once(self, derived: Derived, work_of: Callable[[Derived], Work[T]]) -> None:
        """Return after the work that ``work_of`` returns is done for ``derived``.

        Later callers wait for the running work, which goes on even if all callers are cancelled.
        """
        if self._running is None or self._running[0] is not derived:
            task = asyncio.ensure_future(_compute_and_store(*work_of(derived)))
            self._running = derived, task
            task.add_done_callback(self._forget)
        await asyncio.shield(self._running[1])

    def _forget(self, task: asyncio.Future[None]) -> None:
        if self._running is not None and self._running[1] is task:
            self._running = None  # releases the index, which may be outdated by now


async def _compute_and_store(compute: Callable[[], T], store: Callable[[T], None]) -> None:
    store(await asyncio.get_running_loop().run_in_executor(None, compute))
