"""Dates and times as they are written in requests and in front matter."""

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.dates.moment import parse_moment, parse_stated_moment
from tests.data import rows
from tests.examples import examples
from tests.tables import for_each_row


@for_each_row(("value", "expected"), rows("moments.tsv"))
def test_a_value_of_front_matter_is_a_moment_or_nothing(value: str, expected: str) -> None:
    moment_s = parse_stated_moment(value)
    if expected == "none":
        assert moment_s is None
    else:
        assert moment_s == datetime.fromisoformat(expected).replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize("text", ["1611111111111", "1709633730", "2024-3-5 9:05:03"])
def test_a_request_takes_no_other_form_than_iso_8601(text: str) -> None:
    assert parse_moment(text) is None


zones = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))


def test_a_moment_without_a_zone_does_not_depend_on_the_local_zone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", "EST+5")
    time.tzset()
    moment_s = parse_moment("2024-01-02T03:04:05")
    monkeypatch.undo()
    time.tzset()
    assert moment_s == datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp()


@given(st.datetimes())
@examples()
def test_a_moment_without_a_zone_is_utc(moment: datetime) -> None:
    assert parse_moment(moment.isoformat()) == moment.replace(tzinfo=UTC).timestamp()


@given(st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1)), zones)  # noqa: DTZ001
@examples()
def test_a_moment_with_a_zone_is_that_moment(moment: datetime, zone: timezone) -> None:
    aware = moment.replace(tzinfo=zone)
    assert parse_moment(f" [[{aware.isoformat()}]] ") == aware.timestamp()


@given(st.text(st.one_of(st.sampled_from("0123456789-:TZ+.W []"), st.characters())))
@examples(300)
def test_parsing_a_moment_never_raises(text: str) -> None:
    for moment in (parse_moment(text), parse_stated_moment(text)):
        assert moment is None or isinstance(moment, float)
