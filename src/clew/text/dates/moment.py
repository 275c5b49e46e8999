"""Dates as people write them in notes and requests."""

from datetime import UTC, datetime


def parse_moment(text: str) -> float | None:
    """Return an ISO 8601 date or time as POSIX seconds, ``None`` when it is neither.

    A time without a zone is UTC, so that no answer depends on where the daemon runs. A date that
    is written as a link to its daily note (``[[2025-03-14]]``) counts as the date.
    """
    plain = text.strip().removeprefix("[[").removesuffix("]]").strip()
    try:
        moment = datetime.fromisoformat(plain)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        return moment.timestamp()
    except (OverflowError, ValueError):
        return None
