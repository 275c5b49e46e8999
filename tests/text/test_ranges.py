"""The moments at which a period begins and ends, in any zone and on any day."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.dates.grammar import ranges
from clew.text.dates.grammar.calendar_days import DatePhrase
from clew.text.dates.grammar.phrases import date_phrase_at
from clew.text.dates.grammar.words import Word, split_words, word_set
from clew.text.dates.intent import period_of
from tests.tables import for_each_row
from tests.text.test_intent import NOW, moments, zones

days = st.dates(date(1980, 1, 1), date(2100, 1, 1))
WEEKDAYS = word_set("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")


def ends(query: str, now_s: float, zone: tzinfo) -> tuple[float, float]:
    period = period_of(query, now_s, zone)
    assert period is not None
    assert period.since_s is not None
    assert period.until_s is not None
    return period.since_s, period.until_s


def test_a_leap_day_may_be_eight_years_ago() -> None:
    """2100 is not a leap year."""
    now_s = datetime(2104, 1, 1, tzinfo=UTC).timestamp()
    leap_day_s = datetime(2096, 2, 29, tzinfo=UTC).timestamp()
    assert ends("notes of 29 February", now_s, UTC) == (leap_day_s, leap_day_s + 86_400)


@given(moments, zones)
def test_yesterday_goes_from_midnight_to_midnight(now_s: float, zone: tzinfo) -> None:
    """The moments just before its start and just after its end are on other days."""
    since_s, until_s = ends("yesterday", now_s, zone)
    today = datetime.fromtimestamp(now_s, zone).date()
    assert until_s == ends("today", now_s, zone)[0]
    if since_s < until_s:  # Samoa skipped a day
        inside = {datetime.fromtimestamp(s, zone).date() for s in (since_s, until_s - 1)}
        outside = {datetime.fromtimestamp(s, zone).date() for s in (since_s - 1, until_s)}
        assert inside == {today - timedelta(days=1)}
        assert outside.isdisjoint(inside)


@for_each_row(
    ("zone", "day", "hours"),
    [
        ("Europe/Berlin", "2026-03-29", 23),
        ("Europe/Berlin", "2026-10-25", 25),
        ("America/Sao_Paulo", "2018-11-04", 23),
        ("America/Sao_Paulo", "2018-02-17", 25),
        ("Australia/Lord_Howe", "2026-04-05", 24.5),
        ("Pacific/Apia", "2011-12-30", 0),
    ],
)
def test_a_day_with_a_clock_change_has_another_length(zone: str, day: str, hours: float) -> None:
    since_s, until_s = ends(day, NOW.timestamp(), ZoneInfo(zone))
    assert (until_s - since_s) / 3600 == hours


@given(moments, zones, st.sampled_from(["week", "month", "year"]))
def test_this_week_contains_now_and_follows_last_week(
    now_s: float, zone: tzinfo, unit: str
) -> None:
    since_s, until_s = ends(f"this {unit}", now_s, zone)
    assert since_s <= now_s < until_s
    assert ends(f"last {unit}", now_s, zone)[1] == since_s
    first = datetime.fromtimestamp(since_s, zone).date()
    assert {"week": first.weekday(), "month": first.day - 1}.get(
        unit, first.timetuple().tm_yday - 1
    ) == 0


@given(moments, zones, st.integers(1, 400))
def test_the_last_days_end_with_today(now_s: float, zone: tzinfo, count: int) -> None:
    since_s, until_s = ends(f"last {count} days", now_s, zone)
    today_s, tomorrow_s = ends("today", now_s, zone)
    first, today = (datetime.fromtimestamp(s, zone).date() for s in (since_s, today_s))
    assert (today - first).days == count
    assert until_s == tomorrow_s
    assert since_s == ends(f"{count} days ago", now_s, zone)[0]


@given(moments, st.sampled_from(sorted(WEEKDAYS)))
def test_a_weekday_is_the_latest_one(now_s: float, name: str) -> None:
    today = datetime.fromtimestamp(now_s, UTC).date()
    for query, nearest in ((f"last {name}", 1), (f"on {name}", 0)):
        day = datetime.fromtimestamp(ends(query, now_s, UTC)[0], UTC).date()
        assert f"{day:%A}" == name
        assert nearest <= (today - day).days < nearest + 7


@given(days, zones)
def test_a_day_is_the_same_however_it_is_written(day: date, zone: tzinfo) -> None:
    forms = [f"{day:%d %B %Y}", f"{day:%B} {day.day}, {day.year}", f"on {day.day} {day:%b %Y}"]
    found = {ends(form, NOW.timestamp(), zone) for form in [day.isoformat(), *forms]}
    midnights = (datetime(d.year, d.month, d.day, tzinfo=zone) for d in (day, day + timedelta(1)))
    assert found == {tuple(midnight.timestamp() for midnight in midnights)}


@given(days)
def test_since_and_before_meet_at_a_day_like_after_and_until(day: date) -> None:
    since, before, after, until = (
        period_of(f"{preposition} {day:%d %B %Y}", NOW.timestamp(), UTC)
        for preposition in ("since", "before", "after", "until")
    )
    assert since is not None
    assert before is not None
    assert after is not None
    assert until is not None
    assert since.since_s == before.until_s
    assert after.since_s == until.until_s == (since.since_s or 0) + 86_400
    assert since.until_s is before.since_s is after.until_s is until.since_s is None


def test_a_long_list_is_not_read_again_from_each_of_its_dates(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reads: list[int] = []

    def counted(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
        reads.append(at)
        return date_phrase_at(words, at, today)

    monkeypatch.setattr(ranges, "date_phrase_at", counted)
    most = ranges.RANGES_MAX
    assert len(ranges.day_ranges(split_words("March 2025, " * most), NOW.date())) == most
    assert len(reads) <= most * (ranges.LISTED_MAX + 1)
    reads.clear()
    assert ranges.day_ranges(split_words("March 2025, " * 100), NOW.date()) == []
    assert len(reads) <= (most + 1) * (ranges.LISTED_MAX + 1)
