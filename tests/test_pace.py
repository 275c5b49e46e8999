"""Deadlines are longer on a busy machine, and still pass for a process that hangs."""

import os
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.pace import Stopwatch
from tests.processes import started

SPINNERS = 3
PINNED = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); "
SPIN = [sys.executable, "-c", f"{PINNED} print(flush=True)\nwhile True: pass"]
WORK = [sys.executable, "-c", f"{PINNED} print(flush=True); sum(n * n for n in range(2_000_000))"]


@pytest.mark.skipif(
    not Path("/proc/self/schedstat").exists(), reason="the kernel does not count waits"
)
def test_waiting_for_a_processor_that_others_use_adds_little_time() -> None:
    with ExitStack() as stack:
        for _ in range(SPINNERS):
            spinner = stack.enter_context(started(SPIN, stdout=-1))
            assert spinner.stdout is not None
            spinner.stdout.readline()
        worker = stack.enter_context(started(WORK, stdout=-1))
        assert worker.stdout is not None
        worker.stdout.readline()
        began_s, watch = time.monotonic(), Stopwatch([worker.pid])
        seconds = 0.0
        while os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            seconds = watch.seconds()
            time.sleep(0.01)
        assert seconds < (time.monotonic() - began_s) / 2


def test_the_deadline_of_a_process_that_hangs_passes() -> None:
    with started(["sleep", "600"]) as hanging:
        began_s, watch = time.monotonic(), Stopwatch([hanging.pid])
        assert not watch.is_over(0.2)
        while not watch.is_over(0.2):
            assert time.monotonic() - began_s < 60
            time.sleep(0.01)


def test_a_stopwatch_sleeps_as_long_as_requested() -> None:
    began_s = time.monotonic()
    Stopwatch().last(0.1)
    assert time.monotonic() - began_s >= 0.1
