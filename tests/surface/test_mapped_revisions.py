"""What the server maps of the saved index while queries still read the revision before."""

from pathlib import Path

import pytest

from clew.disk.mapped_pages import mapped
from clew.engine.settings import EngineSettings
from clew.surface.server.child.receiver import Receiver
from clew.surface.server.child.replica import Replica
from clew.surface.server.health import Health
from clew.surface.server.paths import DaemonPaths
from clew.surface.server.stored.event_log import EventLog
from clew.values import ipc
from tests.daemons import daemon
from tests.stored import stored
from tests.vaults import engine_of

NOTES = 200


def resident_kib(path: Path, process: str = "self") -> int:
    """Return how much of a mapped file counts as memory of a process."""
    lines = Path(f"/proc/{process}/smaps").read_text(encoding="utf-8").splitlines()
    at = next(number for number, line in enumerate(lines) if line.endswith(str(path)))
    return next(int(line.split()[1]) for line in lines[at:] if line.startswith("Rss:"))


def test_pages_of_the_revision_before_are_released_though_a_query_holds_it(tmp_path: Path) -> None:
    texts = {f"{number}.md": f"[[hub]] [[{number + 1}]]" for number in range(NOTES)}
    data = stored(engine_of(texts).indexes)
    paths = [tmp_path / "index 1", tmp_path / "index 2"]

    def opened(number: int) -> memoryview:
        with paths[number].open("rb") as file:
            return mapped(file)

    places = DaemonPaths(vault=str(tmp_path), socket="", state=str(tmp_path))
    health, replica = Health(places), Replica(EngineSettings())
    events = EventLog(places.state, health)
    receiver = Receiver(replica, events, health, lambda: None, opened, lambda: None)

    def publish(number: int) -> None:
        paths[number].write_bytes(data)
        receiver.receive(ipc.RevisionStarted(number))
        receiver.receive(ipc.RevisionPublished(is_new=False))

    publish(0)
    held = replica.snapshot
    assert held.graph.name(0)
    assert resident_kib(paths[0]) > 0
    publish(1)
    assert resident_kib(paths[0]) == 0
    assert sorted(held.entries) == sorted(texts)


@pytest.mark.slow
def test_doctor_leaves_no_page_of_the_index_mapped(tmp_path: Path) -> None:
    """It reads nearly all of the index, and is asked now and then."""
    vault = tmp_path / "vault"
    vault.mkdir()
    for number in range(NOTES):
        (vault / f"{number}.md").write_text(f"[[hub]] [[{number + 1}]]")
    with daemon(tmp_path / "home", vault) as running:
        running.ask("orphans")
        (index,) = tmp_path.glob("home/**/gen-*/index")
        assert resident_kib(index, str(running.pid)) > 0
        running.ask("doctor")
        assert resident_kib(index, str(running.pid)) == 0
