"""The local time zone, with its rules for the whole year; it decides when a day begins."""

import os
from datetime import tzinfo

LOCALTIME = "/etc/localtime"


def local_zone() -> tzinfo:
    """Return the zone that ``TZ`` names, else the machine's."""
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - takes 2 ms, kept out of the start

    name = os.environ.get("TZ", LOCALTIME).removeprefix(":")
    try:
        if not name.startswith("/"):
            return ZoneInfo(name)
        with open(name, "rb") as file:
            return ZoneInfo.from_file(file)
    except (OSError, ValueError, LookupError):
        # A rule such as "CET-1CEST,..." is the same in all years, so the C library can apply it.
        from dateutil.tz import tzlocal  # noqa: PLC0415 - takes 10 ms, and few zones are such rules

        return tzlocal()
