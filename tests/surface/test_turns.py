"""Work in the background that needs much memory is done by one task at a time."""

from pathlib import Path

import pytest

from clew.surface.indexer.background.child_process import ChildProcess
from clew.surface.indexer.background.turn import Turn
from tests import schedulers
from tests.surface import test_approximate_scheduler as approximate


@pytest.fixture
def communities(tmp_path: Path) -> schedulers.Rig:
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "memory").mkdir()
    return schedulers.Rig(tmp_path / "c" / "memory")


@pytest.fixture
def build(tmp_path: Path, communities: schedulers.Rig) -> approximate.Rig:
    """Return a rig of the approximate index that shares the turn with ``communities``."""
    (tmp_path / "a").mkdir()
    rig = approximate.Rig(tmp_path / "a")
    communities.scheduler.turn = rig.scheduler.turn = Turn()
    return rig


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Return the list of jobs that were started since."""
    started: list[bytes] = []
    start = ChildProcess.start

    def recorded(process: ChildProcess[object], job: bytes) -> None:
        started.append(job)
        start(process, job)

    monkeypatch.setattr(ChildProcess, "start", recorded)
    return started


def test_a_build_waits_until_the_communities_are_ready(
    communities: schedulers.Rig, build: approximate.Rig, jobs: list[bytes]
) -> None:
    communities.settle()
    build.settle()
    assert len(jobs) == 1
    assert build.scheduler.due_in_s() is None  # so that the loop sleeps meanwhile
    communities.ended()
    build.built()
    assert build.start_count == 1


def test_communities_wait_for_a_build_and_come_before_the_next(
    communities: schedulers.Rig, build: approximate.Rig
) -> None:
    communities.rested()
    build.settle()
    communities.edit()
    communities.settle(1_000)
    assert communities.starts == 1
    assert communities.scheduler.due_in_s() is None
    build.scheduler.build_again()
    build.ended(1_000)
    assert build.scheduler.due_in_s() is None  # the communities come first
    communities.settle(1_000)
    assert communities.starts == 2


def test_communities_that_rest_do_not_hold_a_build_back(
    communities: schedulers.Rig, build: approximate.Rig
) -> None:
    communities.use_script("exit 3")
    communities.settle()
    communities.ended()
    assert communities.scheduler.failure is not None
    communities.settle()
    build.built()
    assert build.start_count == 1
