"""Numpy arrays that grow at their end, as lists do, and are copied in constant time."""

import numpy as np
import numpy.typing as npt

from clew.values.arrays import AnyArray, BoolArray, IntegerArray

_CAPACITY_MIN = 64


class GrowableArray:
    """Rows of one type. A copy shares the buffer until one of both is changed in place."""

    def __init__(self, dtype: npt.DTypeLike, width: int | None = None) -> None:
        shape = (_CAPACITY_MIN,) if width is None else (_CAPACITY_MIN, width)
        self._buffer: AnyArray = np.zeros(shape, dtype)
        self._length = 0
        self._is_shared = False  # whether a copy reads the buffer too
        self._may_extend = True  # whether only this object uses the free end
        self._cached_view: AnyArray | None = None  # the latest ``rows``, while valid

    @classmethod
    def over(cls, rows: AnyArray) -> "GrowableArray":
        """Return an array that reads ``rows`` in place, and copies them before its first change."""
        array = cls(rows.dtype)
        array._buffer, array._length = rows, len(rows)
        array._is_shared, array._may_extend = True, False
        return array

    def __len__(self) -> int:
        return self._length

    def copy(self) -> "GrowableArray":
        """Return an array with the same rows; later changes of either do not reach the other."""
        other = GrowableArray(self._buffer.dtype)
        other._buffer, other._length = self._buffer, self._length
        other._is_shared, other._may_extend = True, False
        self._is_shared = True
        return other

    @property
    def rows(self) -> AnyArray:
        """A read-only view of the rows; it may not show later changes."""
        if self._cached_view is None:
            self._cached_view = self._buffer[: self._length]
            self._cached_view.flags.writeable = False
        return self._cached_view

    def append(self, value: bool | float) -> int:
        """Append one row of one value; return its index."""
        first = self._add_rows(1)
        self._buffer[first] = value
        return first

    def extend(self, rows: npt.ArrayLike) -> int:
        """Append rows; return the index of the first."""
        added = np.asarray(rows, dtype=self._buffer.dtype)
        first = self._add_rows(len(added))
        self._buffer[first : self._length] = added
        return first

    def grow(self, length: int, value: bool | float = 0) -> None:
        """Append rows of one value until there are ``length``, if there are fewer."""
        if length > self._length:
            first = self._add_rows(length - self._length)
            self._buffer[first:length] = value

    def _add_rows(self, count: int) -> int:
        """Add ``count`` rows, whose values the caller must set; return the index of the first."""
        first, end = self._length, self._length + count
        if end > len(self._buffer) or not self._may_extend:
            # Copies do not see the rows after their end, so otherwise the buffer stays shared.
            self._reserve(max(end, first + first // 2, _CAPACITY_MIN))
        self._length, self._cached_view = end, None
        return first

    def set(self, index: int | slice | IntegerArray | BoolArray, rows: npt.ArrayLike) -> None:
        """Set the rows at ``index``, any index of numpy within the length."""
        if self._is_shared:
            self._reserve(len(self._buffer))
        self._buffer[: self._length][index] = rows

    def fill(self, index: slice, rows: npt.ArrayLike) -> None:
        """Set rows for the first time, in place: copies with these rows may see the new values."""
        if not self._buffer.flags.writeable:
            self._reserve(len(self._buffer))
        self._buffer[: self._length][index] = rows

    def _reserve(self, capacity: int) -> None:
        buffer = np.zeros((capacity, *self._buffer.shape[1:]), self._buffer.dtype)
        buffer[: self._length] = self._buffer[: self._length]
        self._buffer, self._cached_view = buffer, None
        self._is_shared, self._may_extend = False, True

    def replace(self, rows: npt.ArrayLike) -> None:
        """Replace all rows by a copy of these."""
        self._buffer = np.array(rows, dtype=self._buffer.dtype)
        self._length, self._cached_view = len(self._buffer), None
        self._is_shared, self._may_extend = False, True
