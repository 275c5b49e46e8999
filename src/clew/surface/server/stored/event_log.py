"""Save the dates of reads and edits: append them to logs, and compact the logs to files."""

import os
from collections.abc import Mapping

from clew.disk.durable import DISK, Disk
from clew.engine.persist.path_dates import EDITS, FOLLOWED, READS, PathDates
from clew.surface.server.health import Health
from clew.values.vault import NoteEvents

LOG_BYTES_MAX = 4 * 1024 * 1024

_PART = "memory"  # the name of the degraded part, and of the folder in the state


class EventLog:
    """Saves the dates of events in the state folder; a failure degrades the part ``memory``."""

    def __init__(self, state: str, health: Health, disk: Disk = DISK) -> None:
        folder = os.path.join(state, _PART)
        self._reads = PathDates(folder, READS, disk)
        self._edits = PathDates(folder, EDITS, disk)
        self._health = health
        self._unsaved: set[PathDates] = set()

    def load(self) -> NoteEvents:
        """Return the saved dates."""
        reads_s, edits_s = self._reads.load(), self._edits.load()
        followed = reads_s.pop(FOLLOWED, 0.0), edits_s.pop(FOLLOWED, 0.0)
        return NoteEvents(reads_s, edits_s, followed=followed)

    def add(self, events: NoteEvents) -> None:
        """Append dates to the logs."""
        for (dates, dates_s), followed in zip(self._of(events), events.followed, strict=True):
            try:
                if dates_s or events.left:
                    dates.add({**dates_s, FOLLOWED: followed}, events.left)
            except OSError as error:
                self._unsaved.add(dates)
                self._degrade(error)

    def compact(self, events: NoteEvents, *, at_end: bool = False) -> None:
        """Write all dates of a kind to one file if some are unsaved or the log is long.

        ``at_end``: the daemon ends, so write them even if the log is short.
        """
        for dates, dates_s in self._of(events):
            is_due = dates in self._unsaved or dates.log_bytes > LOG_BYTES_MAX
            if not is_due and not (at_end and dates.log_bytes):
                continue
            try:
                # Dates that are saved already may be of a path that a renamed note left since.
                dates.compact(dates_s if dates in self._unsaved else {})
            except OSError as error:
                self._degrade(error)
            else:
                self._unsaved.discard(dates)
                if not self._unsaved:
                    self._health.recover(_PART)

    def save_all(self, events: NoteEvents) -> None:
        """Write all dates to their files, whether or not that is due."""
        self._unsaved = {self._reads, self._edits}
        self.compact(events)

    def _of(self, events: NoteEvents) -> tuple[tuple[PathDates, Mapping[str, float]], ...]:
        return (self._reads, events.reads_s), (self._edits, events.edits_s)

    def _degrade(self, error: OSError) -> None:
        reason = f"dates of reads and edits cannot be saved: {error.strerror or error}"
        self._health.degrade(_PART, reason)
