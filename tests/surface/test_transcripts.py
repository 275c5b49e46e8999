"""Shell sessions against a real daemon on the sample vault, also those of the docs.

A line that begins with ``$ `` is a command, the lines up to the next command are its output, and a
last line ``[exit N]`` gives its status if that is not 0. Durations are shown as 0 and revisions as
1, and cursors as CURSOR, since they differ from run to run. In a command, CURSOR stands for the
last one that was printed. Set CLEW_UPDATE=1 to update the files.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemons import Daemon, copy_sample, daemon

FOLDER = Path(__file__).parent.parent / "data" / "transcripts"
ROOT = Path(__file__).parent.parent.parent
AS_OF = "--as-of 2026-11-21"  # scores fall with time
CURSOR = re.compile(r'(--cursor\s+|"cursor":")(c[\w-]{12,})')
SLOW = {"search"}
SESSIONS = [
    pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if path.stem in SLOW else [])
    for path in sorted(FOLDER.glob("*.txt"))
]
SESSION = re.compile(r"^```\n(\$ clew .*?)^```$", re.MULTILINE | re.DOTALL)
SEARCHES = re.compile(r"^```\n(\$ clew search .*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture  # for each file anew, since reading a note changes its weight
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("transcripts")
    with daemon(home, copy_sample(home / "tides")) as started:
        started.until_partitioned()
        yield started


def played(running: Daemon, command: str, cursors: list[str]) -> str:
    """Return what a command prints; ``cursors`` are those that were printed so far."""
    words = [cursors[-1] if word == "CURSOR" else word for word in shlex.split(command)]
    assert words[0] == "clew"
    done = subprocess.run(
        [sys.executable, "-m", "clew", *words[1:]],
        capture_output=True,
        text=True,
        check=False,
        cwd=running.vault,
        env={**running.environment, "COLUMNS": "100"} | _socket_by_default(running, words),
    )
    status = f"[exit {done.returncode}]\n" if done.returncode else ""
    text = done.stdout + done.stderr + status
    text = text.replace(str(running.home), "HOME")
    cursors += [cursor for _, cursor in CURSOR.findall(text)]
    text = CURSOR.sub(lambda found: re.sub(r"\s+", " ", found[1]) + "CURSOR", text)
    text = re.sub(r'evision":\d+', 'evision":1', text)  # of communities and importance too
    return re.sub(r'"tookMs":[0-9.]+', '"tookMs":0', text)


def _socket_by_default(running: Daemon, words: list[str]) -> dict[str, str]:
    """Let the config name the socket."""
    config = running.home / "config.toml"
    config.write_text(f'[server]\nsocket = "{running.socket}"\n')
    return {"CLEW_CONFIG": str(config)} if "--socket" not in words else {}


@pytest.mark.parametrize("path", SESSIONS)
def test_a_session_prints_what_the_file_says(running: Daemon, path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    played_text = played_session(running, text)
    if os.environ.get("CLEW_UPDATE"):
        path.write_text(played_text, encoding="utf-8")
    assert played_text == text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "sessions", "options"),
    [("docs/tutorial.md", SESSION, ""), ("README.md", SEARCHES, AS_OF)],
)
def test_a_document_shows_what_is_printed(
    running: Daemon, name: str, sessions: re.Pattern[str], options: str
) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    played_text = sessions.sub(
        lambda found: f"```\n{played_session(running, found[1], options)}```", text
    )
    if os.environ.get("CLEW_UPDATE"):
        (ROOT / name).write_text(played_text, encoding="utf-8")
    assert played_text == text


def played_session(running: Daemon, text: str, options: str = "") -> str:
    """Return a session with the commands of ``text`` and what they print now.

    ``options`` are given to each command, and not shown.
    """
    commands = [line[2:] for line in text.split("\n") if line.startswith("$ ")]
    assert commands
    cursors: list[str] = []
    return "".join(
        f"$ {command}\n{played(running, f'{command} {options}', cursors)}" for command in commands
    )
