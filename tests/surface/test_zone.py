"""The local time zone."""

import os
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from clew.surface.server import timezone
from clew.surface.server.timezone import local_zone
from clew.text.dates.intent import period_of
from tests.examples import examples

NOW_S = datetime(2026, 11, 25, tzinfo=UTC).timestamp()
NAMED = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Tehran")
WRITTEN_OUT = ("CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT,M3.2.0,M11.1.0", "<+0545>-5:45")
OTHERS = ("", "UTC", ":Europe/Berlin", "/usr/share/zoneinfo/Europe/Berlin", "Nowhere/AtAll")


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    with monkeypatch.context() as patch:
        yield patch
    time.tzset()


@pytest.mark.parametrize(
    ("query", "moment"),
    [
        ("notes from 15 July 2025", "2025-07-14T22:00Z"),
        ("notes from 15 January 2026", "2026-01-14T23:00Z"),
    ],
)
def test_days_begin_at_midnight_all_year_round(
    environment: pytest.MonkeyPatch, query: str, moment: str
) -> None:
    environment.setenv("TZ", "Europe/Berlin")
    time.tzset()
    period = period_of(query, NOW_S, local_zone())
    assert period is not None
    assert period.since_s == datetime.fromisoformat(moment).timestamp()


@examples(300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from((*NAMED, *WRITTEN_OUT, *OTHERS)),
    st.dates(date(1971, 1, 1), date(2037, 1, 1)),
)
def test_every_day_begins_when_the_c_library_says(
    environment: pytest.MonkeyPatch, name: str, day: date
) -> None:
    environment.setitem(os.environ, "TZ", name)
    time.tzset()
    midnight = datetime.combine(day, datetime.min.time())
    assert midnight.replace(tzinfo=local_zone()).timestamp() == midnight.timestamp()


def test_without_tz_in_the_environment_it_is_the_zone_of_the_machine(
    environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    environment.delenv("TZ", raising=False)
    environment.setattr(timezone, "LOCALTIME", str(tmp_path / "localtime"))
    (tmp_path / "localtime").symlink_to("/usr/share/zoneinfo/Asia/Kolkata")
    assert datetime(2026, 1, 1, tzinfo=local_zone()).isoformat() == "2026-01-01T00:00:00+05:30"
