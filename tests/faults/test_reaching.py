"""Commands find the daemon of their vault wherever its socket is, and always agree."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from clew.surface.paths import RECORD_FILE
from clew.surface.record import Record, encode, read_record, started_ticks
from tests.commands import Commands, commands
from tests.faults.processes import as_nobody, folder_for_all
from tests.faults.vaults import vault_of
from tests.processes import is_alive

NOTES = {"a.md": "[[x]] [[y]]"}
NO_RUNTIME = {"XDG_RUNTIME_DIR": ""}


def pid_of(clew: Commands) -> int:
    """Return the process id of the running daemon."""
    record = clew.record
    assert record is not None
    return record.pid


@pytest.mark.parametrize("has_runtime", [True, False])
def test_commands_find_a_daemon_that_was_started_in_another_environment(
    tmp_path: Path, has_runtime: bool
) -> None:
    with commands(tmp_path / "h", vault_of(tmp_path / "v", NOTES)) as clew:
        its, ours = ({}, NO_RUNTIME) if has_runtime else (NO_RUNTIME, {})
        place = clew.runtime_socket if has_runtime else clew.state_socket
        clew.done("start", **its)
        pid = pid_of(clew)
        clew.done("sync", **ours)
        assert json.loads(clew.done("status", "--json", **ours))["socket"] == str(place)
        assert clew.done("start", **ours) == f"already running: {place}\n"
        assert clew.done("stop", **ours) == "stopped\n"
        assert not is_alive(pid)
        assert clew.run("status", **its)[0] == 3


def test_a_daemon_started_with_another_socket_is_found_by_its_record(tmp_path: Path) -> None:
    with commands(tmp_path / "h", vault_of(tmp_path / "v", NOTES)) as clew:
        place = str(tmp_path / "r" / "s.sock")
        clew.done("start", "--socket", place)
        clew.done("sync")
        assert clew.done("start") == f"already running: {place}\n"
        status, printed = clew.run("status", "--socket", str(tmp_path / "other.sock"))
        assert status == 3
        assert f"(process {pid_of(clew)}) serves this vault at {place}" in printed
        status, printed = clew.run("start", "--socket", str(tmp_path / "other.sock"))
        assert status == 1
        assert f"serves this vault at {place}" in printed
        assert clew.run("stop", "--socket", str(tmp_path / "other.sock"))[0] == 3
        clew.done("stop")


def test_commands_name_and_stop_a_daemon_whose_socket_is_gone(tmp_path: Path) -> None:
    with commands(tmp_path / "h", vault_of(tmp_path / "v", NOTES)) as clew:
        clew.done("start")
        pid = pid_of(clew)
        clew.runtime_socket.unlink()
        status, printed = clew.run("status")
        assert status == 3
        assert f"process {pid}" in printed
        assert "clew stop" in printed
        assert "clew start" not in printed
        status, printed = clew.run("start")
        assert status == 1
        assert f"process {pid}" in printed
        assert "clew stop" in printed
        assert clew.done("stop") == "stopped\n"
        assert not is_alive(pid)
        assert not (clew.state / RECORD_FILE).exists()
        assert "clew start" in clew.run("status")[1]
        clew.done("start")


def test_stop_waits_for_a_daemon_that_does_not_react(tmp_path: Path) -> None:
    with commands(tmp_path / "h", vault_of(tmp_path / "v", NOTES)) as clew:
        clew.done("start")
        pid = pid_of(clew)
        clew.runtime_socket.unlink()
        os.kill(pid, signal.SIGSTOP)
        words = [sys.executable, "-m", "clew", "stop", "--vault", str(clew.vault)]
        with subprocess.Popen(words, env=clew.environment, stdout=subprocess.PIPE) as stopping:
            time.sleep(1.0)
            assert stopping.poll() is None
            os.kill(pid, signal.SIGCONT)
            assert stopping.communicate(timeout=40)[0] == b"stopped\n"
        assert not is_alive(pid)


def test_a_second_daemon_says_where_the_first_listens(tmp_path: Path) -> None:
    with commands(tmp_path / "h", vault_of(tmp_path / "v", NOTES)) as clew:
        clew.done("start")
        status, printed = clew.run("serve", **NO_RUNTIME)
        assert status == 1
        assert (
            f"already serves this vault (process {pid_of(clew)}) at {clew.runtime_socket}"
            in printed
        )


def test_the_record_of_a_killed_daemon_is_ignored(tmp_path: Path) -> None:
    with commands(tmp_path / "h", vault_of(tmp_path / "v", NOTES)) as clew:
        clew.done("start")
        os.kill(pid_of(clew), signal.SIGKILL)
        while clew.record:
            time.sleep(0.01)
        assert read_record(str(clew.state)) is not None
        status, printed = clew.run("status")
        assert status == 3
        assert "clew start" in printed
        assert clew.run("stop")[1] == "clew: no daemon was running\n"
        clew.done("start")


@pytest.mark.parametrize("lie", ["its own start", "a start of another"])
def test_stop_never_signals_a_process_that_is_no_daemon(tmp_path: Path, lie: str) -> None:
    with (
        commands(tmp_path / "h", vault_of(tmp_path / "v", NOTES)) as clew,
        subprocess.Popen(["sleep", "300"]) as sleeper,
    ):
        ticks = (started_ticks(sleeper.pid) or 0) + (lie != "its own start")
        clew.state.mkdir(parents=True, mode=0o700)
        (clew.state / "lock").touch()
        record = Record(sleeper.pid, ticks, str(clew.runtime_socket))
        (clew.state / RECORD_FILE).write_bytes(encode(record))
        assert clew.run("stop")[0] == 3
        clew.done("start")
        clew.done("stop")
        assert sleeper.poll() is None
        sleeper.kill()


def test_a_damaged_record_is_ignored(tmp_path: Path) -> None:
    with commands(tmp_path / "h", vault_of(tmp_path / "v", NOTES)) as clew:
        clew.state.mkdir(parents=True, mode=0o700)
        for junk in (b"", b"{}", b'{"pid":1}', b"[" * 4000, b"\0" * 100_000):
            (clew.state / RECORD_FILE).write_bytes(junk)
            assert clew.run("status")[0] == 3
        clew.done("start")
        assert clew.record is not None


def test_a_short_folder_holds_the_socket_where_its_path_would_be_too_long(tmp_path: Path) -> None:
    home = tmp_path / ("long" * 30)
    with commands(home, vault_of(tmp_path / "v", NOTES)) as clew:
        clew.done("start")
        record = clew.record
        assert record is not None
        place = Path(record.socket)
        assert place.parent.name == f"clew-{os.getuid()}"
        assert place.parent.stat().st_mode & 0o777 == 0o700
        assert json.loads(clew.done("status", "--json"))["socket"] == record.socket
        assert clew.done("stop") == "stopped\n"
        assert not place.exists()
        status, printed = clew.run("serve", "--socket", str(home / "s.sock"))
        assert status == 2
        assert "over 107 bytes" in printed
    with suppress(OSError):  # Another daemon may use it.
        place.parent.rmdir()


def test_commands_do_not_connect_to_another_users_process() -> None:
    other = as_nobody()
    with folder_for_all() as place, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place / "s"))
        listener.listen(5)
        (place / "s").chmod(0o777)
        words = [*other, sys.executable, "-m", "clew", "status", "--socket", str(place / "s")]
        environment = {**os.environ, "CLEW_VAULT": str(place), "XDG_STATE_HOME": str(place)}
        done = subprocess.run(words, env=environment, capture_output=True, timeout=60, check=False)
        assert done.returncode == 3
        assert b"belongs to another user" in done.stderr
