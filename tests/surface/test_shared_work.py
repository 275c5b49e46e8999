"""Work that many requests need at once is done once, on a thread, despite cancellations."""

import asyncio
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from clew.engine.apply import Engine
from clew.engine.derived import derived_values as derived_module
from clew.engine.derived import importance as importance_module
from clew.surface.server.answers.ranking import answer_rank
from clew.surface.server.beside import Beside
from clew.surface.server.shared_work import SharedWork
from clew.values.requests import Rank
from clew.values.vault import Batch
from tests.searches import setting
from tests.vaults import engine_of, read_note

GAUGE = Rank(query="gauge")
SECONDS_MAX = 120.0  # only what hangs takes longer, on any machine


class Worked:
    """Wraps slow work; records the threads it ran on."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        self._work = work
        self.threads: list[int] = []
        self.pause = threading.Event()  # while cleared, work on other threads waits
        self.pause.set()

    def __call__(self, given: Any) -> Any:
        self.threads.append(threading.get_ident())
        if threading.current_thread() is not threading.main_thread():
            assert self.pause.wait(SECONDS_MAX)
        return self._work(given)


@pytest.fixture
def weighed(monkeypatch: pytest.MonkeyPatch) -> Worked:
    worked = Worked(derived_module.importance_of)
    monkeypatch.setattr(derived_module, "importance_of", worked)
    return worked


def serving(engine: Engine) -> Any:
    """Return a fake of the vault's service."""
    given = setting()
    return SimpleNamespace(
        ready_snapshot=lambda: engine.snapshot,
        snapshot=engine.snapshot,
        search_config=given.config,
        tools=SimpleNamespace(
            zone=given.zone,
            model=SimpleNamespace(failure="none"),
            shared_work=SharedWork(),
            beside=Beside(),
            weighing=None,
        ),
    )


def gauges() -> Engine:
    return engine_of({"a.md": "a tide [[gauge]]", "b.md": "[[tide]] [[gauge]]", "c.md": "a gauge"})


def change(engine: Engine, text: str) -> None:
    engine.apply(Batch(put=(read_note("d.md", text),)))


async def turns(number: int = 10) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


async def until(is_true: Callable[[], object]) -> None:
    """Wait, for at least ten seconds, until something has begun on another thread."""
    for _ in range(10_000):
        if is_true():
            return
        await asyncio.sleep(0.001)
    raise TimeoutError


def test_a_cancelled_request_does_not_cancel_shared_work(weighed: Worked) -> None:
    service = serving(gauges())
    weighed.pause.clear()

    async def run() -> Any:
        first, second = (asyncio.create_task(answer_rank(service, GAUGE)) for _ in range(2))
        await turns()
        first.cancel()
        await turns()
        assert first.cancelled()
        weighed.pause.set()
        return await second

    assert asyncio.run(run()).results
    assert len(weighed.threads) == 1


def test_a_failure_reaches_every_waiter_and_is_retried() -> None:
    tries = []

    def fail() -> None:
        tries.append(1)
        raise LookupError

    async def run() -> list[Any]:
        shared_work = SharedWork()
        asked = (shared_work.run_once(fail) for _ in range(3))
        return await asyncio.gather(*asked, return_exceptions=True)

    for round_count in (1, 2):
        assert [type(failure) for failure in asyncio.run(run())] == [LookupError] * 3
        assert len(tries) == round_count


def test_importance_is_computed_once_for_concurrent_requests(weighed: Worked) -> None:
    service = serving(gauges())

    async def run() -> list[Any]:
        asked = (answer_rank(service, GAUGE) for _ in range(20))
        return await asyncio.gather(*asked)

    assert all(reply.results for reply in asyncio.run(run()))
    assert len(weighed.threads) == 1


def test_importance_is_never_computed_on_the_event_loop(weighed: Worked) -> None:
    """This holds even if links change while it is computed."""
    engine = gauges()
    service = serving(engine)
    weighed.pause.clear()

    async def run() -> Any:
        asked = asyncio.create_task(answer_rank(service, GAUGE))
        await until(lambda: weighed.threads)
        change(engine, "[[tide]] [[gauge]] [[moon]]")
        weighed.pause.set()
        early = await asked
        return early, await answer_rank(service, GAUGE)

    early, late = asyncio.run(run())
    assert "d" not in [row.name for row in early.results]
    assert "d" in [row.name for row in late.results]
    assert len(weighed.threads) == 2
    assert threading.get_ident() not in weighed.threads


def test_rank_is_answered_although_the_vault_keeps_changing(weighed: Worked) -> None:
    engine = gauges()
    service = serving(engine)

    async def run() -> Any:
        async def edit() -> None:
            for number in range(10_000):
                change(engine, f"[[c{number}]] gauge")
                await asyncio.sleep(0)

        editing = asyncio.create_task(edit())
        reply = await answer_rank(service, Rank(query="gague"))
        editing.cancel()
        return reply

    assert asyncio.run(run()).fuzzy_correction.to == "gauge"
    assert len(weighed.threads) == 1


def test_rank_in_a_large_vault_does_not_wait_for_the_importance_of_new_links(
    weighed: Worked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importance_module, "LINKS_AT_ONCE", 0)
    engine = gauges()
    service = serving(engine)

    async def run() -> list[int]:
        revisions = [(await answer_rank(service, GAUGE)).importance_revision]
        weighed.pause.clear()
        for number in range(3):
            change(engine, f"[[tide]] [[moon {number}]]")
            revisions.append((await answer_rank(service, GAUGE)).importance_revision)
        weighed.pause.set()
        await service.tools.weighing
        reply = await answer_rank(service, GAUGE)
        await service.tools.weighing
        return [*revisions, reply.importance_revision]

    assert asyncio.run(run()) == [1, 1, 1, 1, 2]
    assert len(weighed.threads) == 3
    assert threading.get_ident() not in weighed.threads
