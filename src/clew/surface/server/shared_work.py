"""Single-flight: slow work that many queries need at the same time runs once, on a thread."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


class SharedWork:
    """Runs functions one by one on one thread, since more would slow down the event loop."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="clew-work")
        self._running: dict[Callable[[], object], asyncio.Future[object]] = {}

    async def run_once(self, work: Callable[[], object]) -> None:
        """Return after ``work`` has run; callers with an equal function share one run.

        The run continues even if all callers are cancelled. Errors of ``work`` are passed on.
        """
        await asyncio.shield(self.begin(work))

    def begin(self, work: Callable[[], object]) -> asyncio.Future[object]:
        """Queue ``work`` unless an equal function runs or waits; return its future."""
        running = self._running.get(work)
        if running is None:
            running = asyncio.get_running_loop().run_in_executor(self._thread, work)
            self._running[work] = running
            running.add_done_callback(lambda _: self._running.pop(work))
        return running
