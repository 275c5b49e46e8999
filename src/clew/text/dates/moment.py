"""Dates as people and programs write them in requests and in front matter, as POSIX seconds.

``parse_moment`` reads ISO 8601, plain or as a link to a daily note. ``parse_stated_moment`` reads
the other forms too that programs write into front matter. Neither guesses: a text that could be
something else is no date. A time without a zone is UTC, so that no answer depends on where the
daemon runs.
"""

import re
from datetime import UTC, datetime

# ``fromisoformat`` takes any character between date and time, so that thirteen digits would be a
# time in the year that the first four of them name.
_ISO = re.compile(
    r"(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8}|[0-9]{4}-?W[0-9]{2}(?:-?[1-7])?)"
    r"(?:[T ][0-9:.,]+(?:Z|[+-][0-9:]+)?)?",
)
# The timestamps of YAML 1.1 (https://yaml.org/type/timestamp.html), also with a zone without colon,
# which Git and Jekyll write.
_YAML = re.compile(
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[Tt]|[ \t]+)"
    r"([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]*))?"
    r"[ \t]*([Zz]|[+-][0-9]{1,2}(?::?[0-9]{2})?)?",
)
_SECONDS = re.compile("[0-9]{10}")
_MILLISECONDS = re.compile("[0-9]{13}")
_DAY_THEN_MORE = re.compile("([0-9]{4}-[0-9]{2}-[0-9]{2})[^0-9:T].*")
_LINK = re.compile(r"\[\[([^\[\]|#]*)(?:[|#][^\[\]]*)?\]\]")


def parse_moment(text: str) -> float | None:
    """Return an ISO 8601 date or time as POSIX seconds, ``None`` when it is neither.

    A space may stand for the ``T``; a week (``2024-W10``) begins on its Monday. A link to a daily
    note that is named by its date, in any folder, counts as the date, also if more than the date is
    in the name ("2024-03-05 Tuesday").
    """
    plain = text.strip()
    link = _LINK.fullmatch(plain)
    if link is None:
        return _parsed(plain)
    name = link[1].rpartition("/")[2].strip().removesuffix(".md").replace("_", "-")
    moment = _parsed(name)
    return _parsed(_DAY_THEN_MORE.sub(r"\1", name)) if moment is None else moment


def _parsed(plain: str) -> float | None:
    if _ISO.fullmatch(plain) is None:
        return None
    try:
        moment = datetime.fromisoformat(plain)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def parse_stated_moment(text: str) -> float | None:
    """Return a date or time of front matter as POSIX seconds, ``None`` when it is neither.

    It is one that ``parse_moment`` reads; or a timestamp of YAML; or 10 digits, POSIX seconds; or
    13 digits, milliseconds.
    """
    plain = text.strip()
    if _SECONDS.fullmatch(plain):
        return float(plain)
    if _MILLISECONDS.fullmatch(plain):
        return int(plain) / 1000
    return parse_moment(_as_iso(plain))


def _as_iso(text: str) -> str:
    """Return a timestamp of YAML as ISO 8601; any other text as it is."""
    match = _YAML.fullmatch(text)
    if match is None:
        return text
    year, month, day, hour, minute, second, fraction, zone = match.groups(default="")
    date = f"{year}-{month:0>2}-{day:0>2}"
    time = f"{hour:0>2}:{minute}:{second}.{fraction or 0}"
    if zone[:1] in ("+", "-"):
        zone = f"{zone[0]}{zone[1:].split(':')[0]:0>2}" + zone.partition(":")[2]
    return f"{date}T{time}{zone.upper()}"
