"""Unusual file names, and entries that are named like notes but are not files."""

import os
import shutil
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from clew.surface.indexer.watching.walker import ROOT_CHECK_SECONDS
from clew.text.uri import to_uri
from tests.daemons import Daemon, daemon
from tests.faults import LONG, data
from tests.faults.odd_names import NAMES, UNDECODABLE, path_of, place_of
from tests.faults.vaults import knows, note_count, seconds_until, settled_daemon, vault_of
from tests.pace import Stopwatch

ORDINARY = {"good.md": "[[Alpha]] [[Beta]]", "sub/good too.md": "[[Alpha]] [[Gamma]]"}
ALL_NAMES = sorted({*NAMES, *data.names()})
LIVE_NAMES = ALL_NAMES if LONG else [*UNDECODABLE, *NAMES[len(UNDECODABLE) :: 12]]
SEEN_SECONDS_MAX = 5.0  # a watch that a name stopped is restarted after a moment


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("d")
    vault = vault_of(home / "v", ORDINARY)
    for name in ALL_NAMES:
        place_of(vault, name).write_text("# odd\n[[odd name]]\n")
    with daemon(home / "h", vault) as started:
        yield started


def codes(running: Daemon, path: str) -> set[str]:
    return {p["code"] for p in running.ask("why", uri=to_uri(path))["problems"]}


def test_every_name_makes_a_note(running: Daemon) -> None:
    states = {n: running.ask("why", uri=to_uri(path_of(n)))["state"] for n in ALL_NAMES}
    assert {n: state for n, state in states.items() if state != "indexed"} == {}
    assert running.ask("status")["notes"] == len(ALL_NAMES) + len(ORDINARY)
    mentions = running.ask("backlinks", conceptName="odd name", limit=1000)["backlinks"]
    assert {row["uri"] for row in mentions} == {to_uri(path_of(name)) for name in ALL_NAMES}


def test_every_name_can_be_read(running: Daemon) -> None:
    for name in ALL_NAMES:
        reply = running.ask("read", uri=to_uri(path_of(name)))
        assert reply["content"] == "# odd\n[[odd name]]\n", name
        assert reply["uri"] == to_uri(path_of(name))


def test_a_name_that_is_not_utf_8_is_listed(running: Daemon) -> None:
    listed = {name for name in ALL_NAMES if "nameUndecodable" in codes(running, path_of(name))}
    assert listed == {name for name in ALL_NAMES if "\ufffd" in name.decode("utf-8", "replace")}
    assert listed >= set(UNDECODABLE)


def test_the_index_of_odd_names_equals_a_rebuild(running: Daemon) -> None:
    # An unusual name may stop the watch; the vault is walked until it runs again.
    running.until("status", lambda said: not said["degraded"], 30.0)
    checks = running.ask("doctor", deep=True)["checks"]
    # All files were written at once, as those of a copied vault.
    assert [check["name"] for check in checks if not check["ok"]] in ([], ["dates"])


