"""Dates as people ask for them: "yesterday", "last week", "7d", "March 2024", "2024-03"."""

import re
from datetime import datetime, tzinfo

from clew.text.dates.days import midnight_s
from clew.text.dates.grammar.phrases import date_phrase_at
from clew.text.dates.grammar.relative import PARTS_OF_DAY
from clew.text.dates.languages.reading import read_words
from clew.text.dates.moment import parse_moment

CHARACTERS_MAX = 100  # a longer text is no date
_AGO = re.compile(r"([0-9]{1,5}) ?(h|hours?|d|days?|w|weeks?|mo|months?|y|years?)", re.IGNORECASE)
_HOUR_S = 3600.0
_DAY_S = 24 * _HOUR_S
# By the first letter of the unit. Months and years are rough: "6mo" is no day of the calendar.
_SECONDS = {
    "h": _HOUR_S,
    "d": _DAY_S,
    "w": 7 * _DAY_S,
    "m": 365.25 / 12 * _DAY_S,
    "y": 365.25 * _DAY_S,
}


def parse_asked(text: str, now_s: float, zone: tzinfo) -> float | None:
    """Return the moment that a text names, as POSIX seconds; ``None`` if it names none.

    That is a date or time in ISO 8601, UTC without a zone; or a span back from ``now_s`` ("7d",
    "2 weeks"); or the first moment, in ``zone``, of a phrase's days ("yesterday", "May 2024").
    """
    plain = text.strip()
    if len(plain) > CHARACTERS_MAX:
        return None
    at_s = parse_moment(plain)
    if at_s is not None:
        return at_s
    span = _AGO.fullmatch(plain)
    if span is not None:
        return now_s - int(span[1]) * _SECONDS[span[2][0].lower()]
    words = read_words(plain)
    try:
        phrase = date_phrase_at(words, 0, datetime.fromtimestamp(now_s, zone).date())
        if phrase is None or phrase.stop != len(words):
            return None
        if any(word.text in PARTS_OF_DAY for word in words):
            return None  # the evening of yesterday begins at no known moment
        return midnight_s(phrase.since, zone)
    except (OverflowError, ValueError):
        return None
