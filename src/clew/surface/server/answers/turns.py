"""Running a query in turns with other work, so that no client holds the event loop."""

import asyncio
import time
from typing import TypeVar

from clew.query.slices import Slices
from clew.surface.server.shared_work import SharedWork

T = TypeVar("T")

TURN_S = 0.002  # how long slices run before other connections get their turn


async def in_turns(slices: Slices[T], shared_work: SharedWork) -> T:
    """Run all slices, with a turn for other work whenever they took ``TURN_S``; return the result.

    Raises what the slices raise.
    """
    while True:
        work, until_s = None, time.perf_counter() + TURN_S
        try:
            while work is None and time.perf_counter() < until_s:
                work = next(slices)
        except StopIteration as end:
            result: T = end.value
            return result
        if work is None:
            await asyncio.sleep(0)
        else:
            await shared_work.done(work)
