"""Vaults of notes with given dates, seen at one moment."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from clew.engine.snapshot import Snapshot
from clew.values.vault import Batch
from tests.searches import setting
from tests.vaults import DAY_S, engine_of, read_note

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)  # a Wednesday
NOW_S = NOW.timestamp()
TOKYO, NEW_YORK = ZoneInfo("Asia/Tokyo"), ZoneInfo("America/New_York")
PLAIN = setting(now_s=NOW_S, has_model=False)


def dated(*rows: tuple[str, str, float]) -> Snapshot:
    """Return a vault from paths, front matter and file ages in days."""
    engine = engine_of({})
    notes = (
        read_note(path, f"---\n{head}\n---\ntide", NOW_S - d * DAY_S) for path, head, d in rows
    )
    engine.apply(Batch(put=tuple(notes)))
    return engine.snapshot
