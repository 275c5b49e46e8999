"""``waitFor``: a request is answered once the changes made to some notes are applied."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.surface.client import Refused
from tests.daemons import ANSWER_SECONDS_MAX, Daemon, daemon, prepared
from tests.processes import children

pytestmark = pytest.mark.slow  # starts daemons of its own

HELD_SECONDS_MIN = 1.5  # of about 2 seconds after the last deletion
NOTES = {"Index.md": "# Start\n[[Topic]]\n", "sub/Topic.md": "---\naliases: [Thing]\n---\nold\n"}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("w")
    vault = home / "v"
    for path, text in NOTES.items():
        write(vault / path, text)
    for number in range(200):  # a large folder, in which single paths are looked at
        write(vault / "large" / f"{number}.md", "x")
    with daemon(home / "h", vault) as started:
        yield started


def write(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def content(running: Daemon, uri: str, *wait_for: str) -> str | None:
    """Return a note's text after waiting; ``None`` if there is no such note."""
    try:
        text: str = running.ask("read", uri=uri, waitFor=list(wait_for) or [uri])["content"]
    except Refused as refused:
        if refused.error["data"]["code"] != "notFound":
            raise
        return None
    return text


@pytest.mark.parametrize("path", ["Index.md", "large/7.md", "large/new.md", "n{}/a/b/new.md"])
def test_every_write_before_the_request_is_seen(running: Daemon, path: str) -> None:
    before = running.ask("status")["walk"]
    for turn in range(10):
        place = path.format(turn)
        write(running.vault / place, f"{turn}")
        assert content(running, place) == f"{turn}"
        (running.vault / place).unlink()
        assert content(running, place) is None
    after = running.ask("status")["walk"]
    # One may be due on the timer, and one after each time that hints may have been lost, such as
    # where the indexer had to wait for a processor.
    distrusted = after["overflows"] - before["overflows"]
    assert after["count"] <= before["count"] + 1 + distrusted


def test_a_rename_is_seen_under_both_names(running: Daemon) -> None:
    write(running.vault / "before.md", "text")
    assert content(running, "before.md") == "text"
    (running.vault / "before.md").rename(running.vault / "after.md")
    assert content(running, "before.md") is None
    assert content(running, "after.md") == "text"


@pytest.mark.parametrize("name", ["Topic", "thing", "memory://sub/Topic.md", "sub/Topic"])
def test_an_indexed_note_is_waited_for_by_any_of_its_names(running: Daemon, name: str) -> None:
    text = f"---\naliases: [Thing]\n---\n{name}\n"
    write(running.vault / "sub" / "Topic.md", text)
    assert content(running, "sub/Topic.md", name) == text


def test_a_note_that_is_not_there_is_not_waited_for(running: Daemon) -> None:
    write(running.vault / ".hidden" / "a.md", "text")
    for path in ("none.md", "no/folder.md", ".hidden/a.md", "memory://none.md"):
        assert content(running, path) is None


def test_a_new_note_is_found_by_its_path_without_the_extension(running: Daemon) -> None:
    write(running.vault / "plain" / "New one.md", "text")
    assert content(running, "plain/New one") == "text"


@pytest.mark.parametrize(
    "wait_for", [["Nothing"], ["../a.md"], ["Index.md"] * 101, ["x" * 4_097], [""], "Index.md", [1]]
)
def test_wrong_references_are_refused(running: Daemon, wait_for: Any) -> None:
    for fresh in (False, True):
        error = running.refusal("tags", waitFor=wait_for, waitFresh=fresh)
        assert error["data"]["code"] == "invalidParams"
        assert error["data"]["field"] == "waitFor"


def test_a_wait_ends_at_its_limit_and_goes_on_with_the_next_indexer(running: Daemon) -> None:
    (indexer,) = children(running.pid)
    os.kill(indexer, signal.SIGSTOP)
    write(running.vault / "Index.md", "late")
    late = running.refusal("tags", waitFor=["Index.md"], waitFreshMs=50)
    assert late["data"]["code"] == "timeout"
    killer = threading.Timer(0.2, os.kill, (indexer, signal.SIGKILL))
    killer.start()
    assert content(running, "Index.md") == "late"
    killer.join()
    running.until("status", lambda status: status["ready"], ANSWER_SECONDS_MAX)


def test_many_deletions_that_are_held_back_are_waited_for(tmp_path: Path) -> None:
    vault = tmp_path / "v"
    for number in range(60):
        write(vault / f"{number}.md", "text")
    with daemon(tmp_path / "h", vault) as running:
        began_s = time.monotonic()
        for number in range(1, 60):
            (vault / f"{number}.md").unlink()
        assert content(running, "0.md") == "text"
        notes = running.ask("status")["notes"]
        is_early = time.monotonic() - began_s < HELD_SECONDS_MIN
        assert notes == 60 or not is_early, "only deleted notes are waited for"
        assert content(running, "7.md") is None


def test_a_vault_that_is_away_is_unavailable(tmp_path: Path) -> None:
    vault = tmp_path / "v"
    write(vault / "a.md", "text")
    with daemon(tmp_path / "h", vault) as running:
        vault.rename(tmp_path / "away")
        away = running.refusal("tags", waitFor=["a.md"])
        assert away["data"]["code"] == "vaultUnavailable"
        assert running.ask("tags")["total"] == 0
        (tmp_path / "away").rename(vault)
        write(vault / "a.md", "back")
        assert content(running, "a.md") == "back"


def test_in_a_first_index_a_note_is_waited_for_until_it_is_read(tmp_path: Path) -> None:
    vault = tmp_path / "v"
    for number in range(9_000):  # several portions
        write(vault / f"n{number:05}.md", f"[[hub]] sextant {number}")
        os.utime(vault / f"n{number:05}.md", (1e9, 1e9))
    with prepared(tmp_path / "h", vault) as running:
        running.spawn()
        running.until_answered("tags")
        reply = running.ask("read", uri="n04000.md", waitFor=["n04000.md"])
        assert reply["content"].endswith(" 4000")
        assert reply["indexing"]["done"] < 9_000
        assert "indexing" not in running.ask("tags", waitFresh=True)
