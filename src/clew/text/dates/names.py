"""The day, week, month or quarter that the name of a note is, or begins with."""

import re

from clew.text.dates.daily_format import DailyFormat, daily_format
from clew.text.dates.days import Days, day_of, iso_week_of, months_of
from clew.text.filename import stem_of

_DAY = re.compile(r"([0-9]{4})([-_ ])([0-9]{2})\2([0-9]{2})(?![0-9])")
# Eight digits, also with the time that Obsidian's unique notes have: 202403051015.
_DIGITS = re.compile(
    r"([0-9]{4})([0-9]{2})([0-9]{2})"
    r"(?:T?(?:[01][0-9]|2[0-3])[0-5][0-9](?:[0-5][0-9])?)?(?![0-9A-Za-z])"
)
# "2024-03-5" and "2024-W10a" are something else than a month and a week.
_ENDS = r"(?![0-9A-Za-z]|[-_.][0-9])"
_WEEK = re.compile("([0-9]{4})-[Ww]([0-9]{2})" + _ENDS)
_QUARTER = re.compile("([0-9]{4})-[Qq]([1-4])" + _ENDS)
_MONTH = re.compile("([0-9]{4})-([0-9]{2})" + _ENDS)
# "March 5th, 2024", as Roam Research names daily notes, and "Mar 5th, 2024".
_IN_WORDS = (daily_format("MMMM Do, YYYY"), daily_format("MMM Do, YYYY"))


def days_in_name(path: str, daily: DailyFormat | None = None) -> Days | None:
    """Return the days that the name of the note at ``path`` is, or begins with.

    The name is in the vault's ``daily`` format; or it begins with YYYY-MM-DD, YYYY_MM_DD,
    YYYY MM DD, YYYYMMDD, YYYY-MM, YYYY-Www or YYYY-Qn, or as Roam names daily notes. A date that
    does not exist gives ``None``.
    """
    days = daily.days_of(path) if daily is not None else None
    days = days or _days_of(stem_of(path))
    return days or next(filter(None, (form.days_of(path) for form in _IN_WORDS)), None)


def _days_of(name: str) -> Days | None:
    try:
        if match := _DAY.match(name):
            return day_of(int(match[1]), int(match[3]), int(match[4]))
        if match := _DIGITS.match(name):
            return day_of(int(match[1]), int(match[2]), int(match[3]))
        if match := _WEEK.match(name):
            return iso_week_of(int(match[1]), int(match[2]))
        if match := _QUARTER.match(name):
            return months_of(int(match[1]), 3 * int(match[2]) - 2, 3)
        if match := _MONTH.match(name):
            return months_of(int(match[1]), int(match[2]))
    except ValueError:
        return None
    return None
