"""Dates of reads and edits that cannot be saved degrade a part until all of them are saved."""

from pathlib import Path

import pytest

from clew.surface.server.health import Health
from clew.surface.server.paths import DaemonPaths
from clew.surface.server.stored.event_log import EventLog
from clew.values.vault import NoteEvents

EVENTS = NoteEvents({"a.md": 1.0}, {"b.md": 2.0})


@pytest.fixture
def health(tmp_path: Path) -> Health:
    return Health(DaemonPaths(vault=str(tmp_path), socket="", state=str(tmp_path)))


@pytest.mark.parametrize("name", ["reads", "edits"])
def test_one_kind_that_cannot_be_saved_does_not_stop_the_other(
    tmp_path: Path, health: Health, name: str
) -> None:
    log = EventLog(str(tmp_path), health)
    blocked = tmp_path / "memory" / f"{name}.log"
    blocked.mkdir(parents=True)
    log.add(EVENTS)
    log.compact(EVENTS)
    assert set(health.degraded_parts()) == {"memory"}
    found = EventLog(str(tmp_path), health).load()
    assert found == (
        NoteEvents(edits_s={"b.md": 2.0}) if name == "reads" else NoteEvents({"a.md": 1.0})
    )
    blocked.rmdir()
    log.compact(EVENTS)
    assert health.degraded_parts() == {}
    assert EventLog(str(tmp_path), health).load() == EVENTS


@pytest.mark.parametrize("name", ["reads", "edits"])
def test_the_part_works_again_only_when_both_kinds_are_saved(
    tmp_path: Path, health: Health, name: str
) -> None:
    log = EventLog(str(tmp_path), health)
    blocked = [tmp_path / "memory" / f"{each}.log" for each in ("reads", "edits")]
    for path in blocked:
        path.mkdir(parents=True)
    log.add(EVENTS)
    (tmp_path / "memory" / f"{name}.log").rmdir()
    log.compact(EVENTS)
    assert set(health.degraded_parts()) == {"memory"}


def test_dates_are_written_to_files_at_the_end_or_when_all_are_saved_again(
    tmp_path: Path, health: Health
) -> None:
    log = EventLog(str(tmp_path), health)
    log.add(EVENTS)
    log.compact(EVENTS)
    assert sorted(path.name for path in (tmp_path / "memory").iterdir()) == [
        "edits.log",
        "reads.log",
    ]
    log.compact(EVENTS, at_end=True)
    saved = sorted(path.name for path in (tmp_path / "memory").iterdir())
    assert saved == ["edits.json", "reads.json"]
    for path in (tmp_path / "memory").iterdir():
        path.unlink()
    log.save_all(EVENTS)
    assert EventLog(str(tmp_path), health).load() == EVENTS
