"""Names by the words in them: short texts, each once, found by word or by any part.

A name's words follow from its text alone, so names are only ever added; which of them count at a
revision, and how often, is for whoever asks to know.
"""

from array import array
from collections.abc import Iterable, Sequence

import numpy as np

from clew.index.growable import GrowableArray
from clew.text.terms import count_words, term_of
from clew.values.arrays import Float64Array, Int32Array, Int64Array

_APART = str.maketrans("-_", "  ")


class NameTable:
    """Names by number, with the words they hold.

    A name is as long as it has words, those of ``kebab-case`` and ``snake_case`` one by one.
    """

    def __init__(self, stemmer: str) -> None:
        self._stemmer = stemmer
        self._numbers: dict[str, int] = {}
        self._texts: list[str] = []
        self._words: dict[str, array[int]] = {}  # word -> names, each as often as it has the word
        self._of_term: dict[str, list[str]] = {}
        self._lengths = GrowableArray(np.int32)
        self._folded: list[str] = []
        self._joined: tuple[str, Int64Array] | None = None  # all folded, their starts

    def __len__(self) -> int:
        return len(self._texts)

    def __contains__(self, text: str) -> bool:
        return text in self._numbers

    @property
    def lengths(self) -> Int32Array:
        """How many words each name has."""
        return self._lengths.rows

    def text(self, number: int) -> str:
        """Return the name with this number."""
        return self._texts[number]

    def number(self, text: str) -> int:
        """Return the number of a name that is known."""
        return self._numbers[text]

    def add(self, texts: Iterable[str]) -> None:
        """Add names that are not known yet."""
        lengths = []
        for text in texts:
            number = self._numbers.setdefault(text, len(self._texts))
            if number < len(self._texts):
                continue
            words = count_words(text)
            for word, count in words.items():
                names = self._words.get(word)
                if names is None:
                    names = self._words[word] = array("i")
                    self._of_term.setdefault(term_of(word, self._stemmer), []).append(word)
                names.extend([number] * count)
            self._texts.append(text)
            self._folded.append(_folded(text))
            apart = text.translate(_APART)
            lengths.append(sum((words if apart == text else count_words(apart)).values()))
        self._lengths.extend(lengths)
        self._joined = None

    def words_of_term(self, term: str) -> Sequence[str]:
        """Return the words that stand for ``term``, in no order."""
        return self._of_term.get(term, ())

    def names_with_any_word(self, words: Iterable[str]) -> tuple[Int32Array, Float64Array]:
        """Return the names that hold any of ``words``, by rising number, and how often they do."""
        cells = b"".join(self._words.get(word, b"") for word in words)
        names, counts = np.unique(np.frombuffer(cells, np.intc), return_counts=True)
        return names.astype(np.int32), counts.astype(np.float64)

    def names_containing(self, part: str) -> Int32Array:
        """Return the names that contain ``part``, whatever their case, by rising number."""
        part = _folded(part)
        if not part or not self._texts:
            return np.zeros(0, np.int32)
        if self._joined is None:
            lengths = np.fromiter(map(len, self._folded), np.int64, len(self._folded))
            self._joined = "\n".join([*self._folded, ""]), np.cumsum(lengths + 1) - lengths - 1
        joined, starts = self._joined
        found = []
        at = joined.find(part)
        while at >= 0:
            found.append(at)
            at = joined.find(part, joined.find("\n", at))
        places = np.searchsorted(starts, np.array(found, np.int64), side="right") - 1
        return places.astype(np.int32)


def _folded(text: str) -> str:
    return text.casefold().replace("\n", " ")
