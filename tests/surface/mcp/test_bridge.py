"""A bridge as a process: its cost, its faults, and that it never outlives its client."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from tests import processes
from tests.daemons import Daemon, copy_sample, daemon, prepared
from tests.examples import IS_LONG
from tests.faults.processes import descriptors
from tests.pace import Stopwatch, slowness
from tests.processes import contained
from tests.surface.mcp.pipes import (
    INITIALIZE,
    Bridge,
    bridge,
    cpu_seconds,
    open_pipe,
    private_kb,
    words,
)
from tests.surface.mcp.talk import called, request

PRIVATE_KB_MAX = 15 * 1024
CPU_SECONDS_MAX = 0.1  # of a usual machine
CPU_TRIES = 3
BRIDGES, LIVES, ORPHANS = (20, 20, 200) if IS_LONG else (4, 2, 10)
END_SECONDS_MAX = 10.0

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    return copy_sample(tmp_path / "v")


def test_a_bridge_costs_little_and_answers_before_there_is_a_daemon(sample: Path) -> None:
    seconds = []
    for _ in range(CPU_TRIES):  # The first may compile its modules, and others take caches.
        with bridge("--vault", sample) as started:
            assert started.ask(INITIALIZE)["result"]["serverInfo"]["name"] == "clew"
            seconds.append(cpu_seconds(started.process.pid))
            assert private_kb(started.process.pid) < PRIVATE_KB_MAX
    assert min(seconds) < CPU_SECONDS_MAX * slowness(), seconds


def test_without_a_daemon_a_tool_says_how_to_start_one(sample: Path, tmp_path: Path) -> None:
    with bridge("--vault", sample, "--socket", tmp_path / "none.sock") as started:
        is_error, text = started.call("status")
        assert is_error
        assert "clew start --vault" in text
        assert str(sample) in text


def test_without_a_vault_a_tool_says_so(tmp_path: Path) -> None:
    with bridge("--vault", tmp_path / "none") as started:
        assert started.ask(INITIALIZE)["result"]
        is_error, text = started.call("status")
        assert is_error
        assert "no folder" in text


def test_a_bridge_ends_when_stdin_closes() -> None:
    with bridge() as started:
        started.ask(INITIALIZE)
        assert started.process.stdin is not None
        started.process.stdin.close()
        assert started.process.wait(timeout=60) == 0


def test_a_bridge_ends_when_nobody_reads_its_replies() -> None:
    with bridge() as started:
        started.ask(INITIALIZE)
        assert started.process.stdout is not None
        started.process.stdout.close()
        assert started.process.wait(timeout=60) == 0


def test_the_last_line_needs_no_line_end() -> None:
    done = subprocess.run(
        words(), input=json.dumps(request("ping")).encode(), capture_output=True, check=True
    )
    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_line_that_is_too_long_is_refused_and_forgotten() -> None:
    with bridge() as started:
        started.write(b'{"x": "' + b"a" * 10_000_000 + b'"}\n')
        assert started.receive()["error"]["code"] == -32600
        assert started.ask(request("ping", 7))["id"] == 7
        assert private_kb(started.process.pid) < PRIVATE_KB_MAX


def served_by(running: Daemon) -> AbstractContextManager[Bridge]:
    """Start a bridge for a daemon's vault."""
    return bridge("--vault", running.vault, "--socket", running.socket, env=running.environment)


@pytest.mark.slow
def test_a_slow_daemon_delays_no_ping(sample: Path, tmp_path: Path) -> None:
    with daemon(tmp_path / "d", sample) as running, served_by(running) as started:
        os.kill(running.pid, signal.SIGSTOP)
        started.send(called("status", 1))
        assert started.ask(request("ping", 2))["id"] == 2
        cancelled = {"method": "notifications/cancelled", "params": {"requestId": 1}}
        started.send({"jsonrpc": "2.0", **cancelled})
        assert started.ask(request("ping", 3))["id"] == 3
        os.kill(running.pid, signal.SIGCONT)
        assert not started.call("status", 4)[0]


