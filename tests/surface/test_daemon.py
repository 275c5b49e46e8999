"""A running daemon: its socket, its errors, and how soon changes are seen."""

import json
import os
import select
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.surface.client import Refused
from clew.values.requests import LIST_LIMIT_MAX
from tests.daemons import Daemon, broken_parts, daemon
from tests.faults.processes import indexer_pid
from tests.pace import Stopwatch
from tests.vaults import SMALL_VAULT, small_vault


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("d")
    with daemon(home, small_vault(home / "vault")) as started:
        yield started


def names(result: dict[str, list[dict[str, str]]]) -> set[str]:
    return {row["name"] for row in result["directRelations"]}


def test_hello_lists_the_methods(running: Daemon) -> None:
    hello = running.ask("hello", protocol=1)
    assert hello["protocol"] == 1
    assert {"concept", "path", "status"} <= set(hello["capabilities"])
    assert running.refusal("hello", protocol=2)["data"]["field"] == "protocol"


def test_status_shows_the_cache(running: Daemon) -> None:
    running.until_partitioned()  # Communities that arrive are a new key of the cache.
    counts = []
    for _ in range(3):
        counts.append(running.ask("status")["cache"])
        running.ask("concept", conceptName="topic", asOf="2026-11-21")
    first, second, third = counts
    assert second["misses"] > first["misses"]
    assert second["entries"] > 0
    assert third["hits"] > second["hits"]
    assert (third["misses"], third["entries"]) == (second["misses"], second["entries"])


def test_status_of_a_settled_daemon_shows_no_fault(running: Daemon) -> None:
    status = running.ask("status")
    assert status["ready"]
    assert status["notes"] >= len(SMALL_VAULT)
    assert status["rssBytes"]["server"] > 10_000_000
    assert broken_parts(status) == {}


def test_only_the_owner_can_reach_the_socket(running: Daemon) -> None:
    assert stat.S_IMODE(running.socket.stat().st_mode) == 0o600
    assert stat.S_IMODE(running.socket.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("method", "params", "code", "name"),
    [
        ("nonsense", {}, -32601, "methodNotFound"),
        ("concept", {"conceptName": "x", "depth": -1}, -32602, "invalidParams"),
        ("concept", {"conceptName": "x", "more": 1}, -32602, "invalidParams"),
        ("links", {"uri": "nowhere"}, -32000, "notFound"),
        ("links", {"uri": "memory://../../etc/passwd"}, -32000, "notFound"),
        ("read", {"uri": "/etc/passwd"}, -32000, "notFound"),
        ("tags", {"limit": 0}, -32602, "invalidParams"),
        ("tags", {"limit": LIST_LIMIT_MAX + 1}, -32602, "invalidParams"),
        ("read", {"uri": "Index#nowhere"}, -32000, "notFound"),
        ("concept", {"conceptName": "x", "asOf": "soon"}, -32602, "invalidParams"),
    ],
)
def test_every_refusal_has_a_stable_code(
    running: Daemon, method: str, params: dict[str, object], code: int, name: str
) -> None:
    error = running.refusal(method, **params)
    assert (error["code"], error["data"]["code"]) == (code, name)


def test_a_batch_gets_one_line_and_a_notification_gets_none(running: Daemon) -> None:
    call = {"jsonrpc": "2.0", "method": "tags", "id": 1}
    silent = {"jsonrpc": "2.0", "method": "tags"}
    line = json.dumps([call, silent, {**call, "id": 2}]).encode() + b"\n"
    (answer,) = running.say(line + json.dumps(silent).encode() + b"\n")
    assert [part["id"] for part in answer] == [1, 2]


def test_calls_in_one_packet_are_answered_in_order(running: Daemon) -> None:
    lines = b"".join(
        b'{"jsonrpc":"2.0","method":"tags","id":%d}\n' % number for number in range(50)
    )
    assert [answer["id"] for answer in running.say(lines)] == list(range(50))


def test_a_client_that_sends_too_long_a_line_gets_an_error_and_is_dropped(running: Daemon) -> None:
    (answer,) = running.say(b"x" * (1024 * 1024 + 1) + b"\n")
    assert answer["error"]["data"]["code"] == "tooLarge"
    assert running.ask("status")["ready"]


def test_hostile_frames_get_one_reply_each(running: Daemon) -> None:
    frames = [b"{", b"[" * 5000, b"\x00", b'"\xff"', b"[1,2]", b'{"id":1}', b"null", b"{}" * 9]
    answers = running.say(b"\n".join(frames) + b"\n")
    assert len(answers) == len(frames)


def test_a_request_with_wait_fresh_sees_every_write_before_it(running: Daemon) -> None:
    for turn in range(10):
        (running.vault / "fresh.md").write_text(f"[[Topic]] [[Fresh {turn}]]\n")
        result = running.ask("concept", conceptName="topic", waitFresh=True)
        assert f"fresh-{turn}" in names(result)


