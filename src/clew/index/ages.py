"""Note dates as arrays by note id, and the weights of all notes at one moment."""

import math
from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from clew.index.formulas.decay import SECONDS_A_DAY, DecayFunction, decay_weights
from clew.index.structures.columns import Column, Columns, array_column
from clew.index.structures.growable import GrowableArray
from clew.values.arrays import Float64Array, Int64Array, IntegerArray

_NEVER_DECAYS_DAYS = math.inf
_COLUMNS = ("touched", "file", "statedModified", "statedCreated", "graceDays")


class NoteAge(Struct, frozen=True, array_like=True, gc=False):
    """The dates and decay tier of one note; times are POSIX seconds."""

    touched_s: float  # the latest of the times read, modified and created
    file_s: float  # when its file was modified
    stated_modified_s: float | None  # in its front matter
    stated_created_s: float | None  # in its front matter
    grace_days: float
    pinned: bool


class NoteAges:
    """The ages of all notes, and a cache of their weights at the last moment asked for."""

    def __init__(self, function: DecayFunction, half_life_days: float) -> None:
        self._function = function
        self._half_life_days = half_life_days
        self._columns = {name: GrowableArray(np.float64) for name in _COLUMNS}  # NaN: not stated
        self._cached: tuple[float, int, Float64Array] | None = None  # now_s, note_slots, weights

    def copy(self) -> "NoteAges":
        """Return the same ages, in constant time; later changes do not reach it."""
        other = NoteAges(self._function, self._half_life_days)
        other._columns = {name: column.copy() for name, column in self._columns.items()}
        other._cached = self._cached
        return other

    def put(self, note_id: int, age: NoteAge) -> None:
        """Set the age of a note; a new note has the id after the last."""
        for column, value in zip(self._columns.values(), _stored(age), strict=True):
            if note_id == len(column):
                column.extend([value])
            elif not _is_same(float(column.rows[note_id]), value):
                # Setting one copies the column, and most edits do not change the stated dates.
                column.set(note_id, value)
        self._cached = None

    def keep(self, note_ids: Int64Array) -> None:
        """Keep the ages of these notes only, and give the notes new ids in this order."""
        for column in self._columns.values():
            column.replace(column.rows[note_ids])
        self._cached = None

    def get(self, note_id: int) -> NoteAge:
        """Return the age of a note as it was last set."""
        touched_s, file_s, modified_s, created_s, grace_days = (
            float(column.rows[note_id]) for column in self._columns.values()
        )
        pinned = grace_days == _NEVER_DECAYS_DAYS
        return NoteAge(
            touched_s=touched_s,
            file_s=file_s,
            stated_modified_s=None if math.isnan(modified_s) else modified_s,
            stated_created_s=None if math.isnan(created_s) else created_s,
            grace_days=0.0 if pinned else grace_days,
            pinned=pinned,
        )

    def weights(self, now_s: float, note_slots: int) -> Float64Array:
        """Return the weight of every note at ``now_s``; float64 of shape (note_slots,)."""
        if self._cached is None or self._cached[:2] != (now_s, note_slots):
            touched_s = self._rows("touched")[:note_slots]
            grace_days = self._rows("graceDays")[:note_slots]
            age_days = (now_s - touched_s) / SECONDS_A_DAY
            weights = decay_weights(age_days, grace_days, self._function, self._half_life_days)
            self._cached = (now_s, note_slots, weights)
        return self._cached[2]

    def modified_s(self, note_ids: IntegerArray) -> Float64Array:
        """Return when these notes were modified: by their front matter, else their files."""
        stated_s = self._rows("statedModified")[note_ids]
        return np.where(np.isnan(stated_s), self._rows("file")[note_ids], stated_s)

    def created_s(self, note_ids: IntegerArray) -> Float64Array:
        """Return when these notes were created: by their front matter, else when modified."""
        stated_s = self._rows("statedCreated")[note_ids]
        return np.where(np.isnan(stated_s), self.modified_s(note_ids), stated_s)

    def latest_s(
        self, note_ids: IntegerArray, since_s: float = -math.inf, until_s: float = math.inf
    ) -> Float64Array:
        """Return the latest date of each note from ``since_s`` until before ``until_s``.

        It is the latest of the dates in its front matter, or its file's date if it states none;
        ``-inf`` if no such date is within the period.
        """
        created_s = self._rows("statedCreated")[note_ids]
        modified_s = self._rows("statedModified")[note_ids]
        is_stated = ~(np.isnan(created_s) & np.isnan(modified_s))
        file_s = np.where(is_stated, np.nan, self._rows("file")[note_ids])
        dates_s = np.stack([created_s, modified_s, file_s])
        is_within = (dates_s >= since_s) & (dates_s < until_s)  # never for NaN
        latest_s: Float64Array = np.where(is_within, dates_s, -np.inf).max(axis=0)
        return latest_s

    def _rows(self, name: str) -> Float64Array:
        return self._columns[name].rows

    def columns(self) -> Iterator[Column]:
        """Yield the ages as columns, for ``read``."""
        for name, column in self._columns.items():
            yield array_column(name, column.rows)

    @classmethod
    def read(cls, columns: Columns, function: DecayFunction, half_life_days: float) -> "NoteAges":
        """Return the ages that ``columns`` wrote.

        Raises:
            ValueError, LookupError: there are none.
        """
        ages = cls(function, half_life_days)
        ages._columns = {name: GrowableArray.over(columns.array(name, "<f8")) for name in _COLUMNS}
        if len(set(map(len, ages._columns.values()))) != 1:
            raise ValueError("ages of different notes")
        return ages


def _stored(age: NoteAge) -> tuple[float, ...]:
    """Return the values of an age in the order of the columns."""
    modified_s, created_s = age.stated_modified_s, age.stated_created_s
    return (
        age.touched_s,
        age.file_s,
        math.nan if modified_s is None else modified_s,
        math.nan if created_s is None else created_s,
        _NEVER_DECAYS_DAYS if age.pinned else age.grace_days,
    )


def _is_same(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))
