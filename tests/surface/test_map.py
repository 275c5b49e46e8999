"""`clew map` and `clew graph` write the daemon's drawing, unchanged, to the given file."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.daemons import Daemon


def run(running: Daemon, *words: str) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "clew", *words, "--socket", str(running.socket)]
    return subprocess.run(command, capture_output=True, check=False, env=running.environment)


def drawn(running: Daemon, **params: object) -> bytes:
    text: str = running.ask("graph", **params)["text"]
    return text.encode()


def without_weights(page: bytes) -> bytes:
    """Return a page without its weights, which decay between two questions."""
    rest, count = re.subn(rb"\d+\.\d{3,}", b"", page)
    assert count, "a drawing has weights"
    return rest


def test_the_map_is_written_to_the_given_file(running: Daemon, tmp_path: Path) -> None:
    done = run(running, "map", "-o", str(tmp_path / "map.html"))
    assert (done.returncode, done.stdout) == (0, f"{tmp_path}/map.html\n".encode())
    page = (tmp_path / "map.html").read_bytes()
    expected = drawn(running, format="html", maxNodes=2_000)
    assert without_weights(page) == without_weights(expected)
    assert b"Storm surge" in page


def test_the_map_is_written_to_the_state_folder_or_to_stdout(running: Daemon) -> None:
    place = running.home / "state" / "map.html"
    assert run(running, "map").stdout == f"{place}\n".encode()
    printed = run(running, "map", "-o", "-").stdout
    assert without_weights(printed) == without_weights(place.read_bytes())


def test_a_smaller_map_replaces_the_one_before(running: Daemon, tmp_path: Path) -> None:
    place = tmp_path / "map.html"
    for most in (50, 3):
        assert run(running, "map", "-n", str(most), "-o", str(place)).returncode == 0
        expected = drawn(running, format="html", maxNodes=most)
        assert without_weights(place.read_bytes()) == without_weights(expected)
    assert list(tmp_path.iterdir()) == [place]


@pytest.mark.parametrize("name", ["mermaid", "dot", "graphml"])
def test_a_drawing_is_printed_unchanged(running: Daemon, name: str) -> None:
    (running.vault / "odd.md").write_text("[[tide\u202egauge\u2066]] [[seiche]] [[\ufff9x]]\n")
    running.ask("sync")
    done = run(running, "graph", "--format", name, "--as-of", "2026-11-21")
    assert done.stdout == drawn(running, format=name, asOf="2026-11-21")


def test_errors_are_reported(running: Daemon, tmp_path: Path) -> None:
    done = run(running, "map", "-o", str(tmp_path / "nowhere" / "map.html"))
    assert done.returncode == 1
    assert done.stderr.startswith(b"clew: cannot write ")
    assert b"nowhere/map.html: No such file or directory" in b"".join(done.stderr.split(b"\n    "))
    assert run(running, "map", "-n", "0").returncode == 2
    words = [sys.executable, "-m", "clew", "map", "--socket", str(tmp_path / "none.sock")]
    done = subprocess.run(words, capture_output=True, check=False, env=running.environment)
    assert done.returncode == 3