def test_a_saved_note_is_seen_without_wait_fresh(running: Daemon) -> None:
    (running.vault / "seen.md").write_text("[[Topic]] [[Seen]]\n")
    running.until("concept", lambda r: "seen" in names(r), conceptName="topic")
    (running.vault / "seen.md").write_text("[[Topic]] [[Seen again]]\n")
    result = running.until("concept", lambda r: "seen-again" in names(r), conceptName="topic")
    assert "seen" not in names(result)
    (running.vault / "seen.md").unlink()
    running.until("concept", lambda r: "seen-again" not in names(r), conceptName="topic")


def test_new_nested_folders_are_seen(running: Daemon) -> None:
    for turn in range(5):
        folder = running.vault / f"n{turn}" / "a" / "b"
        folder.mkdir(parents=True)
        (folder / "x.md").write_text(f"[[Topic]] [[Nested {turn}]]\n")
        running.until("concept", lambda r, t=turn: f"nested-{t}" in names(r), conceptName="topic")


def test_a_renamed_folder_is_one_change(running: Daemon) -> None:
    (running.vault / "sub").rename(running.vault / "moved")
    running.until("why", lambda r: r["state"] == "indexed", uri="memory://moved/Deep.md")
    assert running.ask("why", uri="memory://sub/Deep.md")["state"] == "missing"


def test_concept_rules_apply_as_soon_as_they_are_saved(running: Daemon) -> None:
    rules = running.vault / ".clew" / "concepts.toml"
    rules.parent.mkdir()
    rules.write_text('ignore = ["other"]\n')
    running.ask("sync")
    assert "other" not in names(running.ask("concept", conceptName="topic"))
    rules.write_text("ignore = 7 ]")
    running.ask("sync")
    problems = running.ask("doctor")["problems"]
    assert "conceptRulesInvalid" in {problem["code"] for problem in problems}


def test_sync_counts_the_changes(running: Daemon) -> None:
    running.ask("sync")
    running.until("status", lambda said: said["ready"], 30.0)
    assert running.ask("sync")["applied"] == {"added": 0, "modified": 0, "removed": 0}
    before = running.ask("status")["revision"]
    running.ask("sync", full=True)
    assert running.ask("status")["revision"] == before


def test_the_index_equals_a_rebuild_after_changes(running: Daemon) -> None:
    checks = running.ask("doctor", deep=True)["checks"]
    assert all(check["ok"] for check in checks), checks


def dumped(running: Daemon) -> bytes:
    """Return the dump that the command line prints once all vectors are made."""
    words = [sys.executable, "-m", "clew", "doctor", "--dump", "--socket", str(running.socket)]
    watch = Stopwatch()
    while not watch.is_over(30.0):
        done = subprocess.run(words, capture_output=True, check=True, env=running.environment)
        if json.loads(done.stdout)["near"] is not None:
            return done.stdout
    raise AssertionError("vectors are never made")


@pytest.mark.slow
def test_the_dump_after_changes_equals_that_of_a_new_daemon(tmp_path: Path) -> None:
    vault = small_vault(tmp_path / "vault")
    with daemon(tmp_path / "edited", vault) as edited:
        before = dumped(edited)
        (vault / "Index.md").write_text("[[Somewhere else]] now\n")
        (vault / "sub" / "Deep.md").rename(vault / "Moved.md")
        after = dumped(edited)
        assert Path(edited.ask("doctor", dump=True)["dump"]).read_bytes() == after
        assert "dump" not in edited.ask("doctor")
    assert b"somewhere-else" in after
    assert after != before
    with daemon(tmp_path / "new", vault) as new:
        assert dumped(new) == after


def is_plain_doctor_first(running: Daemon) -> bool:
    """Return whether a plain doctor is answered before a deep one that was requested before it."""
    call = b'{"jsonrpc":"2.0","id":1,"method":"doctor","params":{"deep":%b}}\n'
    with running.connect() as deep, running.connect() as plain:
        deep.sendall(call % b"true")
        plain.sendall(call % b"false")
        assert plain.makefile("rb").readline()
        is_first = not select.select([deep], [], [], 0)[0]
        assert deep.makefile("rb").readline()
    return is_first


@pytest.mark.slow
def test_a_plain_doctor_is_answered_while_a_deep_one_runs(running: Daemon) -> None:
    # This process may be held up so long that both replies are there when it looks.
    assert any(is_plain_doctor_first(running) for _ in range(5))


