"""Arrays that grow at their end, as lists do."""

import numpy as np
import numpy.typing as npt

from clew.values.arrays import AnyArray

_AT_START = 64


class GrowableArray:
    """Rows of one type; ``rows`` is a view of those in use, to be read and changed in place."""

    def __init__(self, dtype: npt.DTypeLike, width: int | None = None) -> None:
        shape = (_AT_START,) if width is None else (_AT_START, width)
        self._room: AnyArray = np.zeros(shape, dtype)
        self._used = 0

    def __len__(self) -> int:
        return self._used

    @property
    def rows(self) -> AnyArray:
        """The rows in use; a view that the next ``extend`` may leave behind."""
        return self._room[: self._used]

    def extend(self, rows: npt.ArrayLike) -> int:
        """Add rows at the end; return the place of the first."""
        added = np.asarray(rows, dtype=self._room.dtype)
        first, end = self._used, self._used + len(added)
        if end > len(self._room):
            room = np.zeros(
                (max(end, 2 * len(self._room)), *self._room.shape[1:]), self._room.dtype
            )
            room[:first] = self._room[:first]
            self._room = room
        self._room[first:end] = added
        self._used = end
        return first

    def replace(self, rows: npt.ArrayLike) -> None:
        """Hold these rows instead of all there were."""
        self._room = np.array(rows, dtype=self._room.dtype)
        self._used = len(self._room)
