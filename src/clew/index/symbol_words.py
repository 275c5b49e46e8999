"""A table of names (of notes, headings, concepts), searchable by word and by substring.

The words of a name follow from its text alone, so names are only ever added. Callers know which of
them occur at a revision, and how often.
"""

from array import array
from collections.abc import Iterable, Sequence

import numpy as np

from clew.index.structures.growable import GrowableArray
from clew.text.terms import count_words, term_of
from clew.values.arrays import Float64Array, Int32Array, Int64Array

_HYPHENS_TO_SPACES = str.maketrans("-_", "  ")


class NameTable:
    """Distinct names, numbered in the order in which they were added."""

    def __init__(self, stemmer: str) -> None:
        self._stemmer = stemmer
        self._numbers: dict[str, int] = {}  # by name
        self._names: list[str] = []  # the index of a name is its number
        self._folded_names: list[str] = []  # by number, case folded, without line ends
        self._postings: dict[str, array[int]] = {}  # by word: a number for each occurrence
        self._words_by_term: dict[str, list[str]] = {}
        self._lengths = GrowableArray(np.int32)  # in words, by the name's number
        self._joined: tuple[str, Int64Array] | None = None  # cache of ``_joined_names``

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, text: str) -> bool:
        return text in self._numbers

    @property
    def lengths(self) -> Int32Array:
        """The number of words in each name; ``kebab-case`` and ``snake_case`` have two."""
        return self._lengths.rows

    def text(self, number: int) -> str:
        """Return the name with this number."""
        return self._names[number]

    def number(self, text: str) -> int:
        """Return the number of a name that is in the table."""
        return self._numbers[text]

    def add(self, texts: Iterable[str]) -> None:
        """Add those of these names that are not in the table."""
        for text in texts:
            if text not in self._numbers:
                self._add(text)
        self._joined = None

    def _add(self, text: str) -> None:
        number = self._numbers[text] = len(self._names)
        self._names.append(text)
        self._folded_names.append(_folded(text))
        words = count_words(text)
        for word, count in words.items():
            if word not in self._postings:
                self._postings[word] = array("i")
                self._words_by_term.setdefault(term_of(word, self._stemmer), []).append(word)
            self._postings[word].extend([number] * count)
        spaced = text.translate(_HYPHENS_TO_SPACES)
        parts = words if spaced == text else count_words(spaced)
        self._lengths.extend([sum(parts.values())])

    def words_of_term(self, term: str) -> Sequence[str]:
        """Return the words with the stem ``term``, in no order."""
        return self._words_by_term.get(term, ())

    def names_with_any_word(self, words: Iterable[str]) -> tuple[Int32Array, Float64Array]:
        """Return the names with any of ``words``: rising numbers, counts of these words in each."""
        postings = b"".join(self._postings.get(word, b"") for word in words)
        names, counts = np.unique(np.frombuffer(postings, np.intc), return_counts=True)
        return names.astype(np.int32), counts.astype(np.float64)

    def names_containing(self, part: str) -> Int32Array:
        """Return the numbers of the names that contain ``part`` in any case, rising."""
        part = _folded(part)
        if not part or not self._names:
            return np.zeros(0, np.int32)
        joined, starts = self._joined_names()
        positions = []
        position = joined.find(part)
        while position >= 0:
            positions.append(position)
            position = joined.find(part, joined.find("\n", position))
        numbers = np.searchsorted(starts, np.array(positions, np.int64), side="right") - 1
        return numbers.astype(np.int32)

    def _joined_names(self) -> tuple[str, Int64Array]:
        """Return all folded names, each with a line end, in one string, and their starts."""
        if self._joined is None:
            lengths = np.fromiter(map(len, self._folded_names), np.int64, len(self._folded_names))
            starts = np.cumsum(lengths + 1) - lengths - 1
            self._joined = "\n".join([*self._folded_names, ""]), starts
        return self._joined


def _folded(text: str) -> str:
    return text.casefold().replace("\n", " ")
