"""The words of names (of notes, headings, concepts) by number, searchable by word and substring.

Entries follow from the text of a name alone, so names are only added, until ``compact`` renumbers
the used ones. Callers know which names occur at a revision, and how often.

The folded names are stored as bytes, end to end, so one scan finds a substring.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

import numpy as np

from clew.index.keyword import KeywordIndex
from clew.index.structures.columns import Column, Columns, array_column, named
from clew.index.structures.growable import GrowableArray
from clew.index.structures.records import NEW, Records, record_columns, rows_containing
from clew.text.passages import words_of_parts
from clew.text.terms import count_words
from clew.values.arrays import Float64Array, Int32Array, Int64Array

_HYPHENS_TO_SPACES = str.maketrans("-_", "  ")
_ERRORS = "surrogatepass"


class NameWords:
    """The words of names 0, 1, 2 ..., and their folded text."""

    def __init__(self, stemmer: str) -> None:
        self._words = KeywordIndex(stemmer)  # each name has the slot of its number
        self._lengths = GrowableArray(np.int32)
        self._stored: Records | None = None  # the first folded names
        self._later: list[bytes] = []  # the others; it only grows, so copies share it

    def copy(self) -> "NameWords":
        """Return the same names, in constant time; later changes do not reach it."""
        other = NameWords("")
        other._words, other._lengths = self._words.copy(), self._lengths.copy()
        other._stored, other._later = self._stored, self._later
        return other

    def __len__(self) -> int:
        return len(self._lengths)

    @property
    def lengths(self) -> Int32Array:
        """The number of words in each name; ``kebab-case`` and ``snake_case`` have two."""
        return self._lengths.rows

    def add(self, names: Sequence[str]) -> None:
        """Add names; they get the next numbers."""
        if not names:
            return
        counts = [count_words(name) for name in names]
        self._words.put(np.array([len(names)]), [words_of_parts(counts)])
        self._later += [_encoded(name.casefold()) for name in names]
        self._lengths.extend(
            [
                sum((words if spaced == name else count_words(spaced)).values())
                for name, words in zip(names, counts, strict=True)
                for spaced in (name.translate(_HYPHENS_TO_SPACES),)
            ]
        )

    def use_stemmers(self, stemmers: Sequence[str]) -> int:
        """Use these stemmers from now on; return how many words were stemmed for that."""
        return self._words.use_stemmers(stemmers)

    # -- reading ------------------------------------------------------------------------------

    def folded(self, number: int) -> str:
        """Return the text of a name, case folded."""
        return str(self._folded_bytes(number), "utf-8", _ERRORS)

    def _folded_bytes(self, number: int) -> bytes | memoryview:
        if number < self._stored_count:
            assert self._stored is not None
            return self._stored.raw(number)
        return self._later[number - self._stored_count]

    @property
    def _stored_count(self) -> int:
        return len(self._stored) if self._stored is not None else 0

    def words_of_term(self, term: str) -> list[str]:
        """Return the words that share a stem with ``term``."""
        return [self._words.words[word] for word in self._words.ids_of_term(term)]

    def names_with_any_word(self, words: Iterable[str]) -> tuple[Int32Array, Float64Array]:
        """Return the rising numbers of names with any of ``words``, and how often each has them."""
        ids = [number for word in words if (number := self._words.id_of(word)) is not None]
        if not ids:
            return np.zeros(0, np.int32), np.zeros(0)
        numbers, counts = self._words.postings_of(ids)
        if len(ids) == 1:  # its postings are rising already
            return numbers, counts.astype(np.float64)
        numbers, indexes = np.unique(numbers, return_inverse=True)
        return numbers, np.bincount(indexes, counts).astype(np.float64)

    def names_containing(self, part: str) -> Int32Array:
        """Return the numbers of the names that contain ``part``, ignoring case, rising."""
        key, later = _encoded(part.casefold()), self._later[: len(self) - self._stored_count]
        starts = np.fromiter(accumulate(map(len, later), initial=0), np.int64, len(later) + 1)
        portions = [self._stored_count + rows_containing(key, b"".join(later), starts)]
        if self._stored is not None:
            portions = [*self._stored.containing(key), *portions]
        return np.concatenate(portions).astype(np.int32)

    # -- storing ------------------------------------------------------------------------------

    def compact(self, kept: Int64Array) -> None:
        """Keep the names with these numbers only, and number them anew in this order."""
        folded = [bytes(self._folded_bytes(number)) for number in kept.tolist()]
        self._words.compact(kept)
        self._lengths.replace(self.lengths[kept])
        self._stored, self._later = None, folded

    def columns(self) -> Iterator[Column]:
        """Yield the names as columns, for ``read``."""
        sources = np.arange(len(self))
        sources[self._stored_count :] = NEW
        later = self._later[: len(self) - self._stored_count]
        yield from named("words", self._words.columns())
        yield array_column("lengths", self.lengths)
        yield from named("folded", record_columns(self._stored, sources, later))

    @classmethod
    def read(cls, columns: Columns) -> "NameWords":
        """Return the names that ``columns`` wrote.

        Raises:
            ValueError, LookupError: there are none.
        """
        names = cls("")
        names._words = KeywordIndex.read(columns.of("words"))
        names._lengths = GrowableArray.over(columns.array("lengths", "<i4"))
        names._stored = Records(columns.of("folded"))
        if not len(names) == len(names._stored) == len(names._words.lengths):
            raise ValueError("words of other names")
        return names


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", _ERRORS)
