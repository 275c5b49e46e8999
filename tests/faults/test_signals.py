"""A signal at any moment of a daemon's start shuts it down cleanly, and no process is left."""

import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew.surface.paths import RECORD_FILE
from tests.daemons import Daemon
from tests.faults import LONG
from tests.faults.vaults import seconds_until, vault_of
from tests.processes import children, is_alive

MOMENTS = 60 if LONG else 6
END_SECONDS_MAX = 60.0  # a machine may be busy
START_SECONDS_MAX = 5.0  # a start that others slow down is not waited for in full
NOTES = {f"{n}.md": f"[[x]] [[c{n}]]" for n in range(20)}


@pytest.fixture
def starting(tmp_path: Path) -> Iterator[Daemon]:
    (tmp_path / "h").mkdir()
    starting = Daemon(tmp_path / "h", vault_of(tmp_path / "v", NOTES))
    try:
        yield starting
    finally:
        starting.end()


def listens(pid: int) -> bool:
    """Return whether a process has a handler for SIGTERM."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return False
    caught = next(int(line.split()[1], 16) for line in lines if line.startswith("SigCgt"))
    return bool(caught >> (signal.SIGTERM - 1) & 1)


def until_it_listens(starting: Daemon) -> None:
    assert seconds_until(lambda: listens(starting.pid), END_SECONDS_MAX) <= END_SECONDS_MAX


def assert_it_ends_with_nothing_left(starting: Daemon, *statuses: int) -> None:
    """Wait until the daemon has exited; its children must have exited before it."""
    assert starting.child is not None
    helpers: set[int] = set()
    deadline_s = time.monotonic() + END_SECONDS_MAX
    while starting.child.poll() is None:
        helpers |= set(children(starting.pid))
        assert time.monotonic() < deadline_s, starting.log
        time.sleep(0.005)
    assert starting.child.returncode in statuses, starting.log
    assert "Traceback" not in starting.log, starting.log
    assert "KeyboardInterrupt" not in starting.log
    assert not starting.socket.exists()
    assert not (starting.home / "state" / RECORD_FILE).exists()
    assert not any(map(is_alive, helpers)), helpers


def to_daemon(pid: int, number: signal.Signals) -> None:
    os.kill(pid, number)


@pytest.mark.parametrize("send", [to_daemon, os.killpg])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_early_in_the_start_shuts_the_daemon_down(
    starting: Daemon, number: signal.Signals, send: Callable[[int, signal.Signals], None]
) -> None:
    for wait_s in (0.0, 0.05, 0.3):
        starting.spawn()
        until_it_listens(starting)
        time.sleep(wait_s)
        send(starting.pid, number)
        assert_it_ends_with_nothing_left(starting, 0)


def seconds_to_start(starting: Daemon) -> float:
    began_s = time.monotonic()
    starting.start()
    took_s = time.monotonic() - began_s
    assert starting.stop() == 0
    return took_s


@pytest.mark.timeout(1_500)
def test_sigterm_at_any_moment_of_the_start_shuts_the_daemon_down(starting: Daemon) -> None:
    rng = random.Random(5)
    start_s = min(START_SECONDS_MAX, seconds_to_start(starting))
    for _ in range(MOMENTS):
        starting.spawn()
        time.sleep(rng.uniform(0.0, start_s))
        could_hear = listens(starting.pid)
        starting.child.terminate() if starting.child else None
        statuses = (0,) if could_hear else (0, -signal.SIGTERM)
        assert_it_ends_with_nothing_left(starting, *statuses)
    starting.start()
    assert starting.ask("status")["notes"] == len(NOTES)


def test_repeated_signals_do_not_interrupt_the_shutdown(starting: Daemon) -> None:
    starting.spawn()
    until_it_listens(starting)
    assert starting.child is not None
    for _ in range(2_000):
        if starting.child.poll() is not None:
            break
        for number in (signal.SIGTERM, signal.SIGINT):
            starting.child.send_signal(number)
        time.sleep(0.002)
    assert_it_ends_with_nothing_left(starting, 0)


def test_a_daemon_with_a_wrong_option_leaves_no_indexer(starting: Daemon) -> None:
    starting.arguments = ("--nonsense",)  # an error before the indexer has loaded
    starting.spawn()
    assert_it_ends_with_nothing_left(starting, 2)
