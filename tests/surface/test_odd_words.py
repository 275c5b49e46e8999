"""Words of a command line that are not UTF-8: allowed as paths, and nowhere else."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.daemons import Daemon, daemon

pytestmark = pytest.mark.slow  # starts daemons of its own

NOTE = os.fsdecode(b"caf\xe9.md")
ODD = b"\xff\xfe"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("odd")
    vault = home / "vault"
    vault.mkdir()
    (vault / NOTE).write_text("coffee [[tea]]\n")
    with daemon(home, vault) as started:
        yield started


def clew(running: Daemon, *words: str | bytes) -> tuple[int, bytes, str]:
    command = [sys.executable, "-m", "clew", *words, "--socket", str(running.socket)]
    done = subprocess.run(command, capture_output=True, check=False, env=running.environment)
    return done.returncode, done.stdout, done.stderr.decode()


@pytest.mark.parametrize(
    "words",
    [
        ("search", ODD),
        ("search", "tide", b"gauge" + ODD),
        ("search", "tide", "--json", "--tag", "a", "--tag", ODD),
        ("search", "tide", "--folder", ODD),
        ("concept", ODD, "--json"),
        ("read", "--title", ODD),
        ("backlinks", "--concept", ODD),
        ("recent", "--since", ODD),
        ("concept", "tide", "--as-of", ODD),
    ],
)
def test_a_word_that_is_not_utf_8_is_a_usage_error(
    running: Daemon, words: tuple[str | bytes, ...]
) -> None:
    status, out, error = clew(running, *words)
    assert (status, out) == (2, b"")
    assert error.startswith("clew: not valid UTF-8: ")
    assert error.endswith("\\xff\\xfe\n")


@pytest.mark.parametrize("command", ["read", "links", "backlinks", "why"])
def test_a_note_is_found_by_a_path_that_is_not_utf_8(running: Daemon, command: str) -> None:
    status, out, error = clew(running, command, b"caf\xe9.md", "--json")
    assert (status, error) == (0, "")
    assert b'"memory://caf%E9.md"' in out or command == "backlinks"


def test_a_missing_note_at_such_a_path_gets_the_usual_error(running: Daemon) -> None:
    status, _, error = clew(running, "read", b"\xea\xea.md")
    assert status == 1
    assert error.startswith("clew: no note matches ")


def test_a_suggested_name_that_is_not_utf_8_is_escaped(running: Daemon) -> None:
    status, _, error = clew(running, "read", b"caf\xea.md")
    assert (status, r"close to it: caf\xe9" in error) == (1, True), error
    assert running.ask("hello", protocol=1)["protocol"] == 1
