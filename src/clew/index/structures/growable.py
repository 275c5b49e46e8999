"""Numpy arrays that grow at their end, as lists do."""

import numpy as np
import numpy.typing as npt

from clew.values.arrays import AnyArray

_CAPACITY_MIN = 64


class GrowableArray:
    """Rows of one type. ``rows`` is a view of them, which may be read and changed in place."""

    def __init__(self, dtype: npt.DTypeLike, width: int | None = None) -> None:
        shape = (_CAPACITY_MIN,) if width is None else (_CAPACITY_MIN, width)
        self._buffer: AnyArray = np.zeros(shape, dtype)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    @property
    def rows(self) -> AnyArray:
        """A view of the rows, valid until the next ``extend`` or ``replace``."""
        return self._buffer[: self._length]

    def extend(self, rows: npt.ArrayLike) -> int:
        """Append rows; return the index of the first."""
        added = np.asarray(rows, dtype=self._buffer.dtype)
        first, end = self._length, self._length + len(added)
        if end > len(self._buffer):
            capacity = max(end, 2 * len(self._buffer))
            buffer = np.zeros((capacity, *self._buffer.shape[1:]), self._buffer.dtype)
            buffer[:first] = self._buffer[:first]
            self._buffer = buffer
        self._buffer[first:end] = added
        self._length = end
        return first

    def replace(self, rows: npt.ArrayLike) -> None:
        """Replace all rows by a copy of these."""
        self._buffer = np.array(rows, dtype=self._buffer.dtype)
        self._length = len(self._buffer)
