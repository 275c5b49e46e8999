"""A daemon whose wall clock is behind the clock of the files."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.daemons import Daemon
from tests.faults.processes import watcher_pid
from tests.faults.vaults import knows, vault_of

NOTES = 60
BEHIND_SECONDS = 3_600
SETTLE_SECONDS = 2.0  # how long notes are young
IDLE_SECONDS = 3.0
READS_MAX = 4 * NOTES  # allows for a walk in between

# Python imports a module of this name at its start.
SITE = f"""
import time
seconds, nanoseconds = time.time, time.time_ns
time.time = lambda: seconds() - {BEHIND_SECONDS}
time.time_ns = lambda: nanoseconds() - {BEHIND_SECONDS} * 10**9
"""


class LateDaemon(Daemon):
    """A daemon whose wall clock is behind that of the test."""

    @property
    def environment(self) -> dict[str, str]:
        return {**super().environment, "PYTHONPATH": str(self.home)}


@contextmanager
def late_daemon(home: Path, vault: Path) -> Iterator[Daemon]:
    """Run a daemon whose wall clock is behind that of the test, within a block."""
    home.mkdir()
    (home / "sitecustomize.py").write_text(SITE)
    running = LateDaemon(home, vault)
    running.start()
    try:
        yield running
    finally:
        running.stop()


def read_count(pid: int) -> int:
    """Return how often a process has read from a file."""
    try:
        rows = Path(f"/proc/{pid}/io").read_text().splitlines()
    except OSError:
        pytest.skip("this system does not count what a process reads")
    return int(dict(row.split(": ") for row in rows)["syscr"])


def test_notes_ahead_of_the_clock_are_not_read_again_and_again(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", {f"{number}.md": "[[x]]" for number in range(NOTES)})
    with late_daemon(tmp_path / "h", vault) as running:
        running.until("status", lambda status: status["notes"] == NOTES, 30.0)
        time.sleep(SETTLE_SECONDS)
        before = read_count(watcher_pid(running))
        time.sleep(IDLE_SECONDS)
        assert read_count(watcher_pid(running)) - before <= READS_MAX
        (vault / "0.md").write_text("[[new]]")
        assert knows(running, "new", 20.0)
        assert running.ask("doctor", deep=True)["checks"][-1]["ok"]
