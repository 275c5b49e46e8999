"""Pauses of background work on a busy machine, in place of a low priority.

A process that has lowered its priority may not raise it again (Linux asks for CAP_SYS_NICE, also to
leave SCHED_IDLE), and a thread of low priority that holds the interpreter's lock holds up all
others. So the indexer keeps the normal priority, since a request may wait for it at any time.
Instead, its background work pauses after each step, for a multiple of the time for which the step
waited for a processor. On a quiet machine this time is close to zero.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PAUSE_SHARE = 8.0  # times the wait: beside one busy program, work takes a tenth of a processor
PAUSE_SECONDS_MAX = 0.25  # also the longest that a request waits for a pause to end

_WAITS = "/proc/thread-self/schedstat"  # nanoseconds run, nanoseconds waited, slices


def waited_s() -> float:
    """Return the total seconds for which this thread has waited for a processor.

    If the kernel does not count them, waits for a disk or another process are included.
    """
    try:
        with open(_WAITS, encoding="ascii") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return time.monotonic() - time.thread_time()


class Pauses:
    """Measures the steps of background work, and computes the pause after each."""

    def __init__(
        self,
        waited_s: Callable[[], float] = waited_s,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._waited_s = waited_s
        self._clock = clock
        self._until_s = 0.0

    @property
    def left_s(self) -> float:
        """The remaining seconds of the pause; 0 if the next step may begin."""
        return max(0.0, self._until_s - self._clock())

    @contextmanager
    def after_step(self) -> Iterator[None]:
        """Measure the step of work in a block, and begin a pause at its end."""
        before_s = self._waited_s()
        try:
            yield
        finally:
            pause_s = PAUSE_SHARE * (self._waited_s() - before_s)
            self._until_s = self._clock() + min(PAUSE_SECONDS_MAX, pause_s)
