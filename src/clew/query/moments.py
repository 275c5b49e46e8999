"""Dates as requests give them and replies show them: ISO 8601, UTC where no zone is said."""

from datetime import datetime, timedelta, timezone

from clew.text.frontmatter import parse_moment
from clew.values.errors import InvalidParams

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def moment(text: str, field: str) -> float:
    """Return a request's date as POSIX seconds.

    Raises:
        InvalidParams: it is no ISO 8601 date or time; ``field`` is named.
    """
    at_s = parse_moment(text)
    if at_s is None:
        raise InvalidParams(f"{field} must be an ISO 8601 date or time, got {text!r}", field)
    return at_s


def iso(at_s: float) -> str:
    """Return POSIX seconds as ISO 8601 in UTC, to the second; beyond year 9999 the last one."""
    try:
        at = _EPOCH + timedelta(seconds=int(at_s))
    except (OverflowError, ValueError):
        at = datetime.max.replace(microsecond=0) if at_s > 0 else datetime.min
    return at.replace(tzinfo=None).isoformat() + "Z"
