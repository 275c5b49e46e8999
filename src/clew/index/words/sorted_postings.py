"""Sorting the postings of the keyword index by word, then slot."""

import numpy as np

from clew.values.arrays import Int32Array, Int64Array, IntegerArray, Uint16Array, Uint64Array

# A posting is packed into 64 bits: word, slot, count.
_COUNT_BITS, _SLOT_BITS, _WORD_BITS = 12, 28, 24
COUNT_MAX = (1 << _COUNT_BITS) - 1  # Larger counts are stored as this; scores saturate far below.
SLOTS_MAX = (1 << _SLOT_BITS) - 1
WORDS_MAX = (1 << _WORD_BITS) - 1


def sorted_postings(
    words: IntegerArray, slots: IntegerArray, counts: Uint16Array, word_count: int
) -> tuple[Int64Array, Int32Array, Uint16Array]:
    """Return postings sorted by word, then slot: where each word starts, slots, counts.

    A posting is packed into one 64-bit number: one sort of these is many times faster than a sort
    by several keys. No other 64-bit array by posting is kept meanwhile, since there are millions.
    """
    starts = np.zeros(word_count + 1, np.int64)
    np.cumsum(np.bincount(words, minlength=word_count), out=starts[1:])
    packed: Uint64Array = words.astype(np.uint64)
    packed <<= np.uint64(_SLOT_BITS)
    packed |= slots.astype(np.uint64)
    packed <<= np.uint64(_COUNT_BITS)
    packed |= counts
    packed.sort()
    sorted_counts = (packed & np.uint64(COUNT_MAX)).astype(np.uint16)
    packed >>= np.uint64(_COUNT_BITS)
    packed &= np.uint64(SLOTS_MAX)
    return starts, packed.astype(np.int32), sorted_counts
