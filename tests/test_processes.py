"""Tests leave no process: tests end the processes they start, and a run that leaves one fails."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread

import pytest

from tests import daemons
from tests.faults.processes import watches
from tests.processes import (
    contained,
    is_alive,
    left_since,
    living_children,
    started,
    wait_until_ended,
)

ROOT = Path(__file__).parent.parent
GRACE_SECONDS = 10.0

# A child process with its own session, as a daemon in the background has.
FAMILY = "setsid sleep 600 & echo $!; exec sleep 600"

LEAVING = f"""
import subprocess

def test_that_leaves_some(tmp_path):
    family = subprocess.Popen(["sh", "-c", {FAMILY!r}], stdout=subprocess.PIPE, text=True)
    orphan = "setsid sleep 600 >/dev/null & echo $!"
    done = subprocess.run(["sh", "-c", orphan], stdout=subprocess.PIPE, text=True)
    pids = f"{{family.pid}} {{family.stdout.readline()}} {{done.stdout}}"
    (tmp_path.parent / "pids").write_text(pids)

def test_that_leaves_none():
    subprocess.run(["true"])
"""


def test_a_daemon_that_starts_too_slowly_leaves_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "v").mkdir()
    before = living_children()
    monkeypatch.setattr(daemons, "START_SECONDS_MAX", 0.001)
    # The deadline is longer on a busy machine, where the daemon may be in time.
    monkeypatch.setattr(daemons.Daemon, "_is_ready", lambda _: False)
    with pytest.raises(AssertionError), daemons.daemon(tmp_path / "h", tmp_path / "v"):
        pytest.fail("it started in no time")
    assert left_since(before, GRACE_SECONDS) == []


@pytest.mark.slow
def test_a_daemon_that_fails_to_start_leaves_no_process(tmp_path: Path) -> None:
    before = living_children()
    with (
        pytest.raises(AssertionError),
        daemons.daemon(tmp_path / "h", tmp_path / "no such vault"),
    ):
        pytest.fail("it started")
    assert left_since(before, GRACE_SECONDS) == []


@pytest.mark.slow
def test_the_children_are_listed_while_threads_end() -> None:
    with started(["sleep", "600"]) as child, ThreadPoolExecutor(1) as pool:
        churn = pool.submit(run_short_threads, 2_000)
        missed = 0
        while not churn.done():
            missed += child.pid not in living_children()
    assert missed == 0


def test_a_process_that_has_ended_watches_no_files() -> None:
    """One of a daemon's processes may end after they are listed."""
    with started(["true"]) as child:
        wait_until_ended(child.pid)
        assert not watches(child.pid)  # a zombie
        child.wait()
        assert not watches(child.pid)


def run_short_threads(count: int) -> None:
    for _ in range(count):
        thread = Thread(target=int)
        thread.start()
        thread.join()


def test_a_process_ends_with_its_block_and_everything_below_it_too() -> None:
    with started(["sh", "-c", FAMILY], stdout=subprocess.PIPE) as family:
        assert family.stdout is not None
        below = int(family.stdout.readline())
        assert is_alive(family.pid)
        assert is_alive(below)
    assert not is_alive(family.pid)
    assert not is_alive(below)


def test_what_a_block_leaves_in_the_background_is_ended_and_nothing_else() -> None:
    with started(["sleep", "600"]):
        before = living_children()
        with contained():
            subprocess.run(["sh", "-c", "setsid sleep 600 &"], check=True)
            assert len(living_children() - before) == 1
        assert living_children() == before


@pytest.mark.slow
def test_a_test_that_leaves_processes_fails_and_they_are_ended(tmp_path: Path) -> None:
    (tmp_path / "test_leaving.py").write_text(LEAVING)
    # Without the summary, whose length depends on whether the variable CI is set.
    words = [sys.executable, "-m", "pytest", "-q", "-rN", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*words, "-p", "tests.conftest", "--basetemp=t"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "2 passed, 1 error" in done.stdout
    assert done.stdout.count("started in test_leaving.py::test_that_leaves_some") == 3
    pids = [int(word) for word in (tmp_path / "t" / "pids").read_text().split()]
    assert len(pids) == 3
    assert not any(map(is_alive, pids))
