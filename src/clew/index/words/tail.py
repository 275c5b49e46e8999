"""The tail of the keyword index: the postings that were added since the last compaction.

They stay in the order in which they came. An order by word, made anew once the tail has grown by a
share, finds most of a word's postings by binary search; only the postings added since then are
scanned. While a vault is indexed for the first time, the tail may have millions of postings, of
which the first are in order.
"""

from collections.abc import Sequence

import numpy as np

from clew.index.structures.growable import GrowableArray
from clew.index.structures.id_sums import are_among
from clew.index.structures.row_pool import positions_of_runs
from clew.values.arrays import AnyArray, BoolArray, Int32Array, Int64Array, Uint16Array

FEW_WORDS = 16  # up to so many are compared with the postings to scan one by one
SCANNED_MIN = 8_192  # postings: so many take a few microseconds to scan for one word
SCANNED_SHARE = 1 / 8  # of those in order: a share, so that a long tail is not sorted often
IN_ORDER_MAX = 1 << 18  # postings in order, so that few are sorted at once

_NONE = np.zeros(0, np.int32)


class Tail:
    """Postings in the order in which they came: word ids, slots and counts."""

    def __init__(self) -> None:
        self._columns = tuple(GrowableArray(dtype) for dtype in (np.int32, np.int32, np.uint16))
        # The first postings by word, then by position: never changed, so copies share them.
        self._sorted_words: Int32Array = _NONE
        self._positions: Int32Array = _NONE

    def __len__(self) -> int:
        return len(self._columns[0])

    def copy(self) -> "Tail":
        """Return an equal tail, in constant time; later changes do not reach it."""
        other = Tail()
        other._columns = tuple(column.copy() for column in self._columns)
        other._sorted_words, other._positions = self._sorted_words, self._positions
        return other

    @property
    def columns(self) -> tuple[Int32Array, Int32Array, Uint16Array]:
        """The word ids, slots and counts, all of one length."""
        words, slots, counts = self._columns
        return words.rows, slots.rows, counts.rows

    def extend(self, words: AnyArray, slots: AnyArray, counts: AnyArray) -> None:
        """Add postings, with slots above all before."""
        for column, rows in zip(self._columns, (words, slots, counts), strict=True):
            column.extend(rows)
        in_order, sorted_max = len(self._positions), min(len(self), IN_ORDER_MAX)
        if sorted_max - in_order > max(SCANNED_MIN, SCANNED_SHARE * in_order):
            self._sort(sorted_max)

    def clear(self) -> None:
        """Drop all postings."""
        for column in self._columns:
            column.replace(())
        self._sorted_words = self._positions = _NONE

    def _sort(self, count: int) -> None:
        """Put the first ``count`` postings in order."""
        in_order = len(self._positions)
        words = np.concatenate([self._sorted_words, self._columns[0].rows[in_order:count]])
        later = np.arange(in_order, len(words), dtype=np.int32)
        order = words.argsort(kind="stable")  # merges the run that is in order
        self._sorted_words = words.take(order)
        self._positions = np.concatenate([self._positions, later]).take(order)

    def positions_of(self, words: Sequence[int] | Int64Array) -> Int64Array:
        """Return the positions of the postings of these distinct words, given by id, rising."""
        if not len(self):
            return np.zeros(0, np.int64)
        wanted = np.array(words, np.int32)
        starts = self._sorted_words.searchsorted(wanted, "left")
        ends = self._sorted_words.searchsorted(wanted, "right")
        found = self._positions.take(positions_of_runs(starts, ends - starts))
        in_order = len(self._positions)
        later = _is_any(self._columns[0].rows[in_order:], wanted).nonzero()[0] + in_order
        if len(wanted) > 1:
            found.sort()
        return np.concatenate([found, later])


def _is_any(words: Int32Array, wanted: Int32Array) -> BoolArray:
    """Return which of ``words`` are among ``wanted``."""
    if len(wanted) > FEW_WORDS:
        return are_among(words, wanted)
    is_any = np.zeros(len(words), np.bool_)
    for word in wanted:
        is_any |= words == word
    return is_any