@pytest.mark.slow
def test_a_running_request_is_answered_when_the_daemon_is_told_to_stop(tmp_path: Path) -> None:
    vault = small_vault(tmp_path / "vault")
    with daemon(tmp_path / "h", vault) as started, started.connect() as peer:
        indexer = indexer_pid(started)
        assert indexer is not None
        os.kill(indexer, signal.SIGSTOP)  # The request waits for the indexer.
        peer.sendall(b'{"jsonrpc":"2.0","id":1,"method":"tags","params":{"waitFresh":true}}\n')
        started.ask("status")
        os.kill(started.pid, signal.SIGTERM)
        os.kill(indexer, signal.SIGCONT)
        reply = json.loads(peer.makefile("rb").readline())
    assert "result" in reply


@pytest.mark.slow
def test_a_dump_that_cannot_be_written_is_an_error(running: Daemon) -> None:
    (running.home / "state" / "dump.json").mkdir()
    with pytest.raises(Refused, match="cannot be written"):
        running.ask("doctor", dump=True)


@pytest.mark.slow
def test_the_vault_is_only_read(tmp_path: Path) -> None:
    vault = small_vault(tmp_path / "vault")

    def seen() -> list[tuple[str, int, int]]:
        found = [vault, *vault.rglob("*")]
        return sorted((str(p), p.stat().st_mtime_ns, p.stat().st_mode) for p in found)

    before = seen()
    with daemon(tmp_path / "h", vault) as started:
        started.ask("read", uri="Index.md")
        started.ask("doctor", deep=True)
    assert seen() == before


@pytest.mark.slow
def test_a_second_daemon_is_refused_and_the_first_goes_on(running: Daemon) -> None:
    words = ["serve", "--vault", str(running.vault), "--state", str(running.home / "state")]
    done = subprocess.run(
        [sys.executable, "-m", "clew", *words, "--socket", str(running.home / "s" / "two.sock")],
        capture_output=True,
        text=True,
        env=running.environment,
        check=False,
    )
    assert done.returncode == 1
    assert "already serves" in done.stderr
    other_state = [*words[:-1], str(running.home / "state2"), "--socket", str(running.socket)]
    done = subprocess.run(
        [sys.executable, "-m", "clew", *other_state],
        capture_output=True,
        text=True,
        env=running.environment,
        check=False,
    )
    assert done.returncode == 1
    assert "answers at" in done.stderr
    assert running.ask("status")["ready"]


@pytest.mark.slow
def test_read_dates_survive_a_restart(tmp_path: Path) -> None:
    with daemon(tmp_path / "h", small_vault(tmp_path / "vault")) as started:
        started.ask("read", title="Topic")
        started.stop()
        started.start()
        assert [n["uri"] for n in started.ask("recent", by="read")["notes"]] == [
            "memory://Topic.md"
        ]


@pytest.mark.slow
def test_a_new_client_evicts_the_one_idle_longest(tmp_path: Path) -> None:
    config = tmp_path / "c.toml"
    config.write_text("[server]\nmax_clients = 3\n")
    arguments = ("--config", str(config))
    with daemon(tmp_path / "h", small_vault(tmp_path / "vault"), *arguments) as started:
        idle = [started.connect() for _ in range(40)]
        assert started.ask("status")["ready"]
        assert idle[0].recv(10) == b""
        for peer in idle:
            peer.close()


@pytest.mark.slow
def test_a_new_client_is_refused_while_all_others_are_busy(tmp_path: Path) -> None:
    config = tmp_path / "c.toml"
    config.write_text("[server]\nmax_clients = 2\n")
    arguments = ("--config", str(config))
    with daemon(tmp_path / "h", small_vault(tmp_path / "vault"), *arguments) as started:
        busy = [started.connect() for _ in range(2)]
        for peer in busy:  # They are for ten seconds after a request, and half a line is for less.
            peer.sendall(b'{"jsonrpc":"2.0","method":"tags","id":1}\n')
            assert peer.recv(65_536)
        with started.connect() as late:
            answer = json.loads(late.makefile("rb").readline())
        assert answer["error"]["data"]["code"] == "busy"
        for peer in busy:
            peer.close()


@pytest.mark.slow
def test_the_index_of_a_removed_vault_is_kept(tmp_path: Path) -> None:
    vault = small_vault(tmp_path / "vault")
    with daemon(tmp_path / "h", vault) as started:
        vault.rename(tmp_path / "elsewhere")
        assert started.refusal("sync")["data"]["code"] == "vaultUnavailable"
        assert names(started.ask("concept", conceptName="topic"))
        assert "vault" in broken_parts(started.ask("status"))
        (tmp_path / "elsewhere").rename(vault)
        started.ask("sync")
        assert broken_parts(started.ask("status")) == {}


def test_a_half_closed_client_still_gets_its_reply(running: Daemon) -> None:
    with running.connect() as peer:
        peer.sendall(b'{"jsonrpc":"2.0","method":"tags","id":7}\n')
        peer.shutdown(socket.SHUT_WR)
        assert json.loads(peer.makefile("rb").readline())["id"] == 7
