"""Slow work that many queries need at once is done once, on a thread."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


class SharedWork:
    """Runs functions one at a time on one thread: more threads would slow the event loop down."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="clew-work")
        self._running: dict[Callable[[], object], asyncio.Future[object]] = {}

    async def done(self, work: Callable[[], object]) -> None:
        """Return after ``work`` has run; callers with an equal function share one run.

        It goes on even if all callers are cancelled.

        Raises what ``work`` raises.
        """
        await asyncio.shield(self.begin(work))

    def begin(self, work: Callable[[], object]) -> asyncio.Future[object]:
        """Begin ``work`` unless an equal function runs or waits; return its future."""
        running = self._running.get(work)
        if running is None:
            running = asyncio.get_running_loop().run_in_executor(self._thread, work)
            self._running[work] = running
            running.add_done_callback(lambda _: self._running.pop(work))
        return running
