"""The daemon remembers the edits that it sees, and they count as changes of a note."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.daemons import Daemon, daemon
from tests.faults.vaults import vault_of

DAY = "journal/2024-03-05.md"
NOTES = {DAY: "an old day [[x]]", "journal/2024-03-06.md": "the day after [[x]]"}


def changed(running: Daemon, path: str = DAY) -> dict[str, Any]:
    running.ask("status", waitFresh=True)
    found: dict[str, Any] = running.ask("why", uri=path)["changed"]
    return found


@pytest.mark.slow
def test_an_old_daily_note_that_is_edited_is_recent(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", NOTES)
    with daemon(tmp_path / "h", vault) as running:
        assert changed(running) == {"date": "2024-03-05T00:00:00Z", "source": "name"}
        revision = running.ask("status")["revision"]
        (vault / DAY).write_text("an old day [[x]], and a new thought")
        assert changed(running)["source"] == "seen"
        assert running.ask("status")["revision"] == revision + 1
        (first, second) = running.ask("recent")["notes"]
        assert first["uri"] == f"memory://{DAY}"
        assert first["created"] == "2024-03-05T00:00:00Z"
        assert second["modified"] == "2024-03-06T00:00:00Z"
        assert running.ask("doctor", deep=True)["checks"][-1]["ok"]


@pytest.mark.slow
def test_an_edit_outlives_a_kill_and_follows_a_rename(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", NOTES)
    with daemon(tmp_path / "h", vault) as running:
        (vault / DAY).write_text("an old day [[x]], and a new thought")
        seen = changed(running)
        assert seen["source"] == "seen"
        os.kill(running.pid, signal.SIGKILL)
        assert running.child is not None
        running.child.wait()
        (vault / DAY).rename(vault / "2024-03-05 again.md")
        running.start()
        assert changed(running, "2024-03-05 again.md") == seen
        (vault / "2024-03-05 again.md").rename(vault / DAY)
        assert changed(running) == seen
        running.stop()
        running.start()
        assert changed(running) == seen


@pytest.mark.slow
def test_an_edit_of_a_later_note_does_not_follow_a_rename_in_the_log(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", NOTES)
    renamed = "2024-03-05 renamed.md"
    with daemon(tmp_path / "h", vault) as running:
        (vault / DAY).write_text("an old day [[x]], and a new thought")
        changed(running)
        time.sleep(1.1)  # dates are shown to the second
        (vault / DAY).rename(vault / renamed)
        changed(running, renamed)
        for text in ("another day", "another day, and a thought"):
            (vault / DAY).write_text(text)
            changed(running)
        before = changed(running), changed(running, renamed)
        assert before[0]["date"] > before[1]["date"]
        os.kill(running.pid, signal.SIGKILL)
        assert running.child is not None
        running.child.wait()
        running.start()
        assert (changed(running), changed(running, renamed)) == before


@pytest.mark.slow
def test_an_edit_while_no_daemon_ran_is_not_seen(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", NOTES)
    with daemon(tmp_path / "h", vault) as running:
        running.stop()
        (vault / DAY).write_text("an old day [[x]], and a new thought")
        running.start()
        assert changed(running)["source"] == "name"


@pytest.mark.slow
def test_an_edit_while_no_daemon_ran_is_later_than_one_that_was_seen(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", {**NOTES, "plain.md": "a note without a date"})
    with daemon(tmp_path / "h", vault) as running:
        for path in (DAY, "plain.md"):
            (vault / path).write_text("seen")
        seen = changed(running)
        seen_plain = changed(running, "plain.md")
        assert seen_plain["source"] == "seen"
        running.stop()
        time.sleep(1.1)  # dates are shown to the second
        for path in (DAY, "plain.md"):
            (vault / path).write_text("not seen")
        running.start()
        assert changed(running, "plain.md")["date"] > seen_plain["date"]
        assert changed(running) == seen