def test_changes_are_still_noticed_after_a_file_of_an_odd_name(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", ORDINARY)
    with settled_daemon(tmp_path / "h", vault) as running:
        for number, name in enumerate(LIVE_NAMES):
            place_of(vault, name).write_text(f"[[odd {number}]]")
            (vault / "good.md").write_text(f"[[Alpha]] [[turn {number}]]")
            (vault / "sub" / "good too.md").write_text(f"[[lower turn {number}]]")
            for concept in ("turn", "lower turn", "odd"):
                assert knows(running, f"{concept} {number}", SEEN_SECONDS_MAX), (name, concept)
        for name in LIVE_NAMES:
            place_of(vault, name).unlink()
        running.until("status", lambda r: r["notes"] == len(ORDINARY))
        assert note_count(running, "odd 0") == 0


def test_a_folder_of_an_odd_name_is_indexed_and_watched(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", ORDINARY)
    with settled_daemon(tmp_path / "h", vault) as running:
        for number, name in enumerate(LIVE_NAMES):
            place_of(vault, name).mkdir()
            (place_of(vault, name) / "in.md").write_text(f"[[in {number}]]")
            assert knows(running, f"in {number}", SEEN_SECONDS_MAX), name
            (place_of(vault, name) / "in.md").write_text(f"[[in again {number}]]")
            assert knows(running, f"in again {number}", SEEN_SECONDS_MAX), name
        assert running.ask("status")["notes"] == len(ORDINARY) + len(LIVE_NAMES)


def test_a_folder_whose_name_is_not_utf_8_does_not_end_the_watch(tmp_path: Path) -> None:
    """It is listed on a timer, and a watch of the folder around it would end at its name."""
    vault = vault_of(tmp_path / "v", ORDINARY)
    place_of(vault, UNDECODABLE[0]).mkdir()
    (place_of(vault, UNDECODABLE[0]) / "in.md").write_text("[[in]]")
    with settled_daemon(tmp_path / "h", vault) as running:
        ended: list[str] = []
        watch = Stopwatch()
        while not watch.is_over(3 * ROOT_CHECK_SECONDS):
            ended += running.ask("status")["degraded"]
            time.sleep(0.05)
        assert ended == []
        (vault / "good.md").write_text("[[seen beside it]]")  # its folder is listed too
        assert knows(running, "seen beside it", SEEN_SECONDS_MAX)


def make_odd_things(vault: Path, outside: Path) -> dict[str, str]:
    """Make entries that are named like notes but are not files; return the problem of each."""
    links = {
        "usr": "/usr",
        "up": "..",
        "here": ".",
        "secret.md": str(outside / "secret.md"),
        "loop.md": "loop.md",
        "ping.md": "pong.md",
        "pong.md": "ping.md",
        "gone.md": "nowhere.md",
        "again.md": "good.md",
        "sub/environ.md": "/proc/self/environ",
        "sub/root": "/proc/self/root",
    }
    for path, target in links.items():
        (vault / path).symlink_to(target)
    os.mkfifo(vault / "fifo.md")
    os.mkfifo(vault / "sub" / "fifo.md")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(vault / "socket.md"))
    odd = ["fifo.md", "sub/fifo.md", "socket.md"]
    for name, numbers in (("null.md", (1, 3)), ("zero.md", (1, 5))):
        with suppress(PermissionError):  # only root can make devices, and not on every file system
            os.mknod(vault / name, stat.S_IFCHR | 0o666, os.makedev(*numbers))
            odd.append(name)
    return {**dict.fromkeys(links, "symlink"), **dict.fromkeys(odd, "notRegular")}


@pytest.mark.parametrize("when", ["before it starts", "while it runs"])
def test_an_entry_that_is_no_file_is_listed_and_never_opened(tmp_path: Path, when: str) -> None:
    outside = vault_of(tmp_path / "o", {"secret.md": "[[the secret]]", "shared.md": "[[shared]]"})
    vault = vault_of(tmp_path / "v", ORDINARY)
    listed = make_odd_things(vault, outside) if when == "before it starts" else {}
    with daemon(tmp_path / "h", vault) as running:
        listed = listed or make_odd_things(vault, outside)
        assert seconds_until(lambda: len(problems(running)) >= len(listed), 5.0) <= 5.0
        assert problems(running) == {to_uri(path): code for path, code in listed.items()}
        assert {path: codes(running, path) for path in listed} == {
            path: {code} for path, code in listed.items()
        }
        assert running.ask("status")["notes"] == len(ORDINARY)
        assert note_count(running, "the secret") == 0
        (outside / "secret.md").write_text("[[told later]]")
        (vault / "good.md").write_text("[[Alpha]] [[later]]")
        (vault / "sub" / "good too.md").write_text("[[later too]]")
        assert knows(running, "later")
        assert knows(running, "later too")
        assert note_count(running, "told later") == 0
        assert running.ask("doctor", deep=True)["checks"][-1]["ok"]
        os.link(outside / "shared.md", vault / "shared.md")
        assert knows(running, "shared"), "a hard link is a file like any other"


def problems(running: Daemon) -> dict[str, str]:
    return {row["uri"]: row["code"] for row in running.ask("doctor", limit=1_000)["problems"]}


def test_a_note_may_be_replaced_by_such_an_entry_and_the_reverse(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", {**ORDINARY, "x.md": "[[as note 0]]"})
    with daemon(tmp_path / "h", vault) as running:
        for turn in range(1, 6 if LONG else 3):
            for make in (os.mkfifo, Path.mkdir, lambda place: place.symlink_to("/etc/passwd")):
                (vault / "x.md").unlink()
                make(vault / "x.md")
                running.until("status", lambda r: r["notes"] == len(ORDINARY))
                _clear(vault / "x.md")
                (vault / "x.md").write_text(f"[[as note {turn}]]")
                running.until("status", lambda r: r["notes"] == len(ORDINARY) + 1)
                assert knows(running, f"as note {turn}")
        assert problems(running) == {}


def _clear(place: Path) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink()


def test_a_path_longer_than_the_system_allows_is_listed(tmp_path: Path) -> None:
    """A path made step by step may be longer than any path that can be opened at once."""
    vault = vault_of(tmp_path / "v", ORDINARY)
    here = os.open(vault, os.O_RDONLY)
    for _ in range(24):
        os.mkdir("d" * 200, dir_fd=here)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("deep.md", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=here))
    os.close(here)
    with daemon(tmp_path / "h", vault) as running:
        notes = running.ask("status")["notes"]
        listed = [code for code in problems(running).values() if code == "unreadable"]
        assert notes - len(ORDINARY) + len(listed) == 1, "neither indexed nor listed"
        (vault / "good.md").write_text("[[later]]")
        assert knows(running, "later")
