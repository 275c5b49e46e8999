"""Approximate search of a running daemon: over edits, restarts, damage and a killed build."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.daemons import Daemon, broken_parts, daemon
from tests.pace import Stopwatch
from tests.processes import descendants

pytestmark = pytest.mark.slow

SECONDS_MAX = 60.0  # on a busy machine
FILE = "state/index/v2/approximate"
WORDS = ("tide", "gauge", "clock", "drift", "storm", "surge", "harbour", "battery", "datum")
QUERY = "the clock of the tide gauge is slow"


def write_notes(vault: Path, first: int, count: int) -> None:
    for n in range(first, first + count):
        text = f"The {WORDS[n % 9]} of the {WORDS[n % 7]} and the {WORDS[n % 5]}, entry {n}."
        (vault / f"note {n}.md").write_text(text)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Daemon]:
    vault, config = tmp_path / "vault", tmp_path / "config.toml"
    vault.mkdir()
    write_notes(vault, 0, 150)
    config.write_text("[search]\napproximate_from = 50\n")
    with daemon(tmp_path / "home", vault, "--config", str(config)) as running:
        yield running


def until_approximate(served: Daemon, covered: int) -> dict[str, Any]:
    def is_reached(status: dict[str, Any]) -> bool:
        return (status["vectorSearch"], status["vectorsCovered"]) == ("approximate", covered)

    status: dict[str, Any] = served.until("status", is_reached, SECONDS_MAX)
    assert broken_parts(status) == {}
    return status


def search(served: Daemon, query: str = QUERY) -> dict[str, float]:
    reply = served.ask("search", query=query, mode="semantic", limit=500, waitFresh=True)
    assert reply["degraded"] == []
    return {row["uri"]: row["score"] for row in reply["results"]}


def found_count(served: Daemon) -> int:
    """Return how many notes the vectors find, admitted or not."""
    reply = served.ask("search", query=QUERY, mode="semantic", limit=1, waitFresh=True)
    count: int = reply["searchMetrics"]["candidates"]
    return count


def test_search_stays_right_over_edits_and_restarts(served: Daemon) -> None:
    until_approximate(served, 150)
    assert found_count(served) == 150
    (served.vault / "new.md").write_text(QUERY)
    (served.vault / "note 3.md").unlink()
    after = search(served)
    assert next(iter(after)) == "memory://new.md"
    assert "memory://note%203.md" not in after
    assert found_count(served) == 150
    until_approximate(served, 150)
    changed_at = os.stat(served.home / FILE).st_mtime_ns
    served.stop()
    served.start()
    until_approximate(served, 150)
    assert search(served) == after
    assert os.stat(served.home / FILE).st_mtime_ns == changed_at  # It was used again.


def test_many_new_notes_make_another_index(served: Daemon) -> None:
    until_approximate(served, 150)
    write_notes(served.vault, 150, 120)
    assert found_count(served) == 200
    until_approximate(served, 270)
    assert found_count(served) == 200


@pytest.mark.parametrize("size", [0, 40, 3_000, None])
def test_a_damaged_file_is_built_again(served: Daemon, size: int | None) -> None:
    until_approximate(served, 150)
    expected = search(served)
    served.stop()
    data = bytearray((served.home / FILE).read_bytes())
    data[-9] ^= 1
    (served.home / FILE).write_bytes(data[:size])
    served.start()
    assert search(served) == expected
    served.until("status", lambda _: "approximate index unusable reason=" in served.log, 30.0)


def build_process(served: Daemon) -> int | None:
    """Return the process that builds the approximate index, if it runs."""
    for pid in descendants(served.pid):
        with suppress(FileNotFoundError, ProcessLookupError):  # it may end before it is read
            words = Path(f"/proc/{pid}/cmdline").read_bytes()
            if b"clew.surface.indexer.approximate" in words:
                return pid
    return None


def test_a_killed_build_leaves_search_exact(tmp_path: Path) -> None:
    vault, config = tmp_path / "vault", tmp_path / "config.toml"
    vault.mkdir()
    write_notes(vault, 0, 150)
    config.write_text("[search]\napproximate_from = 50\n")
    with daemon(tmp_path / "home", vault, "--config", str(config)) as served:
        watch = Stopwatch()
        while (pid := build_process(served)) is None:
            assert not watch.is_over(SECONDS_MAX), served.log
        os.kill(pid, signal.SIGKILL)
        status = served.until("status", broken_parts, SECONDS_MAX)
        assert broken_parts(status) == {
            "approximate": "no approximate index: its process ended by signal 9"
        }
        assert (status["vectorSearch"], status["vectorsCovered"]) == ("exact", 0)
        assert found_count(served) == 150
