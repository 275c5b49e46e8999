"""Deadlines that also hold on a busy machine.

A ``Stopwatch`` runs slower while the processes under test wait for a processor that others use. A
process that hangs does not wait for a processor, so its deadline passes on any machine. Linux
counts these waits in ``schedstat``; on other systems every deadline is several times longer.
"""

import functools
import mmap
import os
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from tests.processes import descendants

_FALLBACK_FACTOR = 5.0  # where the kernel does not count waits
_LOOP_STEPS = 400_000
_LOOP_SECONDS = 0.04  # of processor time for those steps, on a usual machine of 2020
_TOUCHED_BYTES = 64 * 1024 * 1024
_TOUCH_SECONDS = 0.02  # of processor time to touch each of its pages first, on such a machine
_SETTLE_SECONDS = 0.3  # extra time, since a wait is counted only when it ends


@dataclass(frozen=True, slots=True)
class _Usage:
    """How long a thread has used a processor, and how long it has waited for one, in seconds."""

    run_s: float
    wait_s: float


class Stopwatch:
    """Counts the seconds since it was made, corrected for waits for a processor.

    It measures the given processes; without any, this process and all its descendants.
    """

    def __init__(self, pids: Collection[int] = ()) -> None:
        self._pids = pids
        self._before = self._usages()
        self._began_s = time.monotonic()

    def seconds(self) -> float:
        """Return how many seconds would have passed on a quiet machine.

        The larger of two estimates: that each wait delayed everything else, and that everything
        was slower by the same factor.
        """
        elapsed_s = time.monotonic() - self._began_s
        run_s, wait_s = self._used_s()
        share = run_s / (run_s + wait_s) if wait_s else 1.0
        return max(elapsed_s - wait_s, elapsed_s * share) / machine_factor()

    def is_over(self, seconds: float) -> bool:
        """Return whether more than ``seconds`` have passed."""
        if time.monotonic() - self._began_s <= seconds or self.seconds() <= seconds:
            return False
        time.sleep(_SETTLE_SECONDS)
        return self.seconds() > seconds + _SETTLE_SECONDS

    def last(self, seconds: float) -> None:
        """Sleep until ``seconds`` have passed."""
        while self.seconds() < seconds:
            time.sleep(seconds / 20)

    def _used_s(self) -> tuple[float, float]:
        """Return the sums of processor time and of waits since this was made."""
        nothing = _Usage(0.0, 0.0)
        pairs = [(self._before.get(task, nothing), now) for task, now in self._usages().items()]
        run_s = sum(now.run_s - before.run_s for before, now in pairs)
        return run_s, sum(now.wait_s - before.wait_s for before, now in pairs)

    def _usages(self) -> dict[str, _Usage]:
        """Return the usage of each thread, by the path of its folder."""
        pids = self._pids or (os.getpid(), *descendants(os.getpid()))
        found = ((task, _usage(task)) for pid in pids for task in _tasks(pid))
        return {str(task): usage for task, usage in found if usage is not None}


@functools.cache
def machine_factor() -> float:
    """Return how many times slower this machine is than a usual one, without other load."""
    factor = slowness()
    return factor if Path("/proc/self/schedstat").exists() else factor * _FALLBACK_FACTOR


def slowness() -> float:
    """Return how many times more CPU time a loop takes now than on a usual machine."""
    return max(1.0, min(_loop_s() for _ in range(3)) / _LOOP_SECONDS)


@functools.cache
def memory_slowness() -> float:
    """Return how many times longer the first use of memory takes here than on a usual machine.

    Some virtual machines take microseconds for each page that a program touches first. Programs
    that allocate much, such as a browser that opens a page, are slowed by as much.
    """
    return max(1.0, min(_touch_s() for _ in range(3)) / _TOUCH_SECONDS)


def _touch_s() -> float:
    with mmap.mmap(-1, _TOUCHED_BYTES) as fresh:
        began_s = time.process_time()
        for at in range(0, _TOUCHED_BYTES, mmap.PAGESIZE):
            fresh[at] = 1
        return time.process_time() - began_s


def _loop_s() -> float:
    began_s = time.process_time()
    sum(step * step for step in range(_LOOP_STEPS))
    return time.process_time() - began_s


def _tasks(pid: int) -> list[Path]:
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return []


def _usage(task: Path) -> _Usage | None:
    try:
        run_ns, wait_ns, _ = (task / "schedstat").read_text().split()
    except OSError:
        return None  # The process has ended.
    return _Usage(int(run_ns) / 1e9, int(wait_ns) / 1e9)
