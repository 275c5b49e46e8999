"""Work beside a query, on another thread, which needs no Python for nearly all of its time."""

from collections import deque
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from clew.query.search.legs.comparison import put_off
from clew.surface.children import processor_count
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
        self._running: Future[None] | None = None  # until its query has its result
        self._has_processor = processor_count() > 1

    def begin(self, pieces: Sequence[Piece]) -> Callable[[], None]:
        """Begin the first of ``pieces`` if the thread is idle; return a function to finish them.

        That function runs the pieces that the thread has not begun, waits for the others, and
        raises their errors. It is called once.
        """
        is_busy = self._running is not None and not self._running.done()
        if is_busy or not self._has_processor:
            return put_off(pieces)
        left = deque(pieces)
        has_begun = Lock()
        has_begun.acquire()

        def run() -> None:
            has_begun.release()
            _run_all(left.popleft)

        self._running = future = self._thread.submit(run)
        has_begun.acquire(timeout=HANDOVER_S)

        def finish() -> None:
            try:
                _run_all(left.pop)
                if not future.cancel():
                    future.result()
            finally:
                if self._running is future and future.done():
                    self._running = None  # its error would keep the pieces, which have megabytes

        return finish


def _run_all(take: Callable[[], Piece]) -> None:
    """Run the pieces that ``take`` returns until it has none; another thread may take some."""
    while True:
        try:
            piece = take()
        except IndexError:
            return
        piece()
