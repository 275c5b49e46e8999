"""The time zone of this machine, with its rules for all of the year: where days begin."""

import os
from datetime import tzinfo

LOCALTIME = "/etc/localtime"


def local_zone() -> tzinfo:
    """Return the zone that the environment names, else the machine's."""
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - 2 ms, and a start need not wait for it

    name = os.environ.get("TZ", LOCALTIME).removeprefix(":")
    try:
        if not name.startswith("/"):
            return ZoneInfo(name)
        with open(name, "rb") as file:
            return ZoneInfo.from_file(file)
    except (OSError, ValueError, LookupError):
        # A rule written out ("CET-1CEST,...") has no history that the C library's two offsets lack.
        from dateutil.tz import tzlocal  # noqa: PLC0415 - 10 ms, and few zones are written out

        return tzlocal()
