"""Which names may be meant by another: they share a word, or nearly all letters, or an acronym.

Trigrams alone, which are quick to compare, find "caching" near "machine learning".
"""

import re
from collections.abc import Sequence

from clew.text.similarity.fuzzy import edit_distances
from clew.text.similarity.names import CHARACTERS_MAX, folded
from clew.text.stopwords import STOP_WORDS

NEAR_MIN = 0.5  # Dice's coefficient of names that are near whatever their words are
ACRONYM_LETTERS_MAX = 6
_PART_LETTERS_MIN = 3  # of a word that another one holds, as "clockdrift" holds "clock"
_WORDS = re.compile(r"[^\W_]+")


def words_of(name: str) -> list[str]:
    """Return the words of a name without the punctuation around them."""
    return _WORDS.findall(name)


def words_to_share(name: str) -> list[str]:
    """Return the words of a name that another name may share, without case and accents."""
    words = words_of(folded(name[:CHARACTERS_MAX]))
    return [word for word in words if len(word) >= _PART_LETTERS_MIN and word not in STOP_WORDS]


def is_near(words: Sequence[str], other: str, similarity: float) -> bool:
    """Return whether ``other`` may be meant by a name.

    ``words`` are its ``words_to_share``, and ``similarity`` is that of the trigrams of both.
    """
    return similarity >= NEAR_MIN or any(
        word in another or another in word or _is_an_edit_apart(word, another)
        for another in words_to_share(other)
        for word in words
    )


def _is_an_edit_apart(word: str, other: str) -> bool:
    return any(distance <= 1 for _, distance in edit_distances(word, [other]))


def acronyms_of(name: str) -> set[str]:
    """Return what the first letters of a normalized name spell, with and without stop words."""
    words = name.split("-")
    without = [word for word in words if word not in STOP_WORDS]
    spelled = {"".join(word[:1] for word in each) for each in (words, without)}
    return set(filter(is_acronym, spelled))


def is_acronym(name: str) -> bool:
    """Return whether a name may be an acronym: a few letters."""
    return 2 <= len(name) <= ACRONYM_LETTERS_MAX and name.isalpha()
