"""``clew watch`` prints a line for each note that changes, and no more than a terminal shows."""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from clew.surface.cli.lines import width_of
from tests.daemons import ANSWER_SECONDS_MAX, Daemon, daemon
from tests.faults.vaults import vault_of

NAME = "A name that is much longer than a narrow terminal could ever show in one of its lines"
HOSTILE = "evil \x1b]0;owned\x07\u202e.md"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("watch")
    with daemon(home, vault_of(home / "v", {"a.md": "[[b]]\n"})) as started:
        yield started


@contextmanager
def watching(running: Daemon, *words: str, columns: int = 0) -> Iterator["subprocess.Popen[bytes]"]:
    """Run the command within a block, and end it as Ctrl-C does."""
    command = [sys.executable, "-m", "clew", "watch", "--socket", str(running.socket), *words]
    environment = {**running.environment, **({"COLUMNS": str(columns)} if columns else {})}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as child:
        try:
            yield child
            child.send_signal(signal.SIGINT)
            assert child.wait(ANSWER_SECONDS_MAX) == 130
        finally:
            child.kill()


def lines_about(child: "subprocess.Popen[bytes]", file: Path, text: str) -> list[str]:
    """Write a note until the command prints something; return the lines that it prints of it."""
    assert child.stdout is not None
    count = 0
    while not select.select([child.stdout], [], [], 0.3)[0]:
        file.write_text(f"{text}{(count := count + 1)}\n")
    return os.read(child.stdout.fileno(), 65_536).decode().splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_no_line_is_wider_than_the_terminal(running: Daemon, columns: int) -> None:
    with watching(running, columns=columns) as child:
        assert child.stderr is not None
        assert child.stderr.read(len("clew: watching")) == b"clew: watching"
        lines = lines_about(child, running.vault / f"{NAME}{columns}.md", "new")
    assert lines[0].split()[0] == "added"
    assert "".join("".join(lines).split()).startswith("added" + "".join(NAME.split()))
    assert [line for line in lines if width_of(line) > columns] == []


@pytest.mark.slow
def test_a_name_steers_no_terminal_and_json_has_the_notification(running: Daemon) -> None:
    with watching(running) as child:
        lines = lines_about(child, running.vault / HOSTILE, "new")
    assert lines[0].split()[1] == "evil"
    assert not any(character in "".join(lines) for character in "\x1b\x07\u202e")
    with watching(running, "--json") as child:
        (line, *_) = lines_about(child, running.vault / HOSTILE, "more")
    told = json.loads(line)
    assert told["modified"] == ["memory://evil%20%1B%5D0;owned%07%E2%80%AE.md"]
    assert told["epoch"] == running.ask("status")["epoch"]


def test_without_a_daemon_it_says_what_to_type(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "clew", "watch", "--socket", str(tmp_path / "none")],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "XDG_STATE_HOME": str(tmp_path)},
    )
    assert done.returncode == 3
    assert done.stdout == ""
    assert "start one with" in done.stderr
