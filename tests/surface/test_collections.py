"""What lives as long as the daemon is left out of collections of reference cycles."""

import asyncio
import gc
from collections.abc import Iterator
from weakref import ref

import pytest

from clew.engine.reading.gc_pause import collector_paused
from clew.surface.server.daemon import freeze_once_set, give_back_regularly

SECONDS_MAX = 60.0  # only what hangs takes longer


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    thresholds = gc.get_threshold()
    gc.unfreeze()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)


def test_objects_are_frozen_once_the_index_is_ready() -> None:
    async def frozen_counts() -> tuple[int, int]:
        ready = asyncio.Event()
        task = asyncio.get_running_loop().create_task(freeze_once_set(ready))
        await asyncio.sleep(0)
        before = gc.get_freeze_count()
        ready.set()
        await task
        return before, gc.get_freeze_count()

    before, after = asyncio.run(frozen_counts())
    assert before == 0
    assert after > 10_000
    assert len(gc.get_objects()) < after / 10


def test_a_large_reply_causes_no_full_collection_but_its_cycles_are_collected_later() -> None:
    class Cycle:
        """An object that refers to itself."""

        def __init__(self) -> None:
            self.itself = self

    async def full_collections() -> tuple[int, bool, bool]:
        ready = asyncio.Event()
        ready.set()
        gc.freeze()  # else Python makes no full collection while most objects are old
        await freeze_once_set(ready)
        before = gc.get_stats()[2]["collections"]
        cycle = Cycle()
        rows = [[number] for number in range(200_000)]
        during = gc.get_stats()[2]["collections"] - before
        is_old = any(one is cycle for one in gc.get_objects(2))
        is_collected = asyncio.Event()
        kept = ref(cycle, lambda _: is_collected.set())
        del cycle, rows
        regularly = asyncio.get_running_loop().create_task(give_back_regularly(0.0))
        await asyncio.wait_for(is_collected.wait(), SECONDS_MAX)
        regularly.cancel()
        return during, is_old, kept() is None

    during, is_old, is_collected = asyncio.run(full_collections())
    assert during == 0
    assert is_old, "else a collection of younger objects would be enough"
    assert is_collected


def test_objects_made_in_a_pause_are_frozen_after_it() -> None:
    with collector_paused():
        assert not gc.isenabled()
        kept: list[object] = []
    assert gc.isenabled()
    assert gc.get_freeze_count() > 10_000
    assert not any(one is kept for one in gc.get_objects())
