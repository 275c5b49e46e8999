"""Work beside a query, on another thread, which needs no Python for nearly all of its time."""

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import ReferenceType, ref

from clew.surface.server.shared_work import Threads

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")

# How long a query waits for the thread to begin. A thread needs Python's lock to begin, which its
# starter would keep for 5 ms. On a busy machine the query goes on without it.
HANDOVER_S = 0.001


class Beside:
    """A thread for the work of one query at a time."""

    def __init__(self) -> None:
        self._thread = Threads(max_workers=1, thread_name_prefix="clew-beside")
        # Weakly, so that a result is kept no longer than its query: it may have megabytes.
        self._running: ReferenceType[Future[Any]] | None = None

    def begin(self, work: Callable[[], T]) -> Callable[[], T]:
        """Begin ``work`` if the thread is idle; return a function that waits for its result.

        If the thread is busy, or has not begun the work when its result is needed, the function
        runs the work itself. Errors of ``work`` are passed on by the function.
        """
        running = None if self._running is None else self._running()
        if running is not None and not running.done():
            return work
        has_begun = Lock()
        has_begun.acquire()

        def run() -> T:
            has_begun.release()
            return work()

        future = self._thread.submit(run)
        self._running = ref(future)
        has_begun.acquire(timeout=HANDOVER_S)
        return lambda: work() if future.cancel() else future.result()
