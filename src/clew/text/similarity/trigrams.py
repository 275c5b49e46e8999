"""Similarity of words by the trigrams that they share (Dice coefficient).

It finds words that are spelt too differently for a correction: ``thermometry``, ``thermometers``.
Words that begin with different letters are not similar: ``harmonization`` shares most trigrams with
``ionization``.

Source: Dice, "Measures of the amount of ecologic association between species", Ecology 1945.
"""

import math
from collections.abc import Sequence

import numpy as np

from clew.text.similarity.fuzzy import shapes_of
from clew.values.arrays import Int64Array, Uint8Array, Uint64Array

LETTERS_MIN = 6  # a shorter word has too few trigrams to be compared
LETTERS_MAX = 64  # a longer word is not compared
DICE_MIN = 0.6  # of two similar words


def trigrams(word: str) -> frozenset[str]:
    """Return the distinct runs of three characters of ``word``."""
    return frozenset(word[at : at + 3] for at in range(len(word) - 2))


def dice(left: frozenset[str], right: frozenset[str]) -> float:
    """Return twice the number of shared members by the number of all, 0..1."""
    total = len(left) + len(right)
    return 2 * len(left & right) / total if total else 0.0


def similarities(word: str, others: Sequence[str]) -> list[tuple[int, float]]:
    """Return which of ``others`` are similar to ``word``: indexes, and the ``dice`` of each."""
    trigrams_of_word = trigrams(word)
    scores = (
        (index, dice(trigrams_of_word, trigrams(other)))
        for index, other in enumerate(others)
        if other[:1] == word[:1]
    )
    return [(index, score) for index, score in scores if score >= DICE_MIN]


def rows_similar(word: str, lengths: Uint8Array, letters: Uint64Array) -> Int64Array:
    """Return the rows of all words that may have a ``dice`` of ``DICE_MIN`` with ``word``.

    ``lengths`` and ``letters`` are the shapes of these words (``fuzzy.shapes_of``). Each letter
    that only one of the words has takes a trigram of that word from those in common, at least. Of
    words that have a trigram twice, some may be missing.
    """
    count = len(word) - 2
    shortest = math.ceil(count * DICE_MIN / (2 - DICE_MIN)) + 2
    longest = math.floor(count * (2 - DICE_MIN) / DICE_MIN) + 2
    rows = np.flatnonzero((lengths >= shortest) & (lengths <= longest))
    counts, sets = lengths[rows].astype(np.int64) - 2, letters[rows]
    shared = np.ceil(DICE_MIN * (count + counts) / 2)
    letters_of_word = shapes_of([word])[1]
    missing = np.bitwise_count(letters_of_word & ~sets)
    added = np.bitwise_count(sets & ~letters_of_word)
    similar: Int64Array = rows[(missing <= count - shared) & (added <= counts - shared)]
    return similar
