"""Dates as people say them, read from the words of a query: "last week", "7 May 2023", "2026-W47".

Reads a strict set of phrases, word by word, and gives the days they cover. What may be something
else (a season "2001-02", a bare "2023", "in May") is given with a kind that says so; whether it is
meant as a date is decided elsewhere. Calendar arithmetic and named dates are python-dateutil's,
which is loaded when a phrase needs it. Its parser is only given a day, a month and a year of four
digits: on more than that it guesses, and takes what is left out from the clock.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import IntEnum, auto
from typing import Literal

Unit = Literal["day", "week", "month", "year"]


def word_set(text: str) -> frozenset[str]:
    """Return the words of ``text``, as a set."""
    return frozenset(text.split())


# Words of Latin letters and digits, with whatever joins them: a version, a path, a time stay whole.
# Letters of other scripts are words of their own, so that a date may touch them.
_WORD = re.compile(
    "[0-9A-Za-z\u00c0-\u024f]+(?:[-./:_'’+][0-9A-Za-z\u00c0-\u024f]+)*"
    "|[^\\W0-9A-Za-z_\u00c0-\u024f]+"
)
_NOT_BEFORE = frozenset("#@/\\=~$€£¥&+.-_")
_NOT_AFTER = frozenset("%°€/\\=_(")
_POSSESSIVE = ("'s", "’s")

_ISO_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ISO_WEEK = re.compile(r"[0-9]{4}-w[0-9]{2}")
_ISO_MONTH = re.compile(r"([0-9]{4})-([0-9]{2})")
_YEAR = re.compile(r"(?:1[6-9]|20|21)[0-9]{2}")
_DAY = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th)?")
_COUNT = re.compile(r"[0-9]{1,4}")
_COUNT_WORDS = "two three four five six seven eight nine ten"
_COUNTS = {word: number for number, word in enumerate(_COUNT_WORDS.split(), 2)}
_ONE = frozenset(("a", "an", "one"))

_MONTHS = word_set(
    "january february march april may june july august september october november december"
)
_SHORT_MONTHS = word_set("jan feb mar apr jun jul aug sep sept oct nov dec")
_WEEKDAY_NAMES = "monday tuesday wednesday thursday friday saturday sunday"
_WEEKDAYS = tuple(_WEEKDAY_NAMES.split())
_UNITS: dict[str, Unit] = {"day": "day", "week": "week", "month": "month", "year": "year"}
_PLURALS: dict[str, Unit] = {f"{name}s": unit for name, unit in _UNITS.items()}
_ANY_UNIT = _UNITS | _PLURALS
_LEAP_YEARS = 8  # at most, between one 29 February and the next


class Kind(IntEnum):
    """What kind of date a phrase is; the greater, the less sure."""

    ISO = auto()  # a day or week, or a month that is no span of years
    DATED = auto()  # a day or month with its year
    RELATIVE = auto()  # to now: "yesterday", "last week", "3 days ago"
    PRESENT = auto()  # "today", "this year": said of anything that is so nowadays
    WEEKDAY = auto()  # "Tuesday"
    VAGUE = auto()  # "May", "7 May": the latest one that has begun
    YEAR = auto()  # "2023", or "2001-02", which may be a season


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a query, in lower case and without a possessive's ending."""

    text: str
    start: int  # in characters of the query
    end: int
    is_possessive: bool
    is_capital: bool  # begins with a capital letter
    is_joined: bool  # nothing but white space and a comma parts it from the word before
    is_free: bool  # no sign touches it that would make it an amount, a tag or part of a path


@dataclass(frozen=True, slots=True)
class Spoken:
    """The days that a phrase covers."""

    kind: Kind
    since: date
    until: date  # the day after the last
    stop: int  # index of the word after the phrase


