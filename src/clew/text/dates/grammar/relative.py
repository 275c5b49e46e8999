"""Read phrases relative to today from the words of a query: "last week", "3 days ago"."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from clew.text.dates.days import MONTHS, WEEKDAYS
from clew.text.dates.grammar.calendar_days import (
    PLURALS,
    UNITS,
    DatePhrase,
    Kind,
    Unit,
    latest_named,
    shifted,
    unit_around,
)
from clew.text.dates.grammar.words import Word, text_at, word_set

_COUNT = re.compile(r"[0-9]{1,4}")
_COUNT_WORDS = "two three four five six seven eight nine ten"
_COUNTS = {word: number for number, word in enumerate(_COUNT_WORDS.split(), 2)}
_ONE = frozenset(("a", "an", "one"))
# The most that these words mean, so that "the last few days" leaves out no day that is meant.
_FEW = {"few": 5, "couple": 2}
_ANY_UNIT = UNITS | PLURALS
LENGTH_BACK = "than ago"  # put after a length that "than" is before; no query has it as a word
PARTS_OF_DAY = word_set("morning afternoon evening night")


def relative_phrase(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    """Read "yesterday", "this week", "last month" or "past 3 days"."""
    first, second = words[at].text, text_at(words, at + 1)
    if first == "today":
        return unit_around(Kind.PRESENT, today, "day", at + 1)
    if first == "yesterday":
        stop = at + 1 + (second in PARTS_OF_DAY)
        return unit_around(Kind.RELATIVE, shifted(today, -1, "day"), "day", stop)
    if first == "this" and second in PARTS_OF_DAY:
        return unit_around(Kind.PRESENT, today, "day", at + 2)
    if first == "this" and second == "weekend":
        return _weekend(Kind.PRESENT, today, at + 2)
    if first == "day" and second == "before" and text_at(words, at + 2) == "yesterday":
        return unit_around(Kind.RELATIVE, shifted(today, -2, "day"), "day", at + 3)
    if first == "this" and second in UNITS and second != "day":
        return unit_around(Kind.PRESENT, today, UNITS[second], at + 2)
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
    if second in UNITS and second != "day":
        unit = UNITS[second]
        if first == "past":
            return _up_to_today(today, 1, unit, at + 2)
        return unit_around(Kind.RELATIVE, shifted(today, -1, unit), unit, at + 2)
    if second == "weekend":
        return _weekend(Kind.RELATIVE, shifted(today, -1, "week"), at + 2)
    if first == "last" and second == "night":
        return unit_around(Kind.RELATIVE, shifted(today, -1, "day"), "day", at + 2)
    if first == "last" and second in WEEKDAYS:
        return replace(
            _latest_weekday(second, shifted(today, -1, "day"), at + 2), kind=Kind.RELATIVE
        )
    if first == "last" and second in MONTHS:
        before = shifted(today.replace(day=1), -1, "day")
        return replace(latest_named(f"1 {second}", "month", before, at + 2), kind=Kind.RELATIVE)
    return None


def _last_few(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    """Read "last few days" or "past couple of weeks"."""
    unit, stop = _unit_of_few(words, at + 1)
    return unit and _up_to_today(today, _FEW[words[at + 1].text], unit, stop)


def _few_ago(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    """Read "few days ago" or "couple of weeks ago": from the most units that it may mean to 2."""
    unit, stop = _unit_of_few(words, at)
    if unit is None or text_at(words, stop) != "ago":
        return None
    first = unit_around(Kind.RELATIVE, shifted(today, -_FEW[words[at].text], unit), unit, stop + 1)
    last = unit_around(Kind.RELATIVE, shifted(today, -2, unit), unit, stop + 1)
    return replace(first, until=last.until)


def _unit_of_few(words: Sequence[Word], at: int) -> tuple[Unit | None, int]:
    """Return the unit after the "few" or "couple of" at ``at``, and the index after it.

    A few years are too vague to be a period.
    """
    unit_at = at + 1 + (text_at(words, at + 1) == "of")
    unit = PLURALS.get(text_at(words, unit_at))
    return None if unit == "year" else unit, unit_at + 1


def ago_phrase(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    """Read "3 days ago", "a week ago", "a few days ago" or "half a year ago".

    A length with ``LENGTH_BACK`` after it, as in "older than 3 months", is the day so long ago, as
    a phrase without days.
    """
    if words[at].text == "half":
        whole = ago_phrase(words, at + 1, today) if text_at(words, at + 1) in _ONE else None
        if whole is None or text_at(words, at + 2) != "year":
            return None
        return unit_around(Kind.RELATIVE, shifted(today, -6, "month"), "month", whole.stop)
    few_at = at + (words[at].text == "a")
    if few_at < len(words) and words[few_at].text in _FEW:
        return _few_ago(words, few_at, today)
    length, after = length_at(words, at), text_at(words, at + 2)
    if length is None or after not in ("ago", LENGTH_BACK):
        return None
    count, unit = length
    day = shifted(today, -count, unit)
    if after == LENGTH_BACK:
        return DatePhrase(Kind.RELATIVE, day, day, at + 3)
    return unit_around(Kind.RELATIVE, day, unit, at + 3)


def length_at(words: Sequence[Word], at: int) -> tuple[int, Unit] | None:
    """Return the count and the unit of the two words at ``at``: "a week", "3 days"."""
    count = 1 if words[at].text in _ONE else _count(words[at].text)
    unit = _ANY_UNIT.get(text_at(words, at + 1))
    return (count, unit) if count and unit is not None else None


def day_of_week(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    """Read "Monday last week", "Monday of last week", "last week Monday" or "Monday a week ago"."""
    name, start = words[at].text, at + 1
    if name in WEEKDAYS:
        start += text_at(words, start) == "of"
        week = _week_at(words, start, today) if text_at(words, start) else None
        stop = week.stop if week else start
    else:
        week = _week_at(words, at, today)
        stop = week.stop + (text_at(words, week.stop) == "on") + 1 if week else start
        name = text_at(words, stop - 1)
    if week is None or name not in WEEKDAYS:
        return None
    day = shifted(week.since, WEEKDAYS.index(name), "day")
    return unit_around(Kind.RELATIVE, day, "day", stop)


def _week_at(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    """Read "last week", "this week" or "two weeks ago"."""
    phrase = relative_phrase(words, at, today) or ago_phrase(words, at, today)
    is_week = phrase and phrase == unit_around(phrase.kind, phrase.since, "week", phrase.stop)
    return phrase if is_week else None


def weekday(text: str, at: int, today: date) -> DatePhrase | None:
    """Read "Tuesday", the latest one."""
    return _latest_weekday(text, today, at + 1) if text in WEEKDAYS else None


def _count(text: str) -> int:
    """Return the number written in ``text`` as digits or a word, 0 for none."""
    return int(text) if _COUNT.fullmatch(text) else _COUNTS.get(text, 0)


def _latest_weekday(name: str, today: date, stop: int) -> DatePhrase:
    back = (today.weekday() - WEEKDAYS.index(name)) % 7
    return unit_around(Kind.WEEKDAY, shifted(today, -back, "day"), "day", stop)


def _weekend(kind: Kind, day: date, stop: int) -> DatePhrase:
    """Return the Saturday and Sunday of the week that contains ``day``."""
    week = unit_around(kind, day, "week", stop)
    return replace(week, since=shifted(week.until, -2, "day"))


def _up_to_today(today: date, count: int, unit: Unit, stop: int) -> DatePhrase:
    """Return the days from ``count`` units ago to the end of today."""
    return DatePhrase(Kind.RELATIVE, shifted(today, -count, unit), shifted(today, 1, "day"), stop)