@pytest.mark.slow
def test_calls_reach_a_daemon_that_restarted(sample: Path, tmp_path: Path) -> None:
    with daemon(tmp_path / "d", sample) as running, served_by(running) as started:
        os.kill(running.pid, signal.SIGSTOP)
        started.send(called("status", 1))
        assert started.ask(request("ping", 2))["id"] == 2  # the call is under way
        running.end()
        running.start()
        assert started.receive()["id"] == 1
        assert not started.call("status", 3)[0]


NOT_READY = {"code": -32000, "message": "the first index", "data": {"code": "notReady"}}


@pytest.mark.parametrize(
    "first", [b"", json.dumps({"jsonrpc": "2.0", "id": 1, "error": NOT_READY}).encode() + b"\n"]
)
def test_a_question_is_asked_again_after_a_lost_connection_or_before_the_first_notes(
    tmp_path: Path, first: bytes
) -> None:
    path = tmp_path / "s"
    asked: list[bytes] = []

    def serve_two(listening: socket.socket) -> None:
        for reply in (first, b'{"jsonrpc":"2.0","id":1,"result":{"citations":[],"unchecked":0}}\n'):
            peer, _ = listening.accept()
            with peer:
                asked.append(peer.recv(65_536))
                peer.sendall(reply)

    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()
        thread = threading.Thread(target=serve_two, args=(listening,))
        thread.start()
        with bridge("--socket", path) as started:
            assert started.call("verify", text="a memory://b.md#L1")[0] is False
        thread.join()
    assert asked[0] == asked[1]
    assert json.loads(asked[0])["params"] == {"text": "a memory://b.md#L1"}


