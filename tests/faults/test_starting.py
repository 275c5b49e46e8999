"""Starting, ending and killing: one daemon serves a vault, and nothing needs manual clean-up."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from clew.surface.client import NoDaemon
from tests.daemons import STOP_SECONDS_MAX, Daemon, daemon, prepared
from tests.faults import LONG
from tests.faults.processes import as_nobody, folder_for_all, indexer_pid
from tests.faults.vaults import knows, seconds_until, vault_of
from tests.processes import descendants, is_alive

STARTERS = 20
KILLS = 25 if LONG else 3
STOPS = 15 if LONG else 3
RESTART_SECONDS_MAX = 5.0  # Python's start on a busy machine
NOTES = {"a.md": "[[x]] [[y]]", "b.md": "[[x]]"}


def many_notes() -> dict[str, str]:
    return {f"{n}.md": f"words [[x]] [[c{n}]]\n" * 100 for n in range(1_500)}


@pytest.fixture
def unstarted(tmp_path: Path) -> Iterator[Daemon]:
    with prepared(tmp_path / "h", vault_of(tmp_path / "v", NOTES)) as one:
        yield one


@pytest.fixture
def unstarted_on_many(tmp_path: Path) -> Iterator[Daemon]:
    with prepared(tmp_path / "h", vault_of(tmp_path / "v", many_notes())) as one:
        yield one


def answers(running: Daemon) -> bool:
    try:
        return bool(running.ask("hello", protocol=1))
    except NoDaemon:
        return False


def ended(child: subprocess.Popen[bytes], seconds: float) -> bool:
    """Return whether a process ends in time."""
    return seconds_until(lambda: child.poll() is not None, seconds) <= seconds


def ended_all(pids: list[int], seconds: float) -> bool:
    return seconds_until(lambda: not any(map(is_alive, pids)), seconds) <= seconds


@pytest.mark.parametrize("socket_each", [True, False] if LONG else [True])
def test_of_twenty_daemons_started_at_once_one_runs_and_the_others_say_why(
    tmp_path: Path, socket_each: bool
) -> None:
    vault = vault_of(tmp_path / "v", NOTES)
    with ExitStack() as stack:
        starters = [
            stack.enter_context(prepared(tmp_path / f"h{n}", vault)) for n in range(STARTERS)
        ]
        for one in starters:
            if not socket_each:  # with a socket each, they notice each other by the lock
                one.socket = starters[0].socket
            one.spawn(one.command_with_state(tmp_path / "state"))
        seconds_until(lambda: sum(one.is_running for one in starters) <= 1, 60)
        (winner,) = [one for one in starters if one.is_running]
        winner.until_answered("status")  # it takes the lock a moment before it listens
        winner.until("status", lambda r: r["ready"] and r["notes"] == len(NOTES))
        for one in starters:
            if one is not winner:
                check_refused(one)


def check_refused(one: Daemon) -> None:
    """Assert that a daemon ended because another one serves the vault, and said so."""
    assert one.child is not None
    assert one.child.returncode == 1, one.log
    assert "already serves" in one.log or "answers at" in one.log
    assert "Traceback" not in one.log


def test_a_daemon_starts_after_a_kill_at_any_moment(unstarted_on_many: Daemon) -> None:
    rng = random.Random(3)
    running = unstarted_on_many
    for _ in range(KILLS):
        child = running.spawn()
        time.sleep(rng.uniform(0.0, 2.5))
        helpers = descendants(running.pid)
        child.kill()
        child.wait()
        assert ended_all(helpers, 5.0), f"{helpers} outlive the daemon"
    running.spawn()
    took_s = seconds_until(lambda: answers(running), RESTART_SECONDS_MAX)
    assert took_s <= RESTART_SECONDS_MAX, running.log
    running.until("status", lambda r: r["ready"], seconds=20)
    assert running.ask("status")["notes"] == 1_500
    assert running.stop() == 0


def test_a_killed_indexer_is_replaced(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", NOTES)
    with daemon(tmp_path / "h", vault) as running:
        for turn in range(2):
            pid = indexer_pid(running)
            if pid is None:
                pytest.skip("the daemon is one process")
            os.kill(pid, signal.SIGKILL)
            assert running.ask("concept", conceptName="x")["noteCount"] == len(NOTES)
            (vault / "later.md").write_text(f"[[later {turn}]]")
            assert knows(running, f"later {turn}", seconds=15.0), running.log
        running.until("status", lambda r: r["degraded"] == [], seconds=15.0)
        assert running.stop() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_daemon_and_leaves_nothing(
    tmp_path: Path, number: signal.Signals
) -> None:
    with daemon(tmp_path / "h", vault_of(tmp_path / "v", NOTES)) as running:
        helpers = descendants(running.pid)
        os.kill(running.pid, number)
        assert running.child is not None
        assert running.child.wait(STOP_SECONDS_MAX) == 0, running.log
        assert not running.socket.exists()
        assert ended_all(helpers, 5.0), f"{helpers} outlive the daemon"
        assert "Traceback" not in running.log


def test_sigterm_ends_the_first_index_too(unstarted_on_many: Daemon) -> None:
    rng = random.Random(4)
    running = unstarted_on_many
    for _ in range(STOPS):
        child = running.spawn()
        seconds_until(running.socket.exists, 10.0)
        time.sleep(rng.uniform(0.05, 0.4))
        helpers = descendants(running.pid)
        child.terminate()
        assert ended(child, 10.0), "still running 10 s after SIGTERM"
        assert child.returncode == 0, running.log
        assert not running.socket.exists()
        assert not any(map(is_alive, helpers)), helpers
        assert "Traceback" not in running.log, running.log


def identity(place: Path) -> tuple[int, ...]:
    """Return metadata that changes when a file is replaced or written."""
    status = place.lstat()
    return status.st_ino, status.st_mode, status.st_mtime_ns, status.st_ctime_ns


def test_a_socket_of_another_program_is_left_alone(unstarted: Daemon) -> None:
    running = unstarted
    running.socket.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(running.socket))
        other.listen(1)
        before = identity(running.socket)
        child = running.spawn()
        assert ended(child, 20.0), "it runs on beside a live socket"
        assert child.returncode == 1, running.log
        assert "answers at" in running.log
        assert identity(running.socket) == before


def _file(place: Path) -> None:
    place.write_text("mine")


def _dangling_link(place: Path) -> None:
    place.symlink_to("/nowhere/at/all")


TAKEN: dict[str, Callable[[Path], None]] = {
    "a file": _file,
    "a folder": Path.mkdir,
    "a FIFO": os.mkfifo,
    "a dangling link": _dangling_link,
}


@pytest.mark.parametrize("taken", TAKEN)
def test_a_file_that_is_no_socket_is_never_replaced(unstarted: Daemon, taken: str) -> None:
    running = unstarted
    running.socket.parent.mkdir(mode=0o700)
    TAKEN[taken](running.socket)
    before = identity(running.socket)
    child = running.spawn()
    assert ended(child, 20.0), f"it took the place of {taken}"
    assert child.returncode == 2, running.log
    assert "no socket" in running.log
    assert identity(running.socket) == before


MODES = [(0o700, 0o600), (0o777, 0o777), (0o700, 0o777), (0o755, 0o666)]
ASK = """
import socket, sys
peer = socket.socket(socket.AF_UNIX)
peer.settimeout(60)
try:
    peer.connect(sys.argv[1])
    peer.sendall(b'{"jsonrpc":"2.0","id":1,"method":"status"}\\n')
    print(len(peer.recv(65536)))
except OSError:
    print(0)
"""


def bytes_heard(path: Path, *before: str) -> int:
    """Return the number of bytes that a program receives from a socket."""
    words = [*before, sys.executable, "-c", ASK, str(path)]
    return int(subprocess.run(words, capture_output=True, check=True, text=True).stdout)


@pytest.mark.parametrize(("folder_mode", "socket_mode"), MODES if LONG else MODES[:2])
def test_another_user_receives_nothing(folder_mode: int, socket_mode: int) -> None:
    other = as_nobody()
    with folder_for_all() as place:
        (place / "h").mkdir()
        with daemon(place / "h", vault_of(place / "v", NOTES)) as running:
            running.socket.parent.chmod(folder_mode)
            running.socket.chmod(socket_mode)
            assert bytes_heard(running.socket) > 100
            assert bytes_heard(running.socket, *other) == 0
            assert running.ask("status")["ready"]