def words_of(query: str) -> list[Word]:
    """Return the words of ``query``, in order; in time linear in its length."""
    words: list[Word] = []
    end = 0
    for match in _WORD.finditer(query):
        gap, text = query[end : match.start()], match.group()
        before, end = query[match.start() - 1 : match.start()], match.end()
        is_possessive = text.endswith(_POSSESSIVE)
        words.append(
            Word(
                text=(text[:-2] if is_possessive else text).lower(),
                start=match.start(),
                end=end,
                is_possessive=is_possessive,
                is_capital=text[0].isupper(),
                is_joined=bool(words) and gap.strip() in ("", ","),
                is_free=before not in _NOT_BEFORE and query[end : end + 1] not in _NOT_AFTER,
            )
        )
    return words


def spoken_date(words: Sequence[Word], at: int, today: date) -> Spoken | None:
    """Return the longest date that begins at ``words[at]``, ``None`` when none does.

    ``today`` is the day it is for whoever asks; weeks begin on Monday. Dates that no calendar has
    (31 November) are none.
    """
    if at >= len(words) or not words[at].is_free:
        return None
    try:
        return (
            _iso(words[at].text, at)
            or _relative(words, at, today)
            or _ago(words, at, today)
            or _named(words, at, today)
            or _weekday(words[at].text, at, today)
            or _year(words[at].text, at)
        )
    except (ValueError, OverflowError):
        return None


def _text(words: Sequence[Word], at: int) -> str:
    """Return the word at ``at`` where it goes on from the one before, else ``""``."""
    return words[at].text if at < len(words) and words[at].is_joined and words[at].is_free else ""


def _iso(text: str, at: int) -> Spoken | None:
    if _ISO_DAY.fullmatch(text):
        return _covering(Kind.ISO, date.fromisoformat(text), "day", at + 1)
    if _ISO_WEEK.fullmatch(text):
        return _covering(Kind.ISO, date.fromisoformat(text.upper()), "week", at + 1)
    month = _ISO_MONTH.fullmatch(text)
    if month is None:
        return None
    is_season = int(month[2]) == (int(month[1]) + 1) % 100
    day = date(int(month[1]), int(month[2]), 1)
    return _covering(Kind.YEAR if is_season else Kind.ISO, day, "month", at + 1)


def _relative(words: Sequence[Word], at: int, today: date) -> Spoken | None:
    first, second = words[at].text, _text(words, at + 1)
    if first == "today":
        return _covering(Kind.PRESENT, today, "day", at + 1)
    if first == "yesterday":
        return _covering(Kind.RELATIVE, _moved(today, -1, "day"), "day", at + 1)
    if first == "this" and second in _UNITS and second != "day":
        return _covering(Kind.PRESENT, today, _UNITS[second], at + 2)
    if first in ("last", "past"):
        found = _last(words, at, today)
        # "The last week of March" is not about now.
        return None if found and _text(words, found.stop) == "of" else found
    return None


def _last(words: Sequence[Word], at: int, today: date) -> Spoken | None:
    first, second, third = words[at].text, _text(words, at + 1), _text(words, at + 2)
    count = _count(second)
    if count and third in _ANY_UNIT:
        return _rolling(today, count, _ANY_UNIT[third], at + 3)
    if second in _UNITS and second != "day":
        unit = _UNITS[second]
        if first == "past":
            return _rolling(today, 1, unit, at + 2)
        return _covering(Kind.RELATIVE, _moved(today, -1, unit), unit, at + 2)
    if first == "last" and second in _WEEKDAYS:
        return replace(
            _latest_weekday(second, _moved(today, -1, "day"), at + 2), kind=Kind.RELATIVE
        )
    if first == "last" and second in _MONTHS:
        before = _moved(today.replace(day=1), -1, "day")
        return replace(_latest(f"1 {second}", "month", before, at + 2), kind=Kind.RELATIVE)
    return None


def _ago(words: Sequence[Word], at: int, today: date) -> Spoken | None:
    count = 1 if words[at].text in _ONE else _count(words[at].text)
    unit = _ANY_UNIT.get(_text(words, at + 1))
    if not count or unit is None or _text(words, at + 2) != "ago":
        return None
    return _covering(Kind.RELATIVE, _moved(today, -count, unit), unit, at + 3)


