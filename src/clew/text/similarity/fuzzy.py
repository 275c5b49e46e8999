"""Compare a misspelt word with the words of the vault: by length and letters, then by edits.

An edit changes the length of a word and the set of its letters only a little. So two vectorized
comparisons, of lengths and of letter sets, exclude nearly all words. rapidfuzz computes the edit
distance of the others. Words are compared as they are: callers fold their case.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from clew.values.arrays import Int64Array, Uint8Array, Uint64Array

LETTERS_MIN = 3  # a word with fewer letters is not corrected
LETTERS_MAX = 64  # a longer word is not corrected either
SHORT_LETTERS_MAX = 5
CORRECTIONS_MAX = 32  # distinct words of a query to try to correct

_BITS = np.uint64(1) << np.arange(64, dtype=np.uint64)
_LOW = 63  # mask: a letter's bit in the set is given by the low six bits of its code point
_LENGTH_MAX = 255  # of a longer word, this is kept as its length


@dataclass(frozen=True, slots=True)
class Correction:
    """A word of the query and the word of the vault that replaces it."""

    word: str
    corrected: str
    distance: int  # number of edits between the two words: 1 or 2
    stems: tuple[str, str] | None = None  # of both words, if one edit lies between these, not two


def corrigible_words(words: Iterable[str]) -> list[str]:
    """Return the ``words`` to correct, each once: up to ``CORRECTIONS_MAX``.

    Words with fewer than 3 letters (digits do not count) and words over 64 characters are not
    corrected.
    """
    return list(islice(dict.fromkeys(filter(is_corrigible, words)), CORRECTIONS_MAX))


def is_corrigible(word: str) -> bool:
    """Return whether a word is corrected: it has letters enough, and not too many characters."""
    return len(word) <= LETTERS_MAX and sum(not c.isdecimal() for c in word) >= LETTERS_MIN


def edits_allowed(word: str) -> int:
    """Return how many edits may lie between a misspelt word and its correction."""
    return 1 if len(word) <= SHORT_LETTERS_MAX else 2


def edit_distances(word: str, others: Sequence[str]) -> list[tuple[int, int]]:
    """Return which of ``others`` are within ``edits_allowed`` of ``word``: indexes, distances.

    An edit inserts, deletes or replaces a character or swaps two neighbours, and no substring is
    edited twice (optimal string alignment).

    Source: Damerau, "A technique for computer detection and correction of spelling errors", CACM
    1964, for the edits.
    """
    cutoff = edits_allowed(word)
    hits = extract(word, others, scorer=OSA.distance, score_cutoff=cutoff, limit=None)
    return [(index, int(distance)) for _, distance, index in hits]


def edits_between(word: str, other: str) -> int:
    """Return the number of edits between two words, as ``edit_distances`` counts them."""
    return int(OSA.distance(word, other))


def shapes_of(words: Sequence[str]) -> tuple[Uint8Array, Uint64Array]:
    """Return the length of each word, in characters, and the bit set of its letters."""
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    # Every set contains the line break too, so that no run of codes is empty.
    joined = "\n".join([*words, ""])
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), "<u4")
    starts = np.cumsum(lengths + 1) - (lengths + 1)
    letters = np.bitwise_or.reduceat(_BITS[codes & _LOW], starts) if len(words) else _BITS[:0]
    return np.minimum(lengths, _LENGTH_MAX).astype(np.uint8), letters


def rows_near(word: str, lengths: Uint8Array, letters: Uint64Array) -> Int64Array:
    """Return the rows of all words within ``edits_allowed`` of ``word``, and of a few others.

    ``lengths`` and ``letters`` are the shapes of these words; ``word`` has 64 characters at most.
    An inserted character adds one letter to the set at most, and a deleted one removes one; a
    replaced one may do both.
    """
    edits, letters_of_word = edits_allowed(word), shapes_of([word])[1]
    is_of_length = lengths >= max(0, len(word) - edits)
    is_of_length &= lengths <= len(word) + edits
    rows = np.flatnonzero(is_of_length)
    sets, longer = letters[rows], lengths[rows].astype(np.int64) - len(word)
    removed = np.bitwise_count(letters_of_word & ~sets) + np.maximum(longer, 0)
    added = np.bitwise_count(sets & ~letters_of_word) + np.maximum(-longer, 0)
    near: Int64Array = rows[np.maximum(removed, added) <= edits]
    return near
