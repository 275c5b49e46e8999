"""Merge the tail of the keyword index into its sorted postings, a portion of the words at a time.

The slots of the tail are higher than all sorted slots, so a word's postings in the tail come after
its sorted ones.
"""

from collections.abc import Iterator

import numpy as np

from clew.index.words.sorted_postings import sorted_postings
from clew.values.arrays import AnyArray, Int32Array, Int64Array, Uint16Array

PORTION_POSTINGS = 250_000  # most postings merged at a time, unless one word has more


class TailMerge:
    """The places of a tail's postings among the sorted ones.

    ``starts``: where the sorted postings of each word begin, of ``sorted_count`` in all. ``tail``:
    word ids, slots and counts.
    """

    def __init__(
        self,
        starts: Int64Array,
        sorted_count: int,
        tail: tuple[Int32Array, Int32Array, Uint16Array],
        word_count: int,
    ) -> None:
        self._tail_before, self.tail_slots, self.tail_counts = sorted_postings(*tail, word_count)
        self._before = np.full(word_count + 1, sorted_count)  # sorted postings before each word
        self._before[: len(starts)] = starts
        self.starts = self._before + self._tail_before

    def merged(self, column: AnyArray, tail: AnyArray) -> Iterator[memoryview]:
        """Yield one column of all postings; ``tail``: the same column of the tail's, sorted."""
        word, word_count = 0, len(self.starts) - 1
        while word < word_count:
            bound = self.starts[word] + PORTION_POSTINGS
            end = max(word + 1, int(np.searchsorted(self.starts, bound, "right")) - 1)
            first, last = int(self._before[word]), int(self._before[end])
            in_tail = slice(int(self._tail_before[word]), int(self._tail_before[end]))
            # Insert the tail's postings of each word after its sorted ones.
            ends = self._before[word + 1 : end + 1] - first
            places = np.repeat(ends, np.diff(self._tail_before[word : end + 1]))
            portion = np.insert(column[first:last], places, tail[in_tail])
            if portion.size:
                yield portion.data.cast("B")
            word = end
