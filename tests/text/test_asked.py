"""Dates as people type them."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from clew.text.dates.asked import parse_asked
from tests.data import rows
from tests.examples import examples
from tests.tables import for_each_row

NOW = datetime(2026, 2, 2, 2, 40, tzinfo=UTC)


@for_each_row(("text", "expected"), rows("asked_dates.tsv"))
def test_a_date_that_is_asked_for(text: str, expected: str) -> None:
    at_s = parse_asked(text, NOW.timestamp(), UTC)
    if expected == "none":
        assert at_s is None
    else:
        assert at_s == datetime.fromisoformat(expected).replace(tzinfo=UTC).timestamp()


def test_days_of_phrases_begin_in_the_zone_of_the_user() -> None:
    """At that moment it is still the first of February in New York."""
    at_s = parse_asked("today", NOW.timestamp(), ZoneInfo("America/New_York"))
    assert at_s == datetime(2026, 2, 1, 5, tzinfo=UTC).timestamp()


@given(st.text(), st.floats(-1e15, 1e15))
@examples(300)
def test_no_text_raises(text: str, now_s: float) -> None:
    parse_asked(text, now_s, UTC)
