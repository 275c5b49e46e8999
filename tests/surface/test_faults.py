"""Faults around a daemon, and how the daemon reacts to each."""

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.daemons import ANSWER_SECONDS_MAX, Daemon, daemon, prepared, succeed
from tests.faults.vaults import knows, vault_of
from tests.processes import contained, started

pytestmark = pytest.mark.slow


def test_a_folder_that_was_removed_and_made_again_is_watched(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", {"d/n.md": "[[one]]", "e/n.md": "x"})
    with daemon(tmp_path / "h", vault) as running:
        shutil.rmtree(vault / "d")
        vault_of(vault, {"d/n.md": "[[two]]"})
        assert knows(running, "two")
        (vault / "e").rename(tmp_path / "old")
        vault_of(tmp_path / "staged", {"n.md": "[[three]]"}).rename(vault / "e")
        assert knows(running, "three")
        time.sleep(0.5)
        (vault / "d" / "n.md").write_text("[[four]]")
        (vault / "e" / "n.md").write_text("[[five]]")
        assert knows(running, "four")
        assert knows(running, "five")


def test_a_vault_that_was_removed_and_made_again_is_watched(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", {"n.md": "[[one]]"})
    with daemon(tmp_path / "h", vault) as running:
        inode = vault.stat().st_ino
        shutil.rmtree(vault)
        spares = [tmp_path / f"spare {number}" for number in range(500)]
        for spare in spares:  # which take the inodes that are given before that of the vault
            spare.mkdir()
            if spare.stat().st_ino == inode:
                spare.rename(vault)
                break
        if not vault.exists():  # the file system gives no inode again, so this is another vault
            vault.mkdir()
            assert running.refusal("sync")["data"]["code"] == "vaultUnavailable"
            return
        vault_of(vault, {"n.md": "[[two]]"})
        assert knows(running, "two", 10.0)
        time.sleep(4.0)
        (vault / "late.md").write_text("[[late]]")
        assert knows(running, "late")


def test_settings_folders_that_appear_later_are_read(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", {"a.md": "[[x]] [[y]]", "drafts/b.md": "[[z]]"})
    with daemon(tmp_path / "h", vault) as running:
        (vault / ".clew").mkdir()
        (vault / ".obsidian").mkdir()
        time.sleep(0.5)
        (vault / ".clew" / "concepts.toml").write_text('ignore = ["y"]\n')
        (vault / ".obsidian" / "app.json").write_text('{"userIgnoreFilters": ["drafts/"]}')
        running.until("concept", lambda r: r["noteCount"] == 0, conceptName="y")
        running.until("why", lambda r: r["state"] == "ignored", uri="memory://drafts/b.md")


def test_another_folder_at_the_vaults_path_leaves_the_index_as_it_is(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", {"a.md": "[[x]] [[y]]"})
    with daemon(tmp_path / "h", vault) as running:
        vault.rename(tmp_path / "away")
        vault.mkdir()
        assert running.refusal("sync")["data"]["code"] == "vaultUnavailable"
        assert running.ask("status")["notes"] == 1
        vault.rmdir()
        (tmp_path / "away").rename(vault)
        assert running.ask("sync")["applied"]["removed"] == 0


def big_vault(folder: Path) -> Path:
    return vault_of(folder, {"big.md": "words and more words\n" * 50_000})


READ = b'{"jsonrpc":"2.0","id":%d,"method":"read","params":{"uri":"big.md"}}'


def test_a_client_that_never_reads_costs_bounded_memory(tmp_path: Path) -> None:
    with daemon(tmp_path / "h", big_vault(tmp_path / "v")) as running:
        before = running.ask("status")["rssBytes"]["server"]
        with running.connect() as greedy:
            greedy.sendall(b"".join(READ % n + b"\n" for n in range(300)))
            time.sleep(0.5)
            after = running.ask("status")["rssBytes"]["server"]
            assert after - before < 30_000_000
            stream = greedy.makefile("rb")
            assert [json.loads(stream.readline())["id"] for _ in range(300)] == list(range(300))


def test_a_batch_is_bounded_as_one_reply(tmp_path: Path) -> None:
    with daemon(tmp_path / "h", big_vault(tmp_path / "v")) as running:
        (answers,) = running.say(b"[" + b",".join(READ % n for n in range(40)) + b"]\n")
        assert [answer["id"] for answer in answers] == list(range(40))
        codes = [answer["error"]["data"]["code"] for answer in answers if "error" in answer]
        assert set(codes) == {"tooLarge"}
        assert 20 < len(codes) < 30


def test_the_last_reply_is_sent_whole_before_the_daemon_ends(tmp_path: Path) -> None:
    with daemon(tmp_path / "h", big_vault(tmp_path / "v")) as running, running.connect() as peer:
        peer.sendall(READ % 1 + b"\n")
        assert select.select([peer], [], [], ANSWER_SECONDS_MAX)[0]  # a first part of the reply
        assert running.child is not None
        running.child.send_signal(signal.SIGTERM)
        assert json.loads(peer.makefile("rb").readline())["id"] == 1


def test_a_half_closed_client_waits_for_the_first_index(tmp_path: Path) -> None:
    notes = {f"{n}.md": "words [[x]]\n" * 300 for n in range(1_500)}
    with prepared(tmp_path, vault_of(tmp_path / "v", notes)) as running:
        running.spawn()
        call = b'{"jsonrpc":"2.0","id":1,"method":"tags","params":{"waitFresh":true}}\n'
        answers = None
        while answers is None:
            assert running.is_running, running.log
            # The socket's file is there a moment before the daemon listens.
            with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
                answers = running.say(call)
            time.sleep(0.005)
        assert [answer["id"] for answer in answers] == [1]


def test_a_daemon_whose_socket_was_removed_ends_cleanly(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", {"a.md": "x"})
    with daemon(tmp_path / "h", vault) as running:
        running.ask("read", uri="a.md")
        running.socket.unlink()
        assert running.stop() == 0
        running.start()
        assert running.ask("recent", by="read")["total"] == 1


def test_read_dates_of_a_note_survive_its_absence(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", {"sub/a.md": "a", "b.md": "b"})
    with daemon(tmp_path / "h", vault) as running:
        running.ask("read", uri="sub/a.md")
        (vault / "sub").rename(tmp_path / "sub")
        running.stop()
        running.start()
        running.ask("read", uri="b.md")
        (tmp_path / "sub").rename(vault / "sub")
        running.stop()
        running.start()
        assert running.ask("recent", by="read")["total"] == 2


def read_names(running: Daemon) -> list[str]:
    return [note["uri"] for note in running.ask("recent", by="read")["notes"]]


@pytest.mark.parametrize("is_running", [True, False])
def test_a_read_date_follows_a_renamed_note_and_outlives_a_kill(
    tmp_path: Path, is_running: bool
) -> None:
    vault = vault_of(tmp_path / "v", {"a.md": "a note [[x]]"})
    with daemon(tmp_path / "h", vault) as running:
        running.ask("read", uri="a.md")
        if is_running:
            (vault / "a.md").rename(vault / "b.md")
            assert running.ask("status", waitFresh=True)["notes"] == 1
        os.kill(running.pid, signal.SIGKILL)
        assert running.child is not None
        running.child.wait()
        if not is_running:
            (vault / "a.md").rename(vault / "b.md")
        running.start()
        assert read_names(running) == ["memory://b.md"]


@pytest.mark.parametrize("uri", ["memory://.hidden.md", "memory://node_modules/x.md"])
def test_why_names_the_rule_for_names_that_are_left_out(tmp_path: Path, uri: str) -> None:
    vault = vault_of(tmp_path / "v", {".hidden.md": "x", "node_modules/x.md": "x", "a.md": "x"})
    with daemon(tmp_path / "h", vault) as running:
        why = running.ask("why", uri=uri)
        assert why["state"] == "ignored"
        assert "begin with a dot" in why["rule"]


def test_every_command_uses_the_state_folder_that_the_config_names(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", {"a.md": "[[x]]"})
    config = tmp_path / "c.toml"
    config.write_text(f'[server]\nstate = "{tmp_path}/state"\n[vault]\npath = "{vault}"\n')
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path / "none")}

    def clew(*words: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "clew", *words]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout + done.stderr

    with contained():
        succeed(lambda: clew("start", "--config", str(config)))
        environment["CLEW_CONFIG"] = str(config)
        succeed(lambda: clew("concept", "x"))
        assert (tmp_path / "state" / "lock").exists()
        assert clew("stop")[0] == 0


def test_an_output_that_cannot_be_written_is_one_line_of_error(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", {"a.md": "#tag"})
    with daemon(tmp_path / "h", vault) as running, open("/dev/full", "wb") as full:
        words = ["tags", "--socket", str(running.socket)]
        done = subprocess.run(
            [sys.executable, "-m", "clew", *words], stdout=full, stderr=subprocess.PIPE, check=False
        )
        assert done.returncode == 1
        assert b"Traceback" not in done.stderr
        too_long = ["tags", "--socket", "/tmp/" + "x" * 200]
        done = subprocess.run(
            [sys.executable, "-m", "clew", *too_long], capture_output=True, check=False
        )
        assert done.returncode == 3


def test_an_interrupted_start_has_its_own_exit_status(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as deaf:
        place = tmp_path / "r"
        place.mkdir(mode=0o700)
        deaf.bind(str(place / "x.sock"))
        deaf.listen(1)
        words = ["start", "--vault", str(tmp_path), "--socket", str(place / "x.sock")]
        command = [sys.executable, "-m", "clew", *words]
        with contained(), started(command, stderr=subprocess.DEVNULL) as child:
            deaf.accept()[0].close()  # The command has started; its first request gets no reply,
            deaf.accept()[0].close()  # so it has spawned a daemon and tries again.
            child.send_signal(signal.SIGINT)
            assert child.wait(ANSWER_SECONDS_MAX) == 130
