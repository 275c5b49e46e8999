"""What lives as long as the daemon is left out of collections of reference cycles."""

import asyncio
import gc
from collections.abc import Iterator

import pytest

from clew.engine.reading.gc_pause import collector_paused
from clew.surface.server.daemon import freeze_once_set


@pytest.fixture(autouse=True)
def unfrozen() -> Iterator[None]:
    gc.unfreeze()
    yield
    gc.unfreeze()


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


def test_objects_made_in_a_pause_are_frozen_after_it() -> None:
    with collector_paused():
        assert not gc.isenabled()
        kept: list[object] = []
    assert gc.isenabled()
    assert gc.get_freeze_count() > 10_000
    assert not any(one is kept for one in gc.get_objects())
