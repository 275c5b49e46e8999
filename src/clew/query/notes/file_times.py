"""Tell whether files have the times of a copy, so that the ages of notes mean little."""

from dataclasses import dataclass

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.values.arrays import Float64Array

NOTES_MIN = 20  # fewer notes may well be written in one hour
_HOUR_S = 3600.0


@dataclass(frozen=True, slots=True)
class FileTimes:
    """How many notes have no date but their file's, and how many of these dates share one hour."""

    notes: int
    without_date: int  # notes that have only their file's
    in_one_hour: int  # the largest number of these that changed within one hour

    @property
    def are_of_copy(self) -> bool:
        """Whether most notes have no other date, and most of their files share one hour."""
        return (
            self.notes >= NOTES_MIN
            and 2 * self.without_date > self.notes
            and 2 * self.in_one_hour > self.without_date
        )


def file_times(snapshot: Snapshot) -> FileTimes:
    """Count the notes of a vault that are dated by their files alone."""
    note_ids = np.flatnonzero(snapshot.graph.is_live)
    times_s = snapshot.ages.file_times_s(note_ids)
    return FileTimes(len(note_ids), len(times_s), most_in_one_hour(times_s))


def most_in_one_hour(times_s: Float64Array) -> int:
    """Return the most of ``times_s`` that lie within any hour."""
    in_order = np.sort(times_s)
    ends = np.searchsorted(in_order, in_order + _HOUR_S, "right")
    return int((ends - np.arange(len(in_order))).max(initial=0))
