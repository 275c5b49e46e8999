"""An indexer that ends after a large first index, so that the next one needs less memory."""

import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from clew.surface.indexer.worker import RENEWAL_NOTES_MIN
from clew.values import ipc
from tests.daemons import ANSWER_SECONDS_MAX, Daemon, prepared
from tests.pace import Stopwatch
from tests.processes import children
from tests.stages import ANSWER, DIE, HEAR, STAY, TELL, Action, kept, look, play, say

RENEW: Sequence[Action] = [HEAR, say(ipc.RenewalWanted()), ("exit", 0)]


def test_another_indexer_is_started_at_once_and_no_death_is_counted(delays_s: list[float]) -> None:
    async def scene() -> None:
        async with kept(RENEW, [TELL, STAY]) as stage:
            await stage.until(lambda: len(stage.heard) == 1)
            assert stage.supervisor.pid == stage.spawned[1].process.pid
            assert (stage.losses, stage.supervisor.deaths, delays_s) == ([], 0, [])
        told = stage.heard[-1]
        assert isinstance(told, bytes)
        assert ipc.unpack_to_indexer(told) == ipc.Start(b"settings", (), (), may_renew=False)

    play(scene())


def test_a_request_that_waits_is_sent_to_the_indexer_that_takes_over() -> None:
    async def scene() -> None:
        async with kept([HEAR, *RENEW], [HEAR, ANSWER, STAY]) as stage:
            assert await stage.supervisor.ask(look) == ipc.WalkReply(1, 1, 0, 0, 0.0, None)
            assert stage.supervisor.deaths == 0

    play(scene())


def test_an_indexer_that_ends_a_second_time_has_died(delays_s: list[float]) -> None:
    async def scene() -> None:
        async with kept(RENEW, RENEW, RENEW, [STAY]) as stage:
            await stage.lose(2)
            assert stage.losses == ["exit status 0"] * 2
            assert stage.supervisor.deaths == 2

    play(scene())
    assert delays_s == [0.1, 0.2]


def test_an_indexer_that_takes_over_and_dies_has_died(delays_s: list[float]) -> None:
    """What the one before was parsing is not to blame."""

    async def scene() -> None:
        parsing = say(ipc.ParsingStarted((("a.md", "x"),)))
        async with kept([HEAR, parsing, *RENEW[1:]], [HEAR, DIE], [TELL, STAY]) as stage:
            await stage.until(lambda: len(stage.heard) == 1)
            assert stage.losses == ["exit status 3"]
            assert stage.supervisor.deaths == 1
        told = stage.heard[-1]
        assert isinstance(told, bytes)
        assert ipc.unpack_to_indexer(told) == ipc.Start(b"settings", (), ())

    play(scene())
    assert delays_s == [0.1]


def write_notes(vault: Path, notes: int) -> None:
    vault.mkdir()
    for number in range(notes):
        (vault / f"n{number:05}.md").write_text(f"[[hub]] [[c{number % 50}]] sextant\n")


def first_indexer(running: Daemon) -> int:
    """Start the daemon; return the process of its first indexer."""
    running.spawn()
    watch = Stopwatch()
    while not (found := children(running.pid)):
        assert not watch.is_over(ANSWER_SECONDS_MAX)
        time.sleep(0.002)
    return found[0]


@pytest.mark.slow
def test_nothing_is_lost_that_changes_while_another_indexer_takes_over(tmp_path: Path) -> None:
    vault = tmp_path / "v"
    write_notes(vault, RENEWAL_NOTES_MIN)
    seen: list[Any] = []
    with prepared(tmp_path / "h", vault) as running:
        first = first_indexer(running)
        running.until_answered("tags")
        running.ask("tags", waitFresh=True)
        watch, written = Stopwatch(), count()
        rest = 5  # notes written after the other indexer has begun
        while rest and not watch.is_over(ANSWER_SECONDS_MAX):
            (vault / f"late{next(written)}.md").write_text("[[late]]\n")
            seen.append(running.ask("status"))
            rest -= children(running.pid) not in ([first], [])
            time.sleep(0.02)
        (vault / "n00000.md").unlink()
        late = running.ask("concept", conceptName="late", waitFresh=True)
        assert late["noteCount"] == next(written)
        assert running.ask("concept", conceptName="hub")["noteCount"] == RENEWAL_NOTES_MIN - 1
        assert running.ask("doctor", deep=True)["checks"][-1]["ok"]
        seen.append(running.until("status", lambda said: said["ready"], ANSWER_SECONDS_MAX))
        (second,) = children(running.pid)
        assert second != first
        assert running.log.count("indexer renewed") == 1
        assert "WARNING" not in running.log
    assert all(status["stages"]["graph"]["ready"] for status in seen)
    assert not any(status["indexing"] for status in seen)
    assert {status["restarts"] for status in seen} == {0}
    degraded = [part for status in seen for part in status["degraded"]]
    assert not [part for part in degraded if part.startswith("indexer")]


@pytest.mark.slow
def test_a_small_vault_keeps_its_indexer(tmp_path: Path) -> None:
    vault = tmp_path / "v"
    write_notes(vault, RENEWAL_NOTES_MIN - 1)
    with prepared(tmp_path / "h", vault) as running:
        first = first_indexer(running)
        running.until_answered("tags")
        running.until("status", lambda status: status["ready"], ANSWER_SECONDS_MAX)
        assert first in children(running.pid)
        assert "renewed" not in running.log
