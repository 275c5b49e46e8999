"""Run a query in slices, between which other work runs, so that no query blocks the event loop."""

import asyncio
import time
from typing import TypeVar

from clew.query.slices import Slices
from clew.surface.server.shared_work import SharedWork

T = TypeVar("T")

TURN_S = 0.002  # how long slices run before other connections get their turn


async def in_turns(slices: Slices[T], shared_work: SharedWork) -> T:
    """Run all slices, and yield to other work after each ``TURN_S``; return their result.

    Errors of the slices are passed on.
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
            await shared_work.run_once(work)
