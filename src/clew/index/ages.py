"""Note dates as arrays by note id, and the weights of all notes at one moment."""

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct

from clew.index.formulas.decay import SECONDS_A_DAY, DecayFunction, decay_weights
from clew.index.structures.columns import Column, Columns, array_column
from clew.index.structures.growable import GrowableArray
from clew.values.arrays import Float64Array, Int32Array, Int64Array

_NEVER_DECAYS_DAYS = np.inf


class NoteAge(Struct, frozen=True, array_like=True, gc=False):
    """The dates and decay tier of one note; times are POSIX seconds."""

    touched_s: float  # the latest of the times read, modified and created
    modified_s: float
    grace_days: float
    pinned: bool


class NoteAges:
    """The ages of all notes, and a cache of their weights at the last moment asked for."""

    def __init__(self, function: DecayFunction, half_life_days: float) -> None:
        self._function = function
        self._half_life_days = half_life_days
        self._touched_s = GrowableArray(np.float64)
        self._modified_s = GrowableArray(np.float64)
        self._grace_days = GrowableArray(np.float64)
        self._cached: tuple[float, int, Float64Array] | None = None  # now_s, note_slots, weights

    def copy(self) -> "NoteAges":
        """Return the same ages, in constant time; later changes do not reach it."""
        other = NoteAges(self._function, self._half_life_days)
        other._touched_s = self._touched_s.copy()
        other._modified_s = self._modified_s.copy()
        other._grace_days = self._grace_days.copy()
        other._cached = self._cached
        return other

    def put(self, note_id: int, age: NoteAge) -> None:
        """Set the age of a note; a new note has the id after the last."""
        if note_id == len(self._touched_s):
            self.append([age])
            return
        self._touched_s.set(note_id, age.touched_s)
        self._modified_s.set(note_id, age.modified_s)
        self._grace_days.set(note_id, _stored_grace_days(age))
        self._cached = None

    def append(self, ages: Sequence[NoteAge]) -> None:
        """Set the ages of notes with the ids after the last."""
        self._touched_s.extend([age.touched_s for age in ages])
        self._modified_s.extend([age.modified_s for age in ages])
        self._grace_days.extend(list(map(_stored_grace_days, ages)))
        self._cached = None

    def keep(self, note_ids: Int64Array) -> None:
        """Keep the ages of these notes only, and give the notes new ids in this order."""
        for column in (self._touched_s, self._modified_s, self._grace_days):
            column.replace(column.rows[note_ids])
        self._cached = None

    def get(self, note_id: int) -> NoteAge:
        """Return the age of a note as it was last set."""
        grace_days = float(self._grace_days.rows[note_id])
        pinned = grace_days == _NEVER_DECAYS_DAYS
        touched_s = float(self._touched_s.rows[note_id])
        modified_s = float(self._modified_s.rows[note_id])
        return NoteAge(touched_s, modified_s, 0.0 if pinned else grace_days, pinned)

    def weights(self, now_s: float, note_slots: int) -> Float64Array:
        """Return the weight of every note at ``now_s``; float64 of shape (note_slots,)."""
        if self._cached is None or self._cached[:2] != (now_s, note_slots):
            age_days = (now_s - self._touched_s.rows[:note_slots]) / SECONDS_A_DAY
            weights = decay_weights(
                age_days, self._grace_days.rows[:note_slots], self._function, self._half_life_days
            )
            self._cached = (now_s, note_slots, weights)
        return self._cached[2]

    def modified_s(self, note_ids: Int32Array) -> Float64Array:
        """Return the modification times of ``note_ids``, POSIX seconds."""
        modified_s: Float64Array = self._modified_s.rows[note_ids]
        return modified_s

    def columns(self) -> Iterator[Column]:
        """Yield the ages as columns, for ``read``."""
        yield array_column("touched", self._touched_s.rows)
        yield array_column("modified", self._modified_s.rows)
        yield array_column("graceDays", self._grace_days.rows)

    @classmethod
    def read(cls, columns: Columns, function: DecayFunction, half_life_days: float) -> "NoteAges":
        """Return the ages that ``columns`` wrote.

        Raises:
            ValueError, LookupError: there are none.
        """
        ages = cls(function, half_life_days)
        ages._touched_s = GrowableArray.over(columns.array("touched", "<f8"))
        ages._modified_s = GrowableArray.over(columns.array("modified", "<f8"))
        ages._grace_days = GrowableArray.over(columns.array("graceDays", "<f8"))
        if not len(ages._touched_s) == len(ages._modified_s) == len(ages._grace_days):
            raise ValueError("ages of different notes")
        return ages


def _stored_grace_days(age: NoteAge) -> float:
    return _NEVER_DECAYS_DAYS if age.pinned else age.grace_days
