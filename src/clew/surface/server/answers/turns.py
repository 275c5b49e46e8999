"""Running a query in turns with other work, so that no client holds the event loop."""

import asyncio
import time
from typing import TypeVar

from clew.query.slices import Slices

T = TypeVar("T")

TURN_S = 0.002  # how long slices run before other connections get their turn


async def in_turns(slices: Slices[T]) -> T:
    """Run all slices, with a turn for other work whenever they took ``TURN_S``; return the result.

    Raises what the slices raise.
    """
    while True:
        until_s = time.perf_counter() + TURN_S
        try:
            while time.perf_counter() < until_s:
                next(slices)
        except StopIteration as end:
            result: T = end.value
            return result
        await asyncio.sleep(0)
