"""Git repositories for tests, made by ``git fast-import`` with author dates of their own."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
BRANCH = "main"


class Commit(NamedTuple):
    """One commit on a branch: what it changes, and when its author says so; POSIX seconds."""

    authored_s: int
    changes: Mapping[str, bytes | None]  # path -> new content; None: deleted
    merged: int | None = None  # the number of an earlier commit that is merged, from 1 on
    parent: int | None = None  # the number of the first parent; None: the commit before


def git(folder: Path, *words: str, data: bytes | None = None) -> bytes:
    """Run git with its usual settings off; return what it wrote."""
    return subprocess.run(
        ["git", "-c", "gc.auto=0", "-c", "protocol.file.allow=always", *words],
        cwd=folder,
        env=environment(),
        input=data,
        stdout=subprocess.PIPE,
        check=True,
    ).stdout


def environment() -> dict[str, str]:
    """The environment of a user without settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    person = {
        f"GIT_{role}_{what}": text
        for role in ("AUTHOR", "COMMITTER")
        for what, text in (("NAME", "A"), ("EMAIL", "a@example.org"))
    }
    return {**kept, **person, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}


def new_repository(folder: Path, commits: Iterable[Commit] = (), *words: str) -> Path:
    """Make a repository in ``folder`` with these commits, checked out."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet", f"--initial-branch={BRANCH}", *words)
    add_commits(folder, commits)
    return folder


def add_commits(folder: Path, commits: Iterable[Commit]) -> None:
    """Add commits to a repository, after those of its branch, and check the last one out."""
    stream = b"".join(_stream(commits, has_parent=_has_commit(folder)))
    if stream:
        git(folder, "fast-import", "--quiet", "--force", data=stream)
        git(folder, "reset", "--quiet", "--hard", BRANCH)


def _has_commit(folder: Path) -> bool:
    words = ["git", "rev-parse", "--quiet", "--verify", BRANCH]
    return not subprocess.run(words, cwd=folder, stdout=subprocess.DEVNULL, check=False).returncode


def _stream(commits: Iterable[Commit], *, has_parent: bool) -> Iterator[bytes]:
    for number, commit in enumerate(commits, 1):
        person = b"A <a@example.org> %d +0000\n" % commit.authored_s
        yield b"commit refs/heads/%s\nmark :%d\n" % (BRANCH.encode(), number)
        yield b"author " + person + b"committer A <a@example.org> %d +0000\n" % number
        yield b"data 1\nm\n"
        if commit.parent is not None:
            yield b"from :%d\n" % commit.parent
        elif number == 1 and has_parent:
            yield b"from refs/heads/%s^0\n" % BRANCH.encode()
        if commit.merged is not None:
            yield b"merge :%d\n" % commit.merged
        for path, content in commit.changes.items():
            name = _quoted(os.fsencode(path))
            if content is None:
                yield b"D " + name + b"\n"
            else:
                yield b"M 100644 inline %s\ndata %d\n%s\n" % (name, len(content), content)
        yield b"\n"


def _quoted(name: bytes) -> bytes:
    escapes = {ord('"'): b'\\"', ord("\\"): b"\\\\", ord("\n"): b"\\n"}
    return b'"' + b"".join(escapes.get(byte, bytes((byte,))) for byte in name) + b'"'
