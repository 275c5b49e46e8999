"""The recipes of docs/recipes.md: those of coreutils run in bash, and bash can read the others.

Set CLEW_UPDATE=1 to update the output.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemons import Daemon, copy_sample, daemon

PAGE = Path(__file__).parent.parent.parent / "docs" / "recipes.md"
SESSION = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SCRIPT = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("recipes")
    (home / "bin").mkdir()
    program = home / "bin" / "clew"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m clew "$@"\n')
    program.chmod(0o755)
    with daemon(home, copy_sample(home / "tides")) as started:
        started.until_partitioned()
        (home / "config.toml").write_text(f'[server]\nsocket = "{started.socket}"\n')
        yield started


def played(running: Daemon, command: str) -> str:
    """Return what a command prints to stdout; all programs of a pipe must succeed."""
    named = {"CLEW_CONFIG": str(running.home / "config.toml"), "CLEW_VAULT": str(running.vault)}
    path = f"{running.home / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        capture_output=True,
        text=True,
        check=False,
        cwd=running.vault,
        env={**running.environment, **named, "PATH": path, "LC_ALL": "C.UTF-8"},
    )
    assert (done.returncode, done.stdout != "") == (0, True), (command, done.stderr)
    return done.stdout


def test_every_session_prints_what_the_page_says(running: Daemon) -> None:
    text = PAGE.read_text(encoding="utf-8")

    def play(match: re.Match[str]) -> str:
        commands = [line[2:] for line in match[1].split("\n") if line.startswith("$ ")]
        assert commands
        said = "".join(f"$ {command}\n{played(running, command)}" for command in commands)
        return f"```console\n{said}```"

    replayed = SESSION.sub(play, text)
    if os.environ.get("CLEW_UPDATE"):
        PAGE.write_text(replayed, encoding="utf-8")
    assert replayed == text


@pytest.mark.parametrize("script", SCRIPT.findall(PAGE.read_text(encoding="utf-8")))
def test_bash_can_read_every_other_recipe(script: str) -> None:
    done = subprocess.run(["bash", "-n", "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
