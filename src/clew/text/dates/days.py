"""Runs of calendar days: one day, a week, a month or a quarter."""

from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import NamedTuple

_MONTHS = "january february march april may june july august september october november december"
MONTHS = tuple(_MONTHS.split())
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday"
WEEKDAYS = tuple(_WEEKDAYS.split())
FIRST_YEAR, LAST_YEAR = 1600, 2199  # other numbers of four digits are hardly years


class Days(NamedTuple):
    """A run of days."""

    since: date  # the first day
    until: date  # the day after the last

    @property
    def since_s(self) -> float:
        """The first midnight in UTC, POSIX seconds."""
        return midnight_s(self.since, UTC)

    @property
    def length_days(self) -> int:
        """How many days it has."""
        return (self.until - self.since).days


def midnight_s(day: date, zone: tzinfo) -> float:
    """Return the POSIX seconds at which ``day`` begins, even where clocks skip its midnight."""
    return datetime(day.year, day.month, day.day, tzinfo=zone).timestamp()


def utc_midnight_s(at_s: float, zone: tzinfo) -> float:
    """Return the midnight in UTC of the day that begins in ``zone`` at ``at_s``.

    ``at_s`` itself if no day begins then.
    """
    try:
        day = datetime.fromtimestamp(at_s, zone).date()
        return midnight_s(day, UTC) if midnight_s(day, zone) == at_s else at_s
    except (OverflowError, ValueError, OSError):
        return at_s


def day_of(year: int, month: int, day: int) -> Days:
    """Return one day.

    Raises:
        ValueError: there is no such day, or its year is out of range.
    """
    return _checked(date(year, month, day), 1)


def iso_week_of(year: int, week: int) -> Days:
    """Return a week of ISO 8601, from Monday.

    Raises:
        ValueError: there is no such week, or its year is out of range.
    """
    return _checked(date.fromisocalendar(year, week, 1), 7)


def american_week_of(year: int, week: int) -> Days:
    """Return a week from Sunday, where week 1 has the first of January: moment.js's for English.

    Raises:
        ValueError: there is no such week, or its year is out of range.
    """
    new_year = date(year, 1, 1)
    sunday = new_year - timedelta(days=new_year.isoweekday() % 7)
    since = sunday + timedelta(weeks=week - 1)
    if week < 1 or (since + timedelta(days=6)).year > year:
        raise ValueError(f"{year} has no week {week}")
    return _checked(since, 7)


def months_of(year: int, month: int, count: int = 1) -> Days:
    """Return ``count`` months of one year from ``month`` on.

    Raises:
        ValueError: there are no such months, or their year is out of range.
    """
    since, end = date(year, month, 1), month - 1 + count
    until = date(year + end // 12, end % 12 + 1, 1)
    return _checked(since, (until - since).days)


def _checked(since: date, count: int) -> Days:
    if not FIRST_YEAR <= since.year <= LAST_YEAR:
        raise ValueError(f"the year {since.year} is not from {FIRST_YEAR} to {LAST_YEAR}")
    return Days(since, since + timedelta(days=count))
