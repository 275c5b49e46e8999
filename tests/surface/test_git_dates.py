"""A daemon on a vault in a git work tree: notes have the author dates of their commits."""

import os
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.daemons import Daemon, daemon
from tests.pace import Stopwatch
from tests.repositories import Commit, add_commits, git, needs_git, new_repository

pytestmark = [needs_git, pytest.mark.slow]
FIRST_S, LAST_S, LATER_S = 1_400_000_000, 1_500_000_000, 1_600_000_000
FILE_S = 1_700_000_000
NOTICED_SECONDS_MAX = 30.0
PAUSE_S = 0.05  # between requests that each wait for a walk of the vault


def history(vault: Path) -> Path:
    new_repository(
        vault,
        [
            Commit(FIRST_S, {"a.md": b"[[x]]", "b.md": b"[[x]] [[y]]"}),
            Commit(LAST_S, {"a.md": b"[[x]] and [[y]]"}),
        ],
    )
    for name in ("a.md", "b.md"):
        os.utime(vault / name, (FILE_S, FILE_S))
    return vault


def dates(running: Daemon, path: str) -> list[tuple[float, str]]:
    """Return when a note was created and changed, and what says so."""
    why = running.ask("why", uri=path, waitFresh=True)
    return [(_posix_s(why[name]), why[name]["source"]) for name in ("created", "changed")]


def _posix_s(date: dict[str, Any]) -> float:
    return datetime.fromisoformat(date["date"]).timestamp()


def becomes(running: Daemon, path: str, *expected: tuple[float, str]) -> None:
    watch = Stopwatch()
    while (found := dates(running, path)) != list(expected):
        assert not watch.is_over(NOTICED_SECONDS_MAX), (found, running.log)
        time.sleep(PAUSE_S)


def test_dates_follow_commits_edits_and_checkouts(tmp_path: Path) -> None:
    vault = history(tmp_path / "vault")
    with daemon(tmp_path / "home", vault) as running:
        becomes(running, "a.md", (FIRST_S, "git"), (LAST_S, "git"))
        becomes(running, "b.md", (FIRST_S, "git"), (FIRST_S, "git"))
        (vault / "b.md").write_bytes(b"edited")
        os.utime(vault / "b.md", (FILE_S, FILE_S))
        created, changed = dates(running, "b.md")
        assert created == (FILE_S, "file")
        assert changed[1] == "seen"
        (vault / "a.md").unlink()
        add_commits(vault, [Commit(LATER_S, {"c.md": b"[[x]]", "b.md": b"edited"})])
        becomes(running, "c.md", (LATER_S, "git"), (LATER_S, "git"))
        assert dates(running, "b.md") == [(FIRST_S, "git"), changed]
        assert running.ask("doctor", deep=True)["checks"][-1]["ok"]
    with daemon(tmp_path / "home", vault) as running:
        assert dates(running, "c.md") == [(LATER_S, "git"), (LATER_S, "git")]
        git(vault, "rm", "--quiet", "--cached", "c.md")
        git(vault, "commit", "--quiet", "--message=m")
        becomes(running, "c.md", *2 * [((vault / "c.md").stat().st_mtime_ns / 1e9 // 1, "file")])


def test_a_note_that_differed_from_head_has_its_dates_once_it_is_restored(tmp_path: Path) -> None:
    vault = history(tmp_path / "vault")
    (vault / "b.md").write_bytes(b"edited before")
    with daemon(tmp_path / "home", vault) as running:
        becomes(running, "a.md", (FIRST_S, "git"), (LAST_S, "git"))
        assert dates(running, "b.md")[0][1] == "file"
        git(vault, "checkout", "--quiet", "b.md")
        watch = Stopwatch()
        while dates(running, "b.md")[0] != (FIRST_S, "git"):
            assert not watch.is_over(NOTICED_SECONDS_MAX), running.log
            time.sleep(PAUSE_S)


def test_with_files_git_is_not_asked(tmp_path: Path) -> None:
    vault, config = history(tmp_path / "vault"), tmp_path / "config.toml"
    config.write_text('[vault]\ndates = "files"\n')
    with daemon(tmp_path / "home", vault, "--config", str(config)) as running:
        assert dates(running, "a.md") == [(FILE_S, "file"), (FILE_S, "file")]
        assert "git" not in running.log
        assert not (tmp_path / "home" / "state" / "index" / "git-dates").exists()


def test_doctor_says_why_dates_from_git_are_missing(tmp_path: Path) -> None:
    vault = history(tmp_path / "vault")
    (vault / ".git" / "HEAD").write_text("nonsense\n")
    with daemon(tmp_path / "home", vault) as running:
        running.until(
            "doctor",
            lambda said: any("; git: not a git repo" in c["message"] for c in said["checks"]),
            NOTICED_SECONDS_MAX,
        )
        assert dates(running, "a.md")[0][1] == "file"
