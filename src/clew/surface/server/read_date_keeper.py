"""Saving when notes were last read: at once to a log, and from time to time to one file."""

import os
from collections.abc import Mapping

from clew.disk.durable import DISK, Disk
from clew.engine.persist.read_dates import ReadDates
from clew.surface.server.health import Health

READS_LOG_BYTES_MAX = 4 * 1024 * 1024

_PART = "memory"  # the name of the degraded part, and of the folder in the state


class ReadDateKeeper:
    """Saves read dates in the state folder; a failure degrades the part ``memory``."""

    def __init__(self, state: str, health: Health, disk: Disk = DISK) -> None:
        self._dates = ReadDates(os.path.join(state, _PART), disk)
        self._health = health
        self._has_unsaved = False

    def load(self) -> dict[str, float]:
        """Return the saved dates, POSIX seconds by path."""
        return self._dates.load()

    def add(self, reads_s: Mapping[str, float]) -> None:
        """Append dates to the log."""
        if not reads_s:
            return
        try:
            self._dates.add(reads_s)
        except OSError as error:
            self._has_unsaved = True
            self._degrade(error)

    def compact(self, reads_s: Mapping[str, float], *, at_end: bool = False) -> None:
        """Write all dates to one file if some are unsaved, or the log is long.

        At the daemon's end, write them if the log holds any.
        """
        is_due = self._has_unsaved or self._dates.log_bytes > READS_LOG_BYTES_MAX
        if not is_due and not (at_end and self._dates.log_bytes):
            return
        try:
            self._dates.compact(reads_s)
        except OSError as error:
            self._degrade(error)
        else:
            self._has_unsaved = False
            self._health.recover(_PART)

    def save_all(self, reads_s: Mapping[str, float]) -> None:
        """Write all dates to one file, whether or not that is due."""
        self._has_unsaved = True
        self.compact(reads_s)

    def _degrade(self, error: OSError) -> None:
        reason = f"read dates cannot be saved: {error.strerror or error}"
        self._health.degrade(_PART, reason)
