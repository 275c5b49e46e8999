"""Days of the calendar: the phrases that name some, and units of time around and before a day.

python-dateutil does the arithmetic and parses names of months; it is imported when a phrase needs
it. Its parser gets a day, a month and a four-digit year and nothing else: it guesses the meaning of
other text, and fills what is left out from the clock.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import IntEnum, auto
from functools import lru_cache
from typing import Literal

Unit = Literal["day", "week", "month", "year"]

UNITS: dict[str, Unit] = {"day": "day", "week": "week", "month": "month", "year": "year"}
PLURALS: dict[str, Unit] = {f"{name}s": unit for name, unit in UNITS.items()}
_LEAP_YEARS_GAP_MAX = 8  # years from one 29 February to the next


class Kind(IntEnum):
    """The kinds of date phrases, from the surest to the least sure to be a date."""

    ISO = auto()  # "2026-03-14", "2026-W11", "2026-03"
    DATED = auto()  # a day, a month or a quarter with its year
    RELATIVE = auto()  # relative to today: "yesterday", "last week", "3 days ago"
    PRESENT = auto()  # "today", "this year": often means just "nowadays"
    WEEKDAY = auto()  # "Tuesday"
    VAGUE = auto()  # "May", "7 May", "Q1": the latest one that has begun
    YEAR = auto()  # "2023", or "2001-02", which may be a season


@dataclass(frozen=True, slots=True)
class DatePhrase:
    """A date phrase in a query and the days it covers."""

    kind: Kind
    since: date  # the first day
    until: date  # the day after the last
    stop: int  # index of the word after the phrase


def latest_named(name: str, unit: Unit, today: date, stop: int) -> DatePhrase:
    """Return the latest day or month of this name ("7 May", "1 March") that has begun."""
    for year in range(today.year, today.year - _LEAP_YEARS_GAP_MAX - 1, -1):
        try:
            day = parse_named(name, year)
        except ValueError:  # 29 February in a common year
            continue
        if day <= today:
            return unit_around(Kind.VAGUE, day, unit, stop)
    raise ValueError(f"no year has {name}")


def unit_around(kind: Kind, day: date, unit: Unit, stop: int) -> DatePhrase:
    """Return the calendar day, week, month or year that contains ``day``."""
    since = day
    if unit == "week":
        since = day - timedelta(days=day.weekday())
    elif unit == "month":
        since = day.replace(day=1)
    elif unit == "year":
        since = day.replace(month=1, day=1)
    return DatePhrase(kind, since, shifted(since, 1, unit), stop)


def shifted(day: date, count: int, unit: Unit) -> date:
    """Return the day ``count`` units later.

    Where the month is too short for the day, its last day is returned.
    """
    if unit in ("day", "week"):
        return day + timedelta(days=count * (7 if unit == "week" else 1))
    from dateutil.relativedelta import relativedelta  # noqa: PLC0415 - few queries need it

    return day + (relativedelta(months=count) if unit == "month" else relativedelta(years=count))


@lru_cache(maxsize=1_024)  # a list of months reads each of them for each one before it
def parse_named(name: str, year: int) -> date:
    """Return the day of this name ("7 May") in a year."""
    from dateutil.parser import parse  # noqa: PLC0415 - 25 ms, and few queries name a month

    return parse(f"{name} {year}", default=datetime(year, 1, 1)).date()  # noqa: DTZ001
