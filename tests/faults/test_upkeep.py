"""Files that commands need to find a daemon are made again when removed, or the daemon ends."""

import json
import os
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from clew.surface.client import NoDaemon
from clew.surface.paths import RECORD_FILE
from clew.surface.record import live_record
from tests.commands import Commands, commands
from tests.daemons import broken_parts
from tests.faults.checked import NEVER_S, OFTEN_S, CheckedDaemon
from tests.faults.vaults import seconds_until, vault_of

NOTES = {"a.md": "[[x]] [[y]] [[z]]", "b.md": "[[x]] [[y]]"}
LATER_S = 60.0  # far more than needed, since the machine may be busy


@contextmanager
def ending(*daemons: CheckedDaemon) -> Iterator[None]:
    """At the end of a block, end the daemons that still run."""
    try:
        yield
    finally:
        for each in daemons:
            if each.child is not None and each.child.poll() is None:
                each.child.send_signal(signal.SIGCONT)
                each.stop()


def comes(test: Callable[[], bool]) -> bool:
    return seconds_until(test, LATER_S) <= LATER_S


def answers(daemon: CheckedDaemon) -> bool:
    try:
        return bool(daemon.ask("hello", protocol=1))
    except NoDaemon:
        return False


def has_ended(daemon: CheckedDaemon) -> bool:
    return daemon.child is not None and daemon.child.poll() is not None


@contextmanager
def met_daemon(home: Path, seconds: float = OFTEN_S) -> Iterator[tuple[CheckedDaemon, Commands]]:
    """Run a daemon with the default paths."""
    vault = vault_of(home / "v", NOTES)
    with commands(home / "h", vault) as clew:
        daemon = CheckedDaemon(home / "d", vault, seconds)
        daemon.socket, daemon.state, daemon.home = clew.runtime_socket, clew.state, clew.home
        with ending(daemon):
            daemon.start()
            yield daemon, clew


def _remove_folder(daemon: CheckedDaemon) -> None:
    shutil.rmtree(daemon.socket.parent.parent)  # as a session manager does at the last logout
    daemon.socket.parent.parent.mkdir(mode=0o700)


def _remove_file(daemon: CheckedDaemon) -> None:
    daemon.socket.unlink()


def _leave_dead_socket(daemon: CheckedDaemon) -> None:
    daemon.socket.unlink()
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(daemon.socket))


@pytest.mark.parametrize("remove", [_remove_folder, _remove_file, _leave_dead_socket])
def test_a_socket_that_is_removed_is_made_again(
    tmp_path: Path, remove: Callable[[CheckedDaemon], None]
) -> None:
    with met_daemon(tmp_path) as (daemon, clew):
        with daemon.connect() as peer:
            remove(daemon)
            assert comes(lambda: answers(daemon)), daemon.log
            peer.sendall(b'{"jsonrpc":"2.0","id":1,"method":"status"}\n')
            assert json.loads(peer.makefile("rb").readline())["result"]["notes"] == len(NOTES)
        assert daemon.socket.stat().st_mode & 0o777 == 0o600
        clew.done("status")
        assert "already running" in clew.done("start")
        assert clew.done("stop") == "stopped\n"
        assert has_ended(daemon)
        assert not daemon.socket.exists()


def test_a_daemon_whose_runtime_folder_cannot_be_made_listens_in_the_state(tmp_path: Path) -> None:
    with met_daemon(tmp_path) as (daemon, clew):
        shutil.rmtree(clew.runtime)
        clew.runtime.write_text("no folder can be made here")
        assert comes(clew.state_socket.exists), daemon.log
        assert json.loads(clew.done("status", "--json"))["socket"] == str(clew.state_socket)
        clew.runtime.unlink()
        clew.runtime.mkdir(mode=0o700)
        clew.done("status")
        clew.done("stop")
        assert has_ended(daemon)
        assert not clew.state_socket.exists()


def test_a_daemon_ends_if_another_one_took_its_socket_and_leaves_it_alone(tmp_path: Path) -> None:
    with met_daemon(tmp_path) as (daemon, _):
        daemon.socket.unlink()
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(str(daemon.socket))
            other.listen(1)
            assert comes(lambda: has_ended(daemon)), daemon.log
            assert daemon.socket.exists()
        assert f"ended: a daemon answers at {daemon.socket}" in daemon.log
        assert not (daemon.state / RECORD_FILE).exists()


def test_a_record_that_is_removed_or_changed_is_written_again(tmp_path: Path) -> None:
    daemon = CheckedDaemon(tmp_path / "h", vault_of(tmp_path / "v", NOTES))
    place = daemon.state / RECORD_FILE
    with ending(daemon):
        daemon.start()
        good = place.read_bytes()
        place.unlink()
        assert comes(place.exists)
        place.write_bytes(good.replace(b"clew.sock", b"other.sock"))
        assert comes(lambda: place.read_bytes() == good)
    assert not place.exists()


def saved(state: Path) -> dict[str, bool]:
    """Return which parts of a state folder exist."""
    return {
        "generation": bool(list(state.glob("index/v*/gen-*/manifest.json"))),
        "read dates": (state / "memory" / "reads.json").exists(),
        "communities": (state / "memory" / "communities").exists(),
        "record": live_record(str(state)) is not None,
    }


def remove(folder: Path) -> None:
    """Remove a folder in which a daemon may write meanwhile."""
    for _ in range(100):
        with suppress(OSError):
            shutil.rmtree(folder)
            return
    raise AssertionError(f"{folder} cannot be removed")


