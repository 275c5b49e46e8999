"""Read date phrases from the words of a query: "last week", "7 May 2023", "2026-W47".

``date_phrase_at`` tries a fixed set of phrases at one word and returns the days that the phrase
covers. Some phrases may mean something else (a season "2001-02", a bare "2023", "in May"): their
``Kind`` says so, and ``intent`` decides.

python-dateutil does the calendar arithmetic and parses names of months; it is imported when a
phrase needs it. Its parser gets a day, a month and a four-digit year and nothing else: it guesses
the meaning of other text, and fills what is left out from the clock.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import IntEnum, auto
from typing import Literal

from msgspec import structs

from clew.text.dates.days import MONTHS, WEEKDAYS
from clew.text.dates.grammar.words import YEAR, Word, text_at, word_set

Unit = Literal["day", "week", "month", "year"]


_ISO_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ISO_WEEK = re.compile(r"[0-9]{4}-w[0-9]{2}")
_ISO_MONTH = re.compile(r"([0-9]{4})-([0-9]{2})")
_DAY = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th)?")
_COUNT = re.compile(r"[0-9]{1,4}")
_COUNT_WORDS = "two three four five six seven eight nine ten"
_COUNTS = {word: number for number, word in enumerate(_COUNT_WORDS.split(), 2)}
_ONE = frozenset(("a", "an", "one"))
# The most that these words mean, so that "the last few days" leaves out no day that is meant.
_FEW = {"few": 5, "couple": 2}
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

_SHORT_MONTHS = word_set("jan feb mar apr jun jul aug sep sept oct nov dec")
_UNITS: dict[str, Unit] = {"day": "day", "week": "week", "month": "month", "year": "year"}
_PLURALS: dict[str, Unit] = {f"{name}s": unit for name, unit in _UNITS.items()}
_ANY_UNIT = _UNITS | _PLURALS
PARTS_OF_DAY = word_set("morning afternoon evening night")
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


def date_phrase_at(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    """Return the longest date phrase that begins at ``words[at]``, or ``None``.

    ``today`` is the present day in the time zone of the query. Weeks begin on Monday. A date that
    does not exist (31 November) gives ``None``.
    """
    if at >= len(words) or not words[at].is_standalone:
        return None
    try:
        return (
            _iso(words[at].text, at)
            or _quarter(words, at, today)
            or _third(words, at, today)
            or _day_of_week(words, at, today)
            or _relative(words, at, today)
            or _ago(words, at, today)
            or _week_of(words, at, today)
            or _named_date(words, at, today)
            or _weekday(words[at].text, at, today)
            or _year(words[at].text, at)
            or _year_or_month_of(words, at, today)
        )
    except (ValueError, OverflowError):
        return None


def _iso(text: str, at: int) -> DatePhrase | None:
    if _ISO_DAY.fullmatch(text):
        return _unit_around(Kind.ISO, date.fromisoformat(text), "day", at + 1)
    if _ISO_WEEK.fullmatch(text):
        return _unit_around(Kind.ISO, date.fromisoformat(text.upper()), "week", at + 1)
    month = _ISO_MONTH.fullmatch(text)
    if month is None:
        return None
    is_season = int(month[2]) == (int(month[1]) + 1) % 100
    day = date(int(month[1]), int(month[2]), 1)
    return _unit_around(Kind.YEAR if is_season else Kind.ISO, day, "month", at + 1)


def _relative(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    first, second = words[at].text, text_at(words, at + 1)
    if first == "today":
        return _unit_around(Kind.PRESENT, today, "day", at + 1)
    if first == "yesterday":
        stop = at + 1 + (second in PARTS_OF_DAY)
        return _unit_around(Kind.RELATIVE, _shifted(today, -1, "day"), "day", stop)
    if first == "this" and second in PARTS_OF_DAY:
        return _unit_around(Kind.PRESENT, today, "day", at + 2)
    if first == "this" and second == "weekend":
        return _weekend(Kind.PRESENT, today, at + 2)
    if first == "day" and second == "before" and text_at(words, at + 2) == "yesterday":
        return _unit_around(Kind.RELATIVE, _shifted(today, -2, "day"), "day", at + 3)
    if first == "this" and second in _UNITS and second != "day":
        return _unit_around(Kind.PRESENT, today, _UNITS[second], at + 2)
    if first in ("last", "past"):
        phrase = _last_or_past(words, at, today)
        # "The last week of March" is not relative to today.
        return None if phrase and text_at(words, phrase.stop) == "of" else phrase
    return None


def _last_or_past(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    """Read "last 3 weeks", "past month", "last week", "last Monday" or "last March"."""
    first, second, third = words[at].text, text_at(words, at + 1), text_at(words, at + 2)
    count = _count(second)
    if count and third in _ANY_UNIT:
        return _up_to_today(today, count, _ANY_UNIT[third], at + 3)
    if second in _FEW:
        return _last_few(words, at, today)
    if second in _UNITS and second != "day":
        unit = _UNITS[second]
        if first == "past":
            return _up_to_today(today, 1, unit, at + 2)
        return _unit_around(Kind.RELATIVE, _shifted(today, -1, unit), unit, at + 2)
    if second == "weekend":
        return _weekend(Kind.RELATIVE, _shifted(today, -1, "week"), at + 2)
    if first == "last" and second == "night":
        return _unit_around(Kind.RELATIVE, _shifted(today, -1, "day"), "day", at + 2)
    if first == "last" and second in WEEKDAYS:
        return replace(
            _latest_weekday(second, _shifted(today, -1, "day"), at + 2), kind=Kind.RELATIVE
        )
    if first == "last" and second in MONTHS:
        before = _shifted(today.replace(day=1), -1, "day")
        return replace(_latest_named(f"1 {second}", "month", before, at + 2), kind=Kind.RELATIVE)
    return None


def _last_few(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    """Read "last few days" or "past couple of weeks"; a few years are too vague to be a period."""
    unit_at = at + 2 + (text_at(words, at + 2) == "of")
    unit = _PLURALS.get(text_at(words, unit_at), "year")
    if unit == "year":
        return None
    return _up_to_today(today, _FEW[words[at + 1].text], unit, unit_at + 1)


def _ago(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    """Read "3 days ago", "a week ago" or "half a year ago"."""
    if words[at].text == "half":
        whole = _ago(words, at + 1, today) if text_at(words, at + 1) in _ONE else None
        if whole is None or text_at(words, at + 2) != "year":
            return None
        return _unit_around(Kind.RELATIVE, _shifted(today, -6, "month"), "month", whole.stop)
    count = 1 if words[at].text in _ONE else _count(words[at].text)
    unit = _ANY_UNIT.get(text_at(words, at + 1))
    if not count or unit is None or text_at(words, at + 2) != "ago":
        return None
    return _unit_around(Kind.RELATIVE, _shifted(today, -count, unit), unit, at + 3)


def _day_of_week(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    """Read "Monday last week", "last week Monday" or "Monday two weeks ago"."""
    name, start = words[at].text, at + 1
    if name in WEEKDAYS:
        week = _week_at(words, start, today) if text_at(words, start) else None
        stop = week.stop if week else start
    else:
        week = _week_at(words, at, today)
        stop = week.stop + (text_at(words, week.stop) == "on") + 1 if week else start
        name = text_at(words, stop - 1)
    if week is None or name not in WEEKDAYS:
        return None
    day = _shifted(week.since, WEEKDAYS.index(name), "day")
    return _unit_around(Kind.RELATIVE, day, "day", stop)


def _week_at(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    """Read "last week", "this week" or "two weeks ago"."""
    phrase = _relative(words, at, today) or _ago(words, at, today)
    is_week = phrase and phrase == _unit_around(phrase.kind, phrase.since, "week", phrase.stop)
    return phrase if is_week else None


def _week_of(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    """Read "week of 2026-11-16" or "week of 16 November": the week that has this day."""
    if words[at].text != "week" or text_at(words, at + 1) != "of" or not text_at(words, at + 2):
        return None
    day = _iso(words[at + 2].text, at + 2) or _named_date(words, at + 2, today)
    if day is None or (day.until - day.since).days != 1:
        return None
    return _unit_around(day.kind, day.since, "week", day.stop)


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
    name, unit = f"{day[1] if day else 1} {month}", _UNITS["day" if day else "month"]
    if year:
        return _unit_around(Kind.DATED, _parse_named(name, year), unit, year_stop)
    if day is None and month in _SHORT_MONTHS:
        return None
    return _latest_named(name, unit, today, stop)


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
    return DatePhrase(Kind.DATED, first, _shifted(first, 3, "month"), stop)


def _third(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    """Read "early March 2025", "mid-March", "the end of March" or "late 2025"."""
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
    whole = _named_date(phrase, start, today) or _year(phrase[start].text, start)
    if whole is None or (whole.until - whole.since).days == 1:
        return None
    unit: Unit = "month" if whole.kind is Kind.YEAR else "day"
    length = 4 if unit == "month" else 10
    index = THIRDS[name]
    until = whole.until if index == 2 else _shifted(whole.since, length * (index + 1), unit)
    since = _shifted(whole.since, length * index, unit)
    return DatePhrase(whole.kind, since, until, at + whole.stop)


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


def _weekday(text: str, at: int, today: date) -> DatePhrase | None:
    return _latest_weekday(text, today, at + 1) if text in WEEKDAYS else None


def _year(text: str, at: int) -> DatePhrase | None:
    if not YEAR.fullmatch(text):
        return None
    return _unit_around(Kind.YEAR, date(int(text), 1, 1), "year", at + 1)


def _count(text: str) -> int:
    """Return the number written in ``text`` as digits or a word, 0 for none."""
    return int(text) if _COUNT.fullmatch(text) else _COUNTS.get(text, 0)


def _latest_named(name: str, unit: Unit, today: date, stop: int) -> DatePhrase:
    """Return the latest day or month of this name ("7 May", "1 March") that has begun."""
    for year in range(today.year, today.year - _LEAP_YEARS_GAP_MAX - 1, -1):
        try:
            day = _parse_named(name, year)
        except ValueError:  # 29 February in a common year
            continue
        if day <= today:
            return _unit_around(Kind.VAGUE, day, unit, stop)
    raise ValueError(f"no year has {name}")


def _latest_weekday(name: str, today: date, stop: int) -> DatePhrase:
    back = (today.weekday() - WEEKDAYS.index(name)) % 7
    return _unit_around(Kind.WEEKDAY, _shifted(today, -back, "day"), "day", stop)


def _unit_around(kind: Kind, day: date, unit: Unit, stop: int) -> DatePhrase:
    """Return the calendar day, week, month or year that contains ``day``."""
    since = day
    if unit == "week":
        since = day - timedelta(days=day.weekday())
    elif unit == "month":
        since = day.replace(day=1)
    elif unit == "year":
        since = day.replace(month=1, day=1)
    return DatePhrase(kind, since, _shifted(since, 1, unit), stop)


def _weekend(kind: Kind, day: date, stop: int) -> DatePhrase:
    """Return the Saturday and Sunday of the week that contains ``day``."""
    week = _unit_around(kind, day, "week", stop)
    return replace(week, since=_shifted(week.until, -2, "day"))


def _up_to_today(today: date, count: int, unit: Unit, stop: int) -> DatePhrase:
    """Return the days from ``count`` units ago to the end of today."""
    return DatePhrase(Kind.RELATIVE, _shifted(today, -count, unit), _shifted(today, 1, "day"), stop)


def _shifted(day: date, count: int, unit: Unit) -> date:
    """Return the day ``count`` units later.

    Where the month is too short for the day, its last day is returned.
    """
    if unit in ("day", "week"):
        return day + timedelta(days=count * (7 if unit == "week" else 1))
    from dateutil.relativedelta import relativedelta  # noqa: PLC0415 - few queries need it

    return day + (relativedelta(months=count) if unit == "month" else relativedelta(years=count))


def _parse_named(name: str, year: int) -> date:
    from dateutil.parser import parse  # noqa: PLC0415 - 25 ms, and few queries name a month

    return parse(f"{name} {year}", default=datetime(year, 1, 1)).date()  # noqa: DTZ001
