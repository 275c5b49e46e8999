"""Measuring the CPU time of a call, which hardly depends on other load."""

import time
from collections.abc import Callable
from typing import TypeVar

from tests.pace import slowness

Result = TypeVar("Result")


def least_s(call: Callable[[], object], times: int = 5) -> float:
    """Return the least CPU time of several calls."""
    taken_s = []
    for _ in range(times):
        start_s = time.process_time()
        call()
        taken_s.append(time.process_time() - start_s)
    return min(taken_s)


def check_within(seconds: float, call: Callable[[], Result], times: int = 10) -> Result:
    """Assert that the best of several calls takes less CPU time than a bound; return its result.

    The bound is in seconds of a usual machine.
    """
    taken_s = float("inf")
    for _ in range(times):
        start_s = time.process_time()
        result = call()
        taken_s = min(taken_s, time.process_time() - start_s)
        if taken_s < seconds:
            break
    assert taken_s < seconds or taken_s < seconds * slowness(), f"{taken_s:.2f} s, not {seconds} s"
    return result