@pytest.mark.parametrize("edits", [False, True])
def test_a_state_folder_that_is_removed_is_made_again_with_its_files(
    tmp_path: Path, edits: bool
) -> None:
    daemon = CheckedDaemon(tmp_path / "h", vault_of(tmp_path / "v", NOTES))
    rival = CheckedDaemon(tmp_path / "h2", daemon.vault)
    rival.state = daemon.state
    with ending(daemon, rival):
        daemon.start()
        daemon.until_partitioned()
        daemon.ask("read", uri="a.md")
        remove(daemon.state)
        if edits:
            (daemon.vault / "c.md").write_text("[[c]] [[x]]")
            daemon.ask("sync")
        assert comes(lambda: all(saved(daemon.state).values())), saved(daemon.state)
        daemon.until("status", lambda r: not broken_parts(r) and r["persist"]["ok"], LATER_S)
        rival.spawn()
        assert comes(lambda: has_ended(rival)), "a second daemon serves the same state"
        assert "already serves" in rival.log
        daemon.stop()
        daemon.start()
        assert "restored notes=" in daemon.log
        assert daemon.ask("recent", by="read")["total"] == 1


def test_an_index_that_is_removed_is_saved_again(tmp_path: Path) -> None:
    daemon = CheckedDaemon(tmp_path / "h", vault_of(tmp_path / "v", NOTES))
    with ending(daemon):
        daemon.start()
        remove(daemon.state / "index")
        assert comes(lambda: saved(daemon.state)["generation"]), daemon.log
        daemon.until("status", lambda r: not broken_parts(r) and r["persist"]["ok"], LATER_S)


def test_a_state_folder_that_cannot_be_made_again_is_reported_until_it_can(tmp_path: Path) -> None:
    daemon = CheckedDaemon(tmp_path / "h", vault_of(tmp_path / "v", NOTES))
    with ending(daemon):
        daemon.start()
        remove(daemon.state)
        daemon.state.write_text("a file in its place")
        daemon.until(
            "status",
            lambda r: "the folder was removed" in broken_parts(r).get("state", ""),
            LATER_S,
        )
        daemon.state.unlink()
        daemon.until("status", lambda r: not broken_parts(r), LATER_S)
        assert comes(lambda: saved(daemon.state)["generation"])


@pytest.fixture
def two_on_one_state(tmp_path: Path) -> Iterator[tuple[CheckedDaemon, CheckedDaemon]]:
    """Yield two daemons, not started yet, with one state folder and a vault each."""
    first = CheckedDaemon(tmp_path / "h", vault_of(tmp_path / "v", NOTES))
    second = CheckedDaemon(tmp_path / "h2", vault_of(tmp_path / "v2", {"other.md": "[[o]]"}))
    second.state = first.state
    with ending(first, second):
        yield first, second


def start_both(first: CheckedDaemon, second: CheckedDaemon) -> None:
    first.start()
    first.until_partitioned()
    assert first.child is not None
    first.child.send_signal(signal.SIGSTOP)
    shutil.rmtree(first.state)
    second.start()


def test_a_daemon_that_finds_another_on_its_state_ends(
    two_on_one_state: tuple[CheckedDaemon, CheckedDaemon],
) -> None:
    first, second = two_on_one_state
    start_both(first, second)
    os.kill(first.pid, signal.SIGCONT)
    assert comes(lambda: has_ended(first)), first.log
    assert "ended: another daemon serves the state folder" in first.log
    assert "Traceback" not in first.log
    assert not first.socket.exists()
    record = live_record(str(second.state))
    assert record is not None
    assert record.pid == second.pid


def test_one_of_two_daemons_that_lose_the_same_state_folder_goes_on(
    two_on_one_state: tuple[CheckedDaemon, CheckedDaemon],
) -> None:
    first, second = two_on_one_state
    start_both(first, second)
    os.kill(second.pid, signal.SIGSTOP)
    shutil.rmtree(first.state)
    for daemon in two_on_one_state:
        os.kill(daemon.pid, signal.SIGCONT)
    assert comes(lambda: has_ended(first) or has_ended(second))
    left = second if has_ended(first) else first
    assert comes(lambda: saved(left.state)["generation"]), left.log
    left.until("status", lambda r: not broken_parts(r), LATER_S)
    record = live_record(str(left.state))
    assert record is not None
    assert record.pid == left.pid


def test_a_daemon_writes_nothing_to_a_state_that_another_has_locked(
    two_on_one_state: tuple[CheckedDaemon, CheckedDaemon],
) -> None:
    first, second = two_on_one_state
    first.seconds = NEVER_S
    start_both(first, second)
    second.until_partitioned()
    os.kill(first.pid, signal.SIGCONT)
    first.ask("read", uri="a.md")
    (first.vault / "c.md").write_text("[[c]] [[d]] [[x]]")
    first.ask("sync")
    status = first.until("status", lambda r: not r["persist"]["ok"], LATER_S)
    first.until("status", lambda r: r["stages"]["communities"]["ready"], LATER_S)
    assert broken_parts(status).keys() >= {"state", "memory"}
    assert not broken_parts(second.ask("status"))
    first.stop()
    second.stop()
    second.start()
    assert "restored notes=1" in second.log
    assert second.ask("recent", by="read")["total"] == 0
