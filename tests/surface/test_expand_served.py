"""``clew expand`` reads a text on stdin, and prints nothing where nothing is named."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.daemons import Daemon, daemon
from tests.faults.vaults import vault_of

pytestmark = pytest.mark.slow  # starts daemons of its own

NOTES = {"Clock drift.md": "Crystals are slow. [[NTP]]\n", "Other.md": "[[Clock drift]]\n"}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("expand")
    with daemon(home, vault_of(home / "v", NOTES)) as started:
        yield started


def expanded(running: Daemon, text: bytes, *words: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "clew", "expand", "--socket", str(running.socket), *words],
        input=text,
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize("text", [b"", b"nothing", b"[[no such note]] \xff\xfe", b"\x00" * 9_000])
def test_nothing_named_prints_nothing(running: Daemon, text: bytes) -> None:
    assert expanded(running, text) == (0, "", "")


def test_what_is_named_is_printed(running: Daemon) -> None:
    for words in ((), ("-",), ("--budget", "60")):
        status, said, complaint = expanded(running, b"why [[clock drift]]? \xff", *words)
        assert (status, complaint) == (0, "")
        assert said.startswith("In this vault:\n- Clock drift (memory://Clock%20drift.md): Crys")


def test_a_text_that_is_too_long_is_refused(running: Daemon) -> None:
    status, said, complaint = expanded(running, b"x" * 200_000)
    assert (status, said) == (2, "")
    assert "clew: " in complaint