def _named(words: Sequence[Word], at: int, today: date) -> Spoken | None:
    """Read "7 May 2023", "7th of May", "May 7, 2023", "May 2023", "May of 2023" or "May"."""
    first, stop = words[at].text, at + 1
    day, month = _DAY.fullmatch(first), first
    if day:
        stop += _text(words, stop) == "of"
        month, stop = _text(words, stop), stop + 1
    elif first in _MONTHS or first in _SHORT_MONTHS:
        day = _DAY.fullmatch(_text(words, stop))
        stop += day is not None
    if month not in _MONTHS and month not in _SHORT_MONTHS:
        return None
    if at and words[at].is_joined and _DAY.fullmatch(words[at - 1].text) and month == first:
        return None  # 31 November
    year_at = stop + (day is None and _text(words, stop) == "of")
    year = _YEAR.fullmatch(_text(words, year_at))
    said, unit = f"{day[1] if day else 1} {month}", _UNITS["day" if day else "month"]
    if year:
        return _covering(Kind.DATED, _parsed(said, int(year[0])), unit, year_at + 1)
    if day is None and month in _SHORT_MONTHS:
        return None
    return _latest(said, unit, today, stop)


def _weekday(text: str, at: int, today: date) -> Spoken | None:
    return _latest_weekday(text, today, at + 1) if text in _WEEKDAYS else None


def _year(text: str, at: int) -> Spoken | None:
    if not _YEAR.fullmatch(text):
        return None
    return _covering(Kind.YEAR, date(int(text), 1, 1), "year", at + 1)


def _count(text: str) -> int:
    """Return the number that ``text`` says, 0 when it says none."""
    return int(text) if _COUNT.fullmatch(text) else _COUNTS.get(text, 0)


def _latest(said: str, unit: Unit, today: date, stop: int) -> Spoken:
    """Return the latest of the days, or months, called ``said`` that has begun by ``today``."""
    for year in range(today.year, today.year - _LEAP_YEARS - 1, -1):
        try:
            day = _parsed(said, year)
        except ValueError:  # 29 February
            continue
        if day <= today:
            return _covering(Kind.VAGUE, day, unit, stop)
    raise ValueError(f"no year has {said}")


def _latest_weekday(name: str, today: date, stop: int) -> Spoken:
    back = (today.weekday() - _WEEKDAYS.index(name)) % 7
    return _covering(Kind.WEEKDAY, _moved(today, -back, "day"), "day", stop)


def _covering(kind: Kind, day: date, unit: Unit, stop: int) -> Spoken:
    """Return the calendar's day, week, month or year that ``day`` is in."""
    since = day
    if unit == "week":
        since = day - timedelta(days=day.weekday())
    elif unit == "month":
        since = day.replace(day=1)
    elif unit == "year":
        since = day.replace(month=1, day=1)
    return Spoken(kind, since, _moved(since, 1, unit), stop)


def _rolling(today: date, count: int, unit: Unit, stop: int) -> Spoken:
    """Return the days since ``count`` units ago, up to the end of today."""
    return Spoken(Kind.RELATIVE, _moved(today, -count, unit), _moved(today, 1, "day"), stop)


def _moved(day: date, count: int, unit: Unit) -> date:
    """Return the day ``count`` units later; a month that is too short for it gives its last day."""
    if unit in ("day", "week"):
        return day + timedelta(days=count * (7 if unit == "week" else 1))
    from dateutil.relativedelta import relativedelta  # noqa: PLC0415 - few queries need it

    return day + (relativedelta(months=count) if unit == "month" else relativedelta(years=count))


def _parsed(said: str, year: int) -> date:
    from dateutil.parser import parse  # noqa: PLC0415 - 25 ms, and few queries name a month

    return parse(f"{said} {year}", default=datetime(year, 1, 1)).date()  # noqa: DTZ001
