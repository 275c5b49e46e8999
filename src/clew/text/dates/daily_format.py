"""Obsidian's format of daily notes: a subset of the tokens of moment.js, and literal text.

https://momentjs.com/docs/#/displaying/format/ has all tokens. Names of months and days are English;
``WW`` is the week of ISO 8601, and ``ww`` that of moment.js in English. A format with a token that
is not known here, or one that does not say at least the month, cannot be read.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from clew.text.dates.days import (
    MONTHS,
    WEEKDAYS,
    Days,
    american_week_of,
    day_of,
    iso_week_of,
    months_of,
)
from clew.text.unicode import is_utf8

FORMAT_CHARACTERS_MAX = 200
NUMBERS_MAX = 12  # tokens; matching takes longer the more ways there are to split digits

_TOKEN = re.compile(r"\[([^\[\]]*)\]|Do|([A-Za-z])\2*|.", re.DOTALL)
_TOKEN_LETTERS = frozenset("MDdwWQNYyGgeEaAhHkmsSxXzZlL")  # any other letter stands for itself
# Each token with the part of a date that it stands for, and the pattern of that part.
_TOKENS = {
    "YYYY": ("year", "[0-9]{4}"),
    "YY": ("short year", "[0-9]{2}"),
    "GGGG": ("ISO year", "[0-9]{4}"),
    "gggg": ("week year", "[0-9]{4}"),
    "Q": ("quarter", "[1-4]"),
    "MMMM": ("month", "|".join(MONTHS)),
    "MMM": ("month", "|".join(name[:3] for name in MONTHS)),
    "MM": ("month", "[0-9]{2}"),
    "M": ("month", "[0-9]{1,2}"),
    "WW": ("ISO week", "[0-9]{2}"),
    "ww": ("week", "[0-9]{2}"),
    "DD": ("day", "[0-9]{2}"),
    "D": ("day", "[0-9]{1,2}"),
    "Do": ("day", "[0-9]{1,2}(?:st|nd|rd|th)"),
    "dddd": ("weekday", "|".join(WEEKDAYS)),
    "ddd": ("weekday", "|".join(name[:3] for name in WEEKDAYS)),
}
_ENDS = r"(?![^\W_]|[-_.][0-9])"


@dataclass(frozen=True, slots=True)
class DailyFormat:
    """A format that can be read; made by ``daily_format``."""

    pattern: re.Pattern[str]
    parts: tuple[str, ...]  # the part of a date that each group of the pattern holds
    depth: int  # how many names of a path it spans: folders, and the note

    def days_of(self, path: str) -> Days | None:
        """Return the days that the end of a note's path says, ``None`` if it is not in the format.

        Text may follow the date: "5 March 2024 meeting". A date that does not exist gives ``None``.
        """
        names = path.rpartition(".")[0].split("/")
        match = self.pattern.match("/".join(names[-self.depth :]))
        if match is None or len(names) < self.depth:
            return None
        values: dict[str, int] = {}
        for part, text in zip(self.parts, match.groups(), strict=True):
            value = _number(part, text.lower())
            if values.setdefault(part, value) != value:
                return None  # "2023/2024-03-05" contradicts itself
        try:
            return _days_of(values)
        except ValueError:
            return None


@lru_cache(maxsize=8)
def daily_format(text: str) -> DailyFormat:
    """Return a format that can be read from its text.

    Raises:
        ValueError: it is too long, has a token that is not known here, or says no date.
    """
    if len(text) > FORMAT_CHARACTERS_MAX:
        raise ValueError(f"it is longer than {FORMAT_CHARACTERS_MAX} characters")
    if not is_utf8(text):
        raise ValueError("it is not valid Unicode")
    pattern, parts = "", []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in _TOKENS:
            part, form = _TOKENS[token]
            pattern += f"({form})"
            parts.append(part)
        elif token[0] in _TOKEN_LETTERS:
            raise ValueError(f"it has {token!r}, which clew cannot read")
        else:
            pattern += re.escape(token if match[1] is None else match[1])
    if len(parts) > NUMBERS_MAX:
        raise ValueError(f"it has more than {NUMBERS_MAX} tokens")
    if not _says_date(parts):
        raise ValueError("it says no day, week, month or quarter of a year")
    depth = 1 + pattern.count("/")
    return DailyFormat(re.compile(pattern + _ENDS, re.IGNORECASE), tuple(parts), depth)


def _says_date(parts: Sequence[str]) -> bool:
    """Return whether notes in a format with these parts have a date, by trying the first one."""
    values = {part: 2000 if part.endswith("year") else 1 for part in parts}
    try:
        return _days_of(values) is not None
    except ValueError:
        return False


def _number(part: str, text: str) -> int:
    if part == "month" and text.isalpha():
        return 1 + next(i for i, name in enumerate(MONTHS) if name.startswith(text))
    if part == "weekday":
        return 1 + next(i for i, name in enumerate(WEEKDAYS) if name.startswith(text))
    number = int(text.rstrip("sthnrd"))
    if part == "short year":
        return number + (1900 if number > 68 else 2000)  # as moment.js reads it
    return number


def _days_of(values: dict[str, int]) -> Days | None:
    """Return the shortest run of days that the values of the parts say.

    Raises:
        ValueError: there is no such date.
    """
    year = values.get("year", values.get("short year"))
    month, day = values.get("month"), values.get("day")
    if year and month and day:
        return day_of(year, month, day)
    iso_year, week_year = values.get("ISO year", year), values.get("week year", year)
    if iso_year and "ISO week" in values:
        return _weekday_of(iso_week_of(iso_year, values["ISO week"]), values.get("weekday"))
    if week_year and "week" in values:
        return _weekday_of(american_week_of(week_year, values["week"]), values.get("weekday"))
    if year and month:
        return months_of(year, month)
    if year and "quarter" in values:
        return months_of(year, 3 * values["quarter"] - 2, 3)
    return None


def _weekday_of(week: Days, weekday: int | None) -> Days:
    """Return the day of a week with this number, 1 for Monday; the week if it is ``None``."""
    if weekday is None:
        return week
    first = week.since.toordinal()
    day = week.since.fromordinal(first + (weekday - week.since.isoweekday()) % 7)
    return day_of(day.year, day.month, day.day)