def test_a_turn_is_never_sent_twice(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()
        with bridge("--socket", path, "--tools", "memory") as started:
            started.send(called("session_append", 1, session="s", role="user", text="t"))
            peer, _ = listening.accept()
            with peer:
                assert b"session.append" in peer.recv(65_536)
            result = started.receive()["result"]
            assert result["isError"]
            assert "recall the turn" in result["content"][0]["text"]
            listening.settimeout(0.3)
            with pytest.raises(TimeoutError):
                listening.accept()


def test_every_group_of_tools_that_is_named_is_served(tmp_path: Path) -> None:
    with bridge("--socket", tmp_path / "s", "--tools", "memory", "--tools=code") as started:
        listed = started.ask(request("tools/list", 1))["result"]["tools"]
        assert {"session_append", "code"} <= {tool["name"] for tool in listed}


@pytest.mark.slow
def test_a_daemon_that_dies_in_a_call_is_told(sample: Path, tmp_path: Path) -> None:
    with daemon(tmp_path / "d", sample) as running, served_by(running) as started:
        os.kill(running.pid, signal.SIGSTOP)
        started.send(called("status", 1))
        assert started.ask(request("ping", 2))["id"] == 2
        running.end()
        result = started.receive()["result"]
        assert result["isError"]
        assert "clew start" in result["content"][0]["text"]


@pytest.mark.slow
def test_a_bridge_starts_one_daemon_if_told_to(sample: Path, tmp_path: Path) -> None:
    with prepared(tmp_path / "d", sample) as waiting, contained():
        options = ("--vault", sample, "--autostart")
        with ExitStack() as stack:
            started = [
                stack.enter_context(bridge(*options, env=waiting.environment)) for _ in range(3)
            ]
            for one in started:
                one.send(called("status"))
            texts = [one.receive()["result"]["content"][0]["text"] for one in started]
            assert all(str(sample) in text for text in texts), texts
            watch = Stopwatch()
            while len(daemons_of(sample)) != 1:  # others end when they see the first
                assert not watch.is_over(END_SECONDS_MAX)
                time.sleep(0.02)


@pytest.mark.slow
def test_a_start_that_fails_is_told(tmp_path: Path) -> None:
    vault = tmp_path / "v"
    vault.mkdir()
    config = tmp_path / "config.toml"
    config.write_text("[vault]\nno_such_key = 1\n")
    environment = {**os.environ, "CLEW_CONFIG": str(config), "XDG_RUNTIME_DIR": str(tmp_path)}
    environment["XDG_STATE_HOME"] = str(tmp_path / "s")
    with bridge("--vault", vault, "--autostart", env=environment) as started:
        is_error, text = started.call("status")
        assert is_error
        assert "could not be started" in text


def daemons_of(vault: Path) -> list[int]:
    """Return the processes that serve a vault."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            command = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"serve" in command and os.fsencode(vault) in command:
            found.append(int(folder.name))
    return found


# A client that starts bridges on pipes which it did not make, says so, and waits to be killed.
CLIENT = """
import subprocess, sys
count, words = int(sys.argv[1]), sys.argv[2:]
for _ in range(count):
    subprocess.Popen(words)
print("started", file=sys.stderr, flush=True)
sys.stdin.close()
import time
time.sleep(600)
"""


def test_bridges_end_with_their_parent_though_the_pipes_stay_open() -> None:
    watch_orphans(ORPHANS)


def watch_orphans(count: int) -> None:
    """Kill the parent of ``count`` bridges; none may be left after a while."""
    reads, feeds = open_pipe()
    client = [sys.executable, "-c", CLIENT, str(count), *words()]
    with processes.started(client, stdin=reads, stdout=feeds, stderr=subprocess.PIPE) as parent:
        assert parent.stderr is not None
        assert parent.stderr.readline() == b"started\n"
        started = processes.children(parent.pid)
        assert len(started) == count
        watch = Stopwatch(started)
        while not all(map(is_waiting, started)):
            assert not watch.is_over(60.0)
            time.sleep(0.02)
        parent.kill()
        # Bridges that spin would count as waiting for a processor.
        watch = Stopwatch([os.getpid()])
        while any(map(processes.is_alive, started)):
            assert not watch.is_over(END_SECONDS_MAX)
            time.sleep(0.02)
    for end in (reads, feeds):
        os.close(end)


# A process that adopts orphans and has no end of the pipes, and a client that ends at once.
ADOPTER = """
import ctypes, os, subprocess, sys
ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER of linux/prctl.h
client = "import subprocess, sys; [subprocess.Popen(sys.argv[2:]) for _ in range(int(sys.argv[1]))]"
started = subprocess.Popen([sys.executable, "-c", client, *sys.argv[1:]])
null = os.open(os.devnull, os.O_RDWR)
os.dup2(null, 0)
os.dup2(null, 1)  # before the client ends, so that no bridge sees the pipes here
started.wait()
print("started", file=sys.stderr, flush=True)
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
"""


@pytest.mark.slow
def test_bridges_end_whose_parent_ended_before_they_began() -> None:
    reads, feeds = open_pipe()
    adopter = [sys.executable, "-c", ADOPTER, str(ORPHANS), *words()]
    with processes.started(adopter, stdin=reads, stdout=feeds, stderr=subprocess.PIPE) as parent:
        assert parent.stderr is not None
        assert parent.stderr.readline() == b"started\n"
        watch = Stopwatch()
        while parent.poll() is None:  # it ends after the last bridge
            assert not watch.is_over(END_SECONDS_MAX)
            time.sleep(0.02)
    for end in (reads, feeds):
        os.close(end)


def is_waiting(pid: int) -> bool:
    """Return whether a bridge waits for its client: it has opened a descriptor of its parent."""
    return any("pidfd" in name for name in descriptors(pid))


@pytest.mark.slow
def test_bridges_that_are_killed_leave_one_daemon(sample: Path, tmp_path: Path) -> None:
    with daemon(tmp_path / "d", sample) as running:
        watch_lives(running, BRIDGES, LIVES)


def watch_lives(running: Daemon, count: int, lives: int) -> None:
    """Start and kill bridges in the middle of a call; the daemon must answer the next ones."""
    for _ in range(lives):
        with ExitStack() as stack:
            for started in [stack.enter_context(served_by(running)) for _ in range(count)]:
                assert started.ask(INITIALIZE)["result"]
                started.send(called("context", query="clock drift"))
    with served_by(running) as last:
        assert not last.call("status")[0]
    assert len(daemons_of(running.vault)) == 1
