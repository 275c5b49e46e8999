"""Work beside a query, on another thread, which needs no Python for nearly all of its time."""

import os
from collections import deque
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from clew.surface.server.shared_work import Threads

if TYPE_CHECKING:
    from concurrent.futures import Future

Piece = Callable[[], None]

# How long a query waits for the thread to begin. A thread needs Python's lock to begin, which its
# starter would keep for 5 ms. On a busy machine the query goes on without it.
HANDOVER_S = 0.001


class Beside:
    """A thread for the work of one query at a time; none where there is one processor."""

    def __init__(self) -> None:
        self._thread = Threads(max_workers=1, thread_name_prefix="clew-beside")
        self._running: Future[None] | None = None
        self._has_processor = len(os.sched_getaffinity(0)) > 1

    def begin(self, pieces: Sequence[Piece]) -> Callable[[], None]:
        """Begin the first of ``pieces`` if the thread is idle; return a function that finishes.

        It returns once all were run, and runs those itself that the thread has not begun, the last
        one first. Errors are passed on by it.
        """
        left = deque(pieces)
        is_busy = self._running is not None and not self._running.done()
        if is_busy or not self._has_processor:
            return lambda: _run_all(left.popleft)
        has_begun = Lock()
        has_begun.acquire()

        def run() -> None:
            has_begun.release()
            _run_all(left.popleft)

        self._running = future = self._thread.submit(run)
        has_begun.acquire(timeout=HANDOVER_S)

        def finish() -> None:
            _run_all(left.pop)
            if not future.cancel():
                future.result()

        return finish


def _run_all(take: Callable[[], Piece]) -> None:
    """Run the pieces that ``take`` returns until it has none; another thread may take some."""
    while True:
        try:
            piece = take()
        except IndexError:
            return
        piece()
