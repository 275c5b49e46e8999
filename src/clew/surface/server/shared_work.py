"""Slow work on threads, and single-flight: what many queries need at the same time runs once."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import partial
from typing import Any, ClassVar


class Threads(Executor):
    """Threads that work; where the system starts none, the caller's thread does the work itself."""

    _were_refused: ClassVar[bool] = False

    def __init__(self, max_workers: int | None = None, *, thread_name_prefix: str) -> None:
        self._new_pool = partial(ThreadPoolExecutor, max_workers, thread_name_prefix)
        self._pool = self._new_pool()

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Do ``work`` on a thread, or before this returns; return the future of its result."""
        done: Future[Any] = Future()
        claim = threading.Lock()  # a pool queues the work that it refuses, and may have threads

        def run() -> None:
            if claim.acquire(blocking=False) and done.set_running_or_notify_cancel():
                try:
                    done.set_result(work(*args, **kwargs))
                except BaseException as error:  # noqa: BLE001 - is passed on
                    done.set_exception(error)

        try:
            self._pool.submit(run)
        except RuntimeError:
            Threads._were_refused = True
            # Else the work and its result would be kept until a thread can be started.
            self._pool = self._new_pool()
            run()
        return done

    @classmethod
    def are_refused(cls) -> bool:
        """Return whether the system let this process start no thread, and still does not."""
        if cls._were_refused:
            try:
                threading.Thread(target=lambda: None).start()
            except RuntimeError:
                return True
            cls._were_refused = False
        return False


POOL = Threads(thread_name_prefix="clew-pool")  # for work that need not be done one by one


class SharedWork:
    """Runs functions one by one on one thread, since more would slow down the event loop."""

    def __init__(self) -> None:
        self._thread = Threads(max_workers=1, thread_name_prefix="clew-work")
        self._running: dict[Callable[[], object], asyncio.Future[object]] = {}

    async def run_once(self, work: Callable[[], object]) -> None:
        """Run ``work`` on the thread and wait for it; callers with an equal function share a run.

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
