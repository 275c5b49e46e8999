"""Note dates as arrays by note id, and the weights of all notes at one moment."""

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cached_property
from hashlib import blake2b
from typing import Literal

import numpy as np
from msgspec import Struct

from clew.index.formulas.decay import SECONDS_A_DAY, DecayFunction, decay_weights
from clew.index.formulas.note_dates import Bounds, DateSource, NoteDates
from clew.index.structures.columns import Column, Columns, array_column
from clew.index.structures.growable import GrowableArray
from clew.values.arrays import BoolArray, Float64Array, Int64Array, IntegerArray

_NEVER_DECAYS_DAYS = math.inf
_COLUMNS = {
    "touched": "<f8",
    "created": "<f8",
    "createdFrom": "u1",
    "changed": "<f8",
    "changedFrom": "u1",
    "spanDays": "<u2",
    "graceDays": "<f8",
}
_SOURCES = tuple(DateSource)
_NAME = _SOURCES.index(DateSource.NAME)
_FILE = _SOURCES.index(DateSource.FILE)
_FRONTMATTER = _SOURCES.index(DateSource.FRONTMATTER)


class NoteAge(Struct, frozen=True, array_like=True, gc=False):
    """The dates and decay tier of one note; times are POSIX seconds."""

    touched_s: float  # the latest of the times read, changed and created
    dates: NoteDates
    grace_days: float
    pinned: bool


class _Weights:
    """The weights of all notes at one moment."""

    def __init__(self, now_s: float, by_note_id: Float64Array) -> None:
        self.now_s, self.by_note_id = now_s, by_note_id

    @cached_property
    def digest(self) -> bytes:
        """A digest of all weights; of 100,000 notes it takes half a millisecond."""
        return blake2b(self.by_note_id.tobytes(), digest_size=16).digest()


