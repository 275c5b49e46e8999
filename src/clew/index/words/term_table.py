"""The stem of each word in one language, and the words of each stem.

Words have the ids of the keyword index that the table belongs to.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from clew.index.structures.columns import Column, Columns, array_column, named
from clew.index.structures.growable import GrowableArray
from clew.index.structures.string_table import StringIds, StringTable
from clew.text.terms import term_of


class TermTable:
    """Stems of words 0, 1, 2 ... by one stemmer."""

    def __init__(self, stemmer: str) -> None:
        self.stemmer = stemmer
        # These only grow, so copies share them; a copy ignores word ids beyond its own.
        self._terms = StringIds()
        # A linked list of the unstored words of each term: its last word, and for each word the
        # previous one with the same term. Most terms have one word, so Python lists would take far
        # more memory.
        self._last_word_by_term: dict[int, int] = {}
        self._word_before: dict[int, int] = {}
        # Term ``t`` has the stored words from ``_term_starts[t]`` to ``_term_starts[t + 1]``.
        self._words_by_term = np.zeros(0, np.int32)
        self._term_starts = np.zeros(1, np.int64)
        self._term_id_by_word = GrowableArray(np.int32)

    def __len__(self) -> int:
        return len(self._term_id_by_word)

    def copy(self) -> "TermTable":
        """Return an equal table, in constant time; later changes do not reach it."""
        other = TermTable(self.stemmer)
        other._terms, other._word_before = self._terms, self._word_before
        other._last_word_by_term = self._last_word_by_term
        other._words_by_term, other._term_starts = self._words_by_term, self._term_starts
        other._term_id_by_word = self._term_id_by_word.copy()
        return other

    def ids_of(self, stem: str) -> list[int]:
        """Return the ids of the words with this stem, rising."""
        term_id = self._terms.get(stem)
        if term_id is None:
            return []
        ids: list[int] = []
        if term_id < len(self._term_starts) - 1:
            start, end = self._term_starts[term_id : term_id + 2].tolist()
            ids = self._words_by_term[start:end].tolist()
        if term_id not in self._last_word_by_term:
            return ids
        later = [word for word in self._later_words(term_id) if word < len(self)]
        return ids + later[::-1]

    def _later_words(self, term_id: int) -> Iterator[int]:
        """Yield the unstored words of a term, last first."""
        word = self._last_word_by_term.get(term_id)
        while word is not None:
            yield word
            word = self._word_before.get(word)

    def add(self, words: Iterable[str]) -> None:
        """Add words; they get the next ids."""
        self._add_stems(map(self._stem, words))

    def _stem(self, word: str) -> str:
        stem = term_of(word, self.stemmer)
        return word if stem == word else stem  # if equal, keep only one string in memory

    def _add_stems(self, stems: Iterable[str]) -> None:
        first = len(self)
        term_ids = self._terms.add_all(stems)
        self._term_id_by_word.extend(term_ids)
        for word_id, term_id in enumerate(term_ids, first):
            before = self._last_word_by_term.get(term_id)
            if before is not None:
                self._word_before[word_id] = before
            self._last_word_by_term[term_id] = word_id

    def kept(self, word_ids: list[int]) -> "TermTable":
        """Return a table of the words with these ids, which get new ones in this order."""
        table, terms = TermTable(self.stemmer), self._terms.texts
        term_ids = self._term_id_by_word.rows[word_ids].tolist()
        table._add_stems(terms[term_id] for term_id in term_ids)
        return table

    def columns(self) -> Iterator[Column]:
        """Yield the table as columns, for ``read``."""
        term_ids = self._term_id_by_word.rows
        term_count = int(term_ids.max()) + 1 if len(self) else 0
        yield from named("terms", self._terms.texts.columns(term_count))
        yield array_column("termIds", term_ids)
        by_term = np.argsort(term_ids, kind="stable").astype(np.int32)
        yield array_column("wordsByTerm", by_term)
        starts = np.searchsorted(term_ids[by_term], np.arange(term_count + 1))
        yield array_column("termStarts", starts)

    @classmethod
    def read(cls, columns: Columns, stemmer: str) -> "TermTable":
        """Return the table that ``columns`` wrote.

        Raises:
            ValueError, LookupError: there is none.
        """
        table = cls(stemmer)
        table._terms = StringIds(StringTable(columns.of("terms")))
        table._term_id_by_word = GrowableArray.over(columns.array("termIds", "<i4"))
        table._words_by_term = columns.array("wordsByTerm", "<i4")
        table._term_starts = columns.array("termStarts", "<i8")
        return table
