"""Read date phrases from the words of a query: "last week", "7 May 2023", "2026-W47".

``date_phrase_at`` tries a fixed set of phrases at one word and returns the days that the phrase
covers. Some phrases may mean something else (a season "2001-02", a bare "2023", "in May"): their
``Kind`` says so, and ``intent`` decides.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from msgspec import structs

from clew.text.dates.days import MONTHS, WEEKDAYS
from clew.text.dates.grammar.calendar_days import (
    UNITS,
    DatePhrase,
    Kind,
    Unit,
    latest_named,
    parse_named,
    shifted,
    unit_around,
)
from clew.text.dates.grammar.relative import ago_phrase, day_of_week, relative_phrase, weekday
from clew.text.dates.grammar.words import YEAR, Word, is_year, text_at, word_set

_ISO_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ISO_WEEK = re.compile(r"[0-9]{4}-w[0-9]{2}")
_ISO_MONTH = re.compile(r"([0-9]{4})-([0-9]{2})")
_DOTTED_DAY = re.compile(r"([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})")  # the day first, everywhere
_DAY = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th)?")
_WEEK = re.compile(r"[0-9]{1,2}")
_QUARTER = re.compile("q([1-4])")
_QUARTER_YEAR = re.compile(f"q([1-4])[-/]({YEAR.pattern})")
_YEAR_QUARTER = re.compile(f"({YEAR.pattern})[-/]?q([1-4])")
_QUARTER_BEGINS = frozenset("q12")
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_ORDINALS |= {"1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
_ORDINALS |= {"1": 1, "2": 2, "3": 3, "4": 4}  # German "1. Quartal"
# Thirds of a month or year: Japanese and Chinese have names for those of a month.
THIRDS = {"early": 0, "mid": 1, "late": 2}
_THIRDS_OF = {"beginning": "early", "start": "early", "middle": "mid", "end": "late"}
THIRD_WORDS = THIRDS.keys() | _THIRDS_OF.keys()
_THIRD_WORDS_MAX = 7  # "end of March of last year"

MONTHS_LISTED_MAX = 12
_BEFORE_LATER_MONTH = word_set("and or to until till through")
_SHORT_MONTHS = word_set("jan feb mar apr jun jul aug sep sept oct nov dec")
_BEFORE_DATE = ("the", "on")  # "Friday the 14th of March"; German "Freitag, den 14. März" has "on"
_SAME_WEEKDAY_YEARS_MAX = 12  # years that have a date, until it is on each weekday


def date_phrase_at(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    """Return the longest date phrase that begins at ``words[at]``, or ``None``.

    ``today`` is the present day in the time zone of the query. Weeks begin on Monday. A date that
    does not exist (31 November) gives ``None``.
    """
    if at >= len(words) or not words[at].is_standalone:
        return None
    try:
        return (
            _in_digits(words[at].text, at)
            or _quarter(words, at, today)
            or _third(words, at, today)
            or day_of_week(words, at, today)
            or relative_phrase(words, at, today)
            or ago_phrase(words, at, today)
            or _week_of(words, at, today)
            or _numbered_week(words, at, today)
            or _named_date(words, at, today)
            or _date_after_weekday(words, at, today)
            or weekday(words[at].text, at, today)
            or _year(words[at].text, at)
            or _year_or_month_of(words, at, today)
        )
    except (ValueError, OverflowError):
        return None


def _in_digits(text: str, at: int) -> DatePhrase | None:
    if _ISO_DAY.fullmatch(text):
        return unit_around(Kind.ISO, date.fromisoformat(text), "day", at + 1)
    if _ISO_WEEK.fullmatch(text):
        return unit_around(Kind.ISO, date.fromisoformat(text.upper()), "week", at + 1)
    dotted = _DOTTED_DAY.fullmatch(text)
    if dotted and is_year(dotted[3]):
        day = date(int(dotted[3]), int(dotted[2]), int(dotted[1]))
        return unit_around(Kind.DATED, day, "day", at + 1)
    month = _ISO_MONTH.fullmatch(text)
    if month is None:
        return None
    is_season = int(month[2]) == (int(month[1]) + 1) % 100
    day = date(int(month[1]), int(month[2]), 1)
    return unit_around(Kind.YEAR if is_season else Kind.ISO, day, "month", at + 1)


def _week_of(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    """Read "week of 2026-11-16" or "week of 16 November": the week that has this day."""
    if words[at].text != "week" or text_at(words, at + 1) != "of" or not text_at(words, at + 2):
        return None
    day = _in_digits(words[at + 2].text, at + 2) or _named_date(words, at + 2, today)
    if day is None or (day.until - day.since).days != 1:
        return None
    return unit_around(day.kind, day.since, "week", day.stop)


def _numbered_week(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    """Read "week 12 2025" or "week 12 of last year", a week of ISO 8601.

    Without a year it may be a week of a course.
    """
    number = _WEEK.fullmatch(text_at(words, at + 1)) if words[at].text == "week" else None
    if number is None:
        return None
    year, stop = _year_after(words, at + 2 + (text_at(words, at + 2) == "of"), today)
    if not year:
        return None
    return unit_around(Kind.DATED, date.fromisocalendar(year, int(number[0]), 1), "week", stop)


def _named_date(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    """Read "7 May 2023", "7th of May", "May 7, 2023", "May of 2023", "May last year" or "May"."""
    first, stop = words[at].text, at + 1
    day, month = _DAY.fullmatch(first), first
    if day:
        stop += text_at(words, stop) == "of"
        month, stop = text_at(words, stop), stop + 1
    elif first in MONTHS or first in _SHORT_MONTHS:
        day = _DAY.fullmatch(text_at(words, stop))
        stop += day is not None
    if month not in MONTHS and month not in _SHORT_MONTHS:
        return None
    if at and words[at].is_joined and _DAY.fullmatch(words[at - 1].text) and month == first:
        return None  # "November" in "31 November", a date that does not exist
    year, year_stop = _year_after(words, stop + (text_at(words, stop) == "of"), today)
    name, unit = f"{day[1] if day else 1} {month}", UNITS["day" if day else "month"]
    if year:
        return unit_around(Kind.DATED, parse_named(name, year), unit, year_stop)
    if day is None and month in _SHORT_MONTHS and not _year_of_later_month(words, stop):
        return None
    return latest_named(name, unit, today, stop)


def _date_after_weekday(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    """Read "Friday, 14 March 2025", "Friday 2025-03-14", or "Friday the 14th of March".

    Without a year it is the latest such date that is on this weekday. Beside a year the weekday
    is not checked, since a wrong one is a slip.
    """
    name, start = words[at].text, at + 1 + (text_at(words, at + 1) in _BEFORE_DATE)
    if name not in WEEKDAYS or not text_at(words, start):
        return None
    day = _in_digits(words[start].text, start) or _named_date(words, start, today)
    if day is None or (day.until - day.since).days != 1:
        return None
    for _ in range(_SAME_WEEKDAY_YEARS_MAX):
        if day.kind is not Kind.VAGUE or day.since.weekday() == WEEKDAYS.index(name):
            break
        day = _named_date(words, start, shifted(day.since, -1, "day")) or day
    return replace(day, kind=min(day.kind, Kind.DATED))


def _year_of_later_month(words: Sequence[Word], at: int) -> bool:
    """Return whether months that are listed from ``at`` on end in a year: "and Mar 2025"."""
    for _ in range(MONTHS_LISTED_MAX):
        at += text_at(words, at) in _BEFORE_LATER_MONTH
        if text_at(words, at) not in MONTHS and text_at(words, at) not in _SHORT_MONTHS:
            return False
        at += 1
        if YEAR.fullmatch(text_at(words, at)):
            return True
    return False


def _quarter(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    """Read "Q1 2025", "2025-Q1", "first quarter of 2025", or "Q1", the latest that has begun."""
    text, following, stop = words[at].text, text_at(words, at + 1), at + 1
    if text[0] not in _QUARTER_BEGINS and text not in _ORDINALS:
        return None
    if match := _QUARTER_YEAR.fullmatch(text):
        return _quarter_of(int(match[2]), int(match[1]), stop)
    if match := _YEAR_QUARTER.fullmatch(text) or _YEAR_QUARTER.fullmatch(f"{text}/{following}"):
        return _quarter_of(int(match[1]), int(match[2]), stop + (text != match[0]))
    is_named = _QUARTER.fullmatch(text) is not None
    number = int(text[1]) if is_named else _ORDINALS.get(text, 0)
    if not number or not (is_named or following == "quarter"):
        return None
    stop += not is_named
    year, year_stop = _year_after(words, stop + (text_at(words, stop) == "of"), today)
    if year:
        return _quarter_of(year, number, year_stop)
    if not is_named:
        return None  # of a game, or of the moon
    latest = _quarter_of(today.year, number, stop)
    if latest.since > today:
        latest = _quarter_of(today.year - 1, number, stop)
    return replace(latest, kind=Kind.VAGUE)


def _quarter_of(year: int, number: int, stop: int) -> DatePhrase:
    first = date(year, 3 * number - 2, 1)
    return DatePhrase(Kind.DATED, first, shifted(first, 3, "month"), stop)


def _third(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    """Read "early March 2025", "mid-March", "the end of last month" or "late 2025"."""
    name, start = words[at].text, 1
    is_mid = name.startswith("mid-")
    if not is_mid and name not in THIRD_WORDS:
        return None
    phrase = words[at : at + _THIRD_WORDS_MAX]
    if is_mid:
        name, start = "mid", 0
        phrase = [structs.replace(phrase[0], text=phrase[0].text[4:], is_joined=True), *phrase[1:]]
    elif name in _THIRDS_OF and text_at(phrase, 1) == "of":
        name, start = _THIRDS_OF[name], 2
    if name not in THIRDS or not text_at(phrase, start):
        return None
    whole = (
        _named_date(phrase, start, today)
        or _year(phrase[start].text, start)
        or relative_phrase(phrase, start, today)
    )
    unit = _unit_with_thirds(whole) if whole else None
    if whole is None or unit is None:
        return None
    length = 4 if unit == "month" else 10
    index = THIRDS[name]
    until = whole.until if index == 2 else shifted(whole.since, length * (index + 1), unit)
    since = shifted(whole.since, length * index, unit)
    return DatePhrase(whole.kind, since, until, at + whole.stop)


def _unit_with_thirds(whole: DatePhrase) -> Unit | None:
    """Return the unit that is counted in the thirds of a month or a year; ``None`` for others."""
    if whole == unit_around(whole.kind, whole.since, "month", whole.stop):
        return "day"
    return "month" if whole == unit_around(whole.kind, whole.since, "year", whole.stop) else None


def _year_or_month_of(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    """Read "year 2025" or "month of March"."""
    start = at + 1 + (text_at(words, at + 1) == "of")
    if words[at].text == "year":
        return _year(text_at(words, start), start)
    is_month = words[at].text == "month" and text_at(words, start) in MONTHS
    return _named_date(words, start, today) if is_month else None


def _year_after(words: Sequence[Word], at: int, today: date) -> tuple[int, int]:
    """Return the year that follows a day or month, 0 for none, and the index after it."""
    text = text_at(words, at)
    if YEAR.fullmatch(text):
        return int(text), at + 1
    if text in ("last", "this") and text_at(words, at + 1) == "year":
        return today.year - (text == "last"), at + 2
    return 0, at


def _year(text: str, at: int) -> DatePhrase | None:
    if not YEAR.fullmatch(text):
        return None
    return unit_around(Kind.YEAR, date(int(text), 1, 1), "year", at + 1)
