"""Parse the dates of requests, and format those of replies.

Replies have ISO 8601 in UTC. ``asOf`` is ISO 8601 too, in UTC unless it names a zone. The period of
a request may also be in words.
"""

import math
from datetime import UTC, datetime, timedelta, tzinfo
from typing import NamedTuple

from clew.index.formulas.note_dates import Bounds
from clew.text.dates.asked import parse_asked
from clew.text.dates.days import utc_midnight_s
from clew.text.dates.moment import parse_moment
from clew.values.errors import InvalidParams

SHOWN_CHARACTERS_MAX = 100  # characters of an invalid date that the error shows
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment(text: str, field: str) -> float:
    """Return a date or time of a request as POSIX seconds.

    Raises:
        InvalidParams: ``text`` is not an ISO 8601 date or time; the error names ``field``.
    """
    at_s = parse_moment(text)
    if at_s is None:
        shown = text[:SHOWN_CHARACTERS_MAX]
        message = f"{field} must be an ISO 8601 date or time, got {shown!r}"
        raise InvalidParams(message, field, "write it like 2024-03-01 or 2024-03-01T12:00:00Z")
    return at_s


class Clock(NamedTuple):
    """The moment of a request, and the time zone in which its days begin."""

    now_s: float  # POSIX seconds
    zone: tzinfo


def asked_moment(text: str, field: str, clock: Clock) -> float:
    """Return when a period of a request begins or ends, as POSIX seconds.

    Raises:
        InvalidParams: ``text`` is in no accepted form of dates; the error names ``field``.
    """
    at_s = parse_asked(text, *clock)
    if at_s is None:
        shown = text[:SHOWN_CHARACTERS_MAX]
        message = f"{field} must be a date, got {shown!r}"
        hint = "write it like 2024-03-01, 2024-03, yesterday, 7d or last week"
        raise InvalidParams(message, field, hint)
    return at_s


def asked_bounds(since: str | None, until: str | None, fields: str, clock: Clock) -> Bounds:
    """Return the period of a request; ``fields``: a prefix of the field names in errors.

    Raises:
        InvalidParams: ``since`` or ``until`` is in no accepted form of dates.
    """
    since_s, until_s = -math.inf, math.inf
    if since is not None:
        since_s = asked_moment(since, f"{fields}since", clock)
    if until is not None:
        until_s = asked_moment(until, f"{fields}until", clock)
    days_s = (utc_midnight_s(at_s, clock.zone) for at_s in (since_s, until_s))
    return Bounds(since_s, until_s, *days_s)


def iso(at_s: float) -> str:
    """Return POSIX seconds as ISO 8601 in UTC, cut to seconds and to the years 1 to 9999."""
    try:
        at = _EPOCH + timedelta(seconds=int(at_s))
    except (OverflowError, ValueError):
        return "9999-12-31T23:59:59Z" if at_s > 0 else "0001-01-01T00:00:00Z"
    return at.replace(tzinfo=None).isoformat() + "Z"
