"""A stored index that another program damages while processes have it mapped."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.surface.client import NoDaemon
from tests.daemons import STOP_SECONDS_MAX, Daemon, daemon
from tests.faults.processes import indexer_pid
from tests.faults.vaults import seconds_until, vault_of
from tests.processes import is_alive

NOTES = {
    f"{n}.md": f"# Note {n}\n" + f"word{n} [[x]] prose of some length. " * 40 for n in range(300)
}


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Daemon]:
    with daemon(tmp_path / "h", vault_of(tmp_path / "v", NOTES)) as one:
        yield one


def index_files(running: Daemon) -> list[Path]:
    return sorted((running.home / "state" / "index").glob("v*/gen-*/index"))


def processes_of(running: Daemon) -> tuple[int, int]:
    indexer = indexer_pid(running)
    assert indexer is not None
    return running.pid, indexer


def files_mapped_by(pid: int) -> list[str]:
    maps = Path(f"/proc/{pid}/maps").read_text().splitlines()
    return [line.split(maxsplit=5)[5] for line in maps if line.endswith("/index")]


def test_both_processes_map_the_same_file(running: Daemon) -> None:
    (file,) = index_files(running)
    for pid in processes_of(running):
        assert set(files_mapped_by(pid)) == {str(file)}


def test_a_generation_that_was_replaced_is_not_mapped_any_more(running: Daemon) -> None:
    (before,) = index_files(running)
    for n in range(200):  # more than a small change
        (running.vault / f"{n}.md").write_text(f"word{n} and [[y{n}]]")
    running.ask("sync")
    running.until("status", lambda said: said["ready"], 60.0)
    assert before not in index_files(running)
    gone = f"{before} (deleted)"
    for pid in processes_of(running):
        maps = Path(f"/proc/{pid}/maps")
        assert seconds_until(lambda: gone not in maps.read_text(), 60.0) < 60.0  # noqa: B023


def test_an_index_cut_short_ends_the_daemon_and_is_built_again(running: Daemon) -> None:
    expected = running.ask("read", uri="memory://299.md")
    _, indexer = processes_of(running)
    (file,) = index_files(running)
    with file.open("r+b") as opened:
        opened.truncate(64)
    for n in range(300):
        try:
            running.ask("read", uri=f"memory://{n}.md")
        except (NoDaemon, OSError):
            break
    assert running.child is not None
    assert running.child.wait(timeout=STOP_SECONDS_MAX) == -signal.SIGBUS
    assert "Bus error" in running.log
    assert seconds_until(lambda: not is_alive(indexer), STOP_SECONDS_MAX) < STOP_SECONDS_MAX
    running.start()
    again = running.ask("read", uri="memory://299.md")
    assert {**again, "revision": 0} == {**expected, "revision": 0}
    assert running.ask("status")["notes"] == len(NOTES)