class NoteAges:
    """The ages of all notes, and a cache of their weights at the last moment asked for."""

    def __init__(self, function: DecayFunction, half_life_days: float) -> None:
        self._function = function
        self._half_life_days = half_life_days
        self._columns = {name: GrowableArray(dtype) for name, dtype in _COLUMNS.items()}
        self._cached: _Weights | None = None

    def copy(self) -> "NoteAges":
        """Return the same ages, in constant time; later changes do not reach it."""
        other = NoteAges(self._function, self._half_life_days)
        other._columns = {name: column.copy() for name, column in self._columns.items()}
        other._cached = self._cached
        return other

    def put(self, ages: Mapping[int, NoteAge]) -> None:
        """Set the ages of notes, by id; new notes have the ids after the last."""
        note_ids = sorted(ages)
        old_count = bisect_left(note_ids, len(self._columns["touched"]))
        old_ids = np.array(note_ids[:old_count], np.int64)
        rows = zip(*(_stored(ages[note_id]) for note_id in note_ids), strict=True)
        for column, values in zip(self._columns.values(), rows, strict=bool(ages)):
            # ``set`` may copy the column, and most edits change only the date of the file.
            if np.any(column.rows[old_ids] != values[:old_count]):
                column.set(old_ids, values[:old_count])
            if old_count < len(values):
                column.extend(values[old_count:])
        self._cached = None

    def keep(self, note_ids: Int64Array) -> None:
        """Keep the ages of these notes only, and give the notes new ids in this order."""
        for column in self._columns.values():
            column.replace(column.rows[note_ids])
        self._cached = None

    def get(self, note_id: int) -> NoteAge:
        """Return the age of a note as it was last set."""
        touched_s, *dates, span_days, grace_days = (
            column.rows[note_id].item() for column in self._columns.values()
        )
        created_s, created_from, changed_s, changed_from = dates
        pinned = grace_days == _NEVER_DECAYS_DAYS
        return NoteAge(
            touched_s=touched_s,
            dates=NoteDates(
                created_s, _SOURCES[created_from], changed_s, _SOURCES[changed_from], span_days
            ),
            grace_days=0.0 if pinned else grace_days,
            pinned=pinned,
        )

    def weights(self, now_s: float, note_slots: int) -> Float64Array:
        """Return the weight of every note at ``now_s``; float64 of shape (note_slots,)."""
        return self._weights_at(now_s, note_slots).by_note_id

    def weights_digest(self, now_s: float, note_slots: int) -> bytes:
        """Return a digest of the ``weights``, which is the same for the same weights."""
        return self._weights_at(now_s, note_slots).digest

    def _weights_at(self, now_s: float, note_slots: int) -> _Weights:
        cached = self._cached
        if cached is None or (cached.now_s, len(cached.by_note_id)) != (now_s, note_slots):
            cached = self._cached = _Weights(now_s, self._weights(slice(note_slots), now_s))
        return cached

    def weight(self, note_id: int, now_s: float) -> float:
        """Return the weight of one note at ``now_s``."""
        return float(self._weights(slice(note_id, note_id + 1), now_s)[0])

    def _weights(self, note_ids: slice, now_s: float) -> Float64Array:
        age_days = (now_s - self._rows("touched")[note_ids]) / SECONDS_A_DAY
        grace_days = self._rows("graceDays")[note_ids]
        return decay_weights(age_days, grace_days, self._function, self._half_life_days)

    def changed_s(self, note_ids: IntegerArray) -> Float64Array:
        """Return when these notes were last changed."""
        return self._rows("changed")[note_ids]

    def created_s(self, note_ids: IntegerArray) -> Float64Array:
        """Return when these notes were created."""
        return self._rows("created")[note_ids]

    def written_s(self, note_ids: IntegerArray) -> Float64Array:
        """Return when notes were created, if a name or front matter says so, else last changed.

        So a later edit does not make the note of an old meeting the latest one.
        """
        is_stated = np.isin(self._rows("createdFrom")[note_ids], [_NAME, _FRONTMATTER])
        return np.where(is_stated, self.created_s(note_ids), self.changed_s(note_ids))

    def latest_s(self, note_ids: IntegerArray, bounds: Bounds) -> Float64Array:
        """Return the latest date of each note within ``bounds``, ``-inf`` for a note without one.

        Days named in a file name are within if at least half a day of them is, by the bounds for
        dates without a time, so that the result is the same in every time zone.
        """
        created_s, changed_s = self.created_s(note_ids), self.changed_s(note_ids)
        span_s = self._rows("spanDays")[note_ids] * SECONDS_A_DAY
        begins_before = created_s + SECONDS_A_DAY / 2 < bounds.until_day_s
        ends_after = created_s + span_s - SECONDS_A_DAY / 2 >= bounds.since_day_s
        is_created = np.where(
            span_s > 0, begins_before & ends_after, self.are_within(note_ids, "created", bounds)
        )
        is_changed = self.are_within(note_ids, "changed", bounds)
        is_changed &= self._rows("changedFrom")[note_ids] != _NAME  # it is the same as created
        latest_s: Float64Array = np.maximum(
            np.where(is_created, np.maximum(created_s, bounds.since_s), -np.inf),
            np.where(is_changed, np.maximum(changed_s, bounds.since_s), -np.inf),
        )
        return latest_s

    def are_named_for(self, note_ids: IntegerArray, since_s: float, days: int) -> BoolArray:
        """Return which notes have a name that names just these days; ``since_s``: as in UTC."""
        is_so_long = self._rows("spanDays")[note_ids] == days
        is_named: BoolArray = is_so_long & (self.created_s(note_ids) == since_s)
        return is_named

    def are_within(
        self, note_ids: IntegerArray, by: Literal["created", "changed"], bounds: Bounds
    ) -> BoolArray:
        """Return which notes were created, or changed, within ``bounds``."""
        at_s, source = self._rows(by)[note_ids], self._rows(f"{by}From")[note_ids]
        is_day = (source == _NAME) | ((source == _FRONTMATTER) & (at_s % SECONDS_A_DAY == 0))
        are_within: BoolArray = np.where(
            is_day,
            (at_s >= bounds.since_day_s) & (at_s < bounds.until_day_s),
            (at_s >= bounds.since_s) & (at_s < bounds.until_s),
        )
        return are_within

    def file_times_s(self, note_ids: IntegerArray) -> Float64Array:
        """Return the file times of the notes that have no other date, without the other notes."""
        has_none = self._rows("changedFrom")[note_ids] == _FILE
        has_none &= self._rows("createdFrom")[note_ids] == _FILE
        return self.changed_s(note_ids[has_none])

    def _rows(self, name: str) -> Float64Array:
        rows: Float64Array = self._columns[name].rows
        return rows

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
        ages._columns = {
            name: GrowableArray.over(columns.array(name, dtype)) for name, dtype in _COLUMNS.items()
        }
        if len(set(map(len, ages._columns.values()))) != 1:
            raise ValueError("ages of different notes")
        return ages


def _stored(age: NoteAge) -> tuple[float, ...]:
    """Return the values of an age in the order of the columns."""
    dates = age.dates
    return (
        age.touched_s,
        dates.created_s,
        _SOURCES.index(dates.created_from),
        dates.changed_s,
        _SOURCES.index(dates.changed_from),
        dates.span_days,
        _NEVER_DECAYS_DAYS if age.pinned else age.grace_days,
    )
