"""Work beside a query, on another thread, which needs no Python for nearly all of its time."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Any, TypeVar

T = TypeVar("T")

# How long a query waits for the thread to begin. A thread needs Python's lock to begin, which its
# starter would keep for 5 ms. On a busy machine the query goes on without it.
HANDOVER_S = 0.001


class Beside:
    """A thread for the work of one query at a time."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="clew-beside")
        self._running: Future[Any] | None = None

    def begin(self, work: Callable[[], T]) -> Callable[[], T]:
        """Begin ``work`` if the thread is idle; return a function that waits for its result.

        If the thread is busy, or has not begun the work when its result is needed, the function
        runs the work itself. Errors of ``work`` are passed on by the function.
        """
        if self._running is not None and not self._running.done():
            return work
        has_begun = Lock()
        has_begun.acquire()

        def run() -> T:
            has_begun.release()
            return work()

        self._running = future = self._thread.submit(run)
        has_begun.acquire(timeout=HANDOVER_S)
        return lambda: work() if future.cancel() else future.result()
