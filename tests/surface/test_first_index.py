"""A daemon whose first index is not whole yet: what it answers, and what it does not."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from clew.engine.settings import EngineSettings
from clew.surface.server.child.receiver import Receiver
from clew.surface.server.child.replica import Replica
from clew.surface.server.health import Health
from clew.surface.server.paths import DaemonPaths
from clew.surface.server.stored.event_log import EventLog
from clew.values import ipc
from tests.daemons import ANSWER_SECONDS_MAX, Daemon, prepared
from tests.processes import children
from tests.stored import stored
from tests.vaults import engine_of

NOTES = 3_000  # more than a portion
SEARCHES: list[tuple[str, dict[str, Any]]] = [
    ("concept", {"conceptName": "hub"}),
    ("search", {"query": "sextant", "mode": "keyword"}),
    ("recent", {}),
    ("tags", {}),
    ("hello", {"protocol": 1}),
    ("read", {"uri": "n00000.md"}),
    ("status", {}),
]
REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("unresolved", {}),
    ("orphans", {}),
    ("read", {"uri": "n02999.md"}),
    ("links", {"uri": "n02999.md"}),
    ("why", {"uri": "n02999.md"}),
    ("doctor", {}),
]


@contextmanager
def half_indexed(home: Path) -> Iterator[tuple[Daemon, int]]:
    """Yield a daemon whose indexer is stopped after a part of the first index, and its process."""
    vault = home / "v"
    vault.mkdir()
    for number in range(NOTES):
        (vault / f"n{number:05}.md").write_text(f"[[hub]] [[c{number % 50}]] sextant #t\n")
    with prepared(home / "h", vault) as running:
        running.spawn()
        running.until_answered("tags")
        (indexer,) = children(running.pid)
        os.kill(indexer, signal.SIGSTOP)
        yield running, indexer


def until_whole(running: Daemon) -> None:
    """Wait until a reply no longer says how far the first index is."""
    running.until("hello", lambda hello: "indexing" not in hello, ANSWER_SECONDS_MAX, protocol=1)


@pytest.mark.slow
def test_a_part_of_the_first_index_answers_and_says_how_far_it_is(tmp_path: Path) -> None:
    with half_indexed(tmp_path) as (running, indexer):
        for method, params in SEARCHES:
            progress = running.ask(method, **params)["indexing"]
            assert 0 < progress["done"] <= progress["total"] == NOTES, method
        assert 0 < running.ask("status")["notes"] < NOTES
        assert running.ask("concept", conceptName="hub")["noteCount"] < NOTES
        for method, params in REFUSED:
            assert running.refusal(method, **params)["data"]["code"] == "notReady", method
        late = running.refusal("tags", waitFresh=True, waitFreshMs=50)
        assert late["data"]["code"] == "timeout"
        os.kill(indexer, signal.SIGCONT)
        assert running.ask("tags", waitFresh=True)["tags"] == [{"tag": "t", "count": NOTES}]
        for method, params in [*SEARCHES[:-1], *REFUSED]:
            assert "indexing" not in running.ask(method, **params), method
        assert running.ask("concept", conceptName="hub")["noteCount"] == NOTES


@pytest.mark.slow
def test_a_first_index_that_is_killed_answers_and_goes_on_where_it_was(tmp_path: Path) -> None:
    with half_indexed(tmp_path) as (running, indexer):
        before = running.ask("status")["notes"]
        os.kill(indexer, signal.SIGKILL)
        assert running.ask("status")["notes"] >= before
        until_whole(running)
        assert running.ask("concept", conceptName="hub")["noteCount"] == NOTES
        assert "restored notes=" in running.log
        assert running.ask("doctor", deep=True)["checks"][-1]["ok"]


@pytest.fixture
def replica() -> Replica:
    return Replica(EngineSettings())


@pytest.fixture
def receiver(tmp_path: Path, replica: Replica) -> Receiver:
    places = DaemonPaths(vault=str(tmp_path), socket="", state=str(tmp_path))
    health = Health(places)
    files = {
        number: stored(engine_of({f"{n}.md": "[[a]]" for n in range(number)}).indexes)
        for number in range(4)
    }
    return Receiver(
        replica,
        EventLog(places.state, health),
        health,
        lambda: None,
        files.__getitem__,
        lambda: None,
    )


def test_a_rebuild_is_not_seen_before_it_is_whole(receiver: Receiver, replica: Replica) -> None:
    """Unlike a first index: queries see a whole index already, which has more notes."""

    def notes_after(generation: int, *, is_whole: bool) -> int:
        receiver.receive(ipc.RevisionStarted(generation))
        receiver.receive(ipc.RevisionPublished(is_new=True, is_whole=is_whole))
        return len(replica.snapshot.entries)

    assert notes_after(1, is_whole=False) == 1
    assert notes_after(2, is_whole=False) == 2
    assert not receiver.ready.is_set()
    assert notes_after(3, is_whole=True) == 3
    assert receiver.ready.is_set()
    assert receiver.is_all_visible.is_set()
    assert notes_after(1, is_whole=False) == 3
    assert not receiver.is_all_visible.is_set()
    assert notes_after(2, is_whole=True) == 2
    assert receiver.is_all_visible.is_set()
