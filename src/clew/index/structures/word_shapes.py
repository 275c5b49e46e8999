"""The shapes of stored words by number: their lengths and sets of letters, read in place.

Most words differ so much from a misspelt word that their shapes exclude them, without reading their
text. Shapes are computed when words are stored.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from clew.index.structures.columns import Column, Columns, array_column
from clew.text.similarity.fuzzy import rows_near, shapes_of
from clew.text.similarity.trigrams import rows_similar
from clew.values.arrays import Int64Array, Uint8Array, Uint64Array

PORTION_WORDS = 1 << 16  # compared, or written, at a time

_NO_LENGTHS, _NO_LETTERS = shapes_of([])


class WordShapes:
    """The shapes of words 0, 1, 2 ...; they never change."""

    __slots__ = ("_lengths", "_letters")

    def __init__(
        self, lengths: Uint8Array = _NO_LENGTHS, letters: Uint64Array = _NO_LETTERS
    ) -> None:
        self._lengths, self._letters = lengths, letters

    def __len__(self) -> int:
        return len(self._lengths)

    def near(self, word: str) -> Iterator[Int64Array]:
        """Yield the numbers of the words that may be near ``word``, rising, a portion at a time.

        ``text.similarity.fuzzy.rows_near`` defines which words may be near.
        """
        return self._selected(rows_near, word)

    def similar(self, word: str) -> Iterator[Int64Array]:
        """Yield the numbers of the words that may be similar to ``word``, like ``near``.

        ``text.similarity.trigrams.rows_similar`` defines which words may be similar.
        """
        return self._selected(rows_similar, word)

    def _selected(
        self, select: Callable[[str, Uint8Array, Uint64Array], Int64Array], word: str
    ) -> Iterator[Int64Array]:
        for first in range(0, len(self), PORTION_WORDS):
            portion = slice(first, first + PORTION_WORDS)
            yield first + select(word, self._lengths[portion], self._letters[portion])

    def columns(self, later: Sequence[str]) -> Iterator[Column]:
        """Yield the shapes of these words and of ``later`` ones as columns, for ``read``."""
        portions = [
            shapes_of(later[first : first + PORTION_WORDS])
            for first in range(0, len(later), PORTION_WORDS)
        ]
        lengths = [self._lengths, *(lengths for lengths, _ in portions)]
        letters = [self._letters, *(letters for _, letters in portions)]
        yield array_column("lengths", np.concatenate(lengths))
        yield array_column("letters", np.concatenate(letters))

    @classmethod
    def read(cls, columns: Columns) -> "WordShapes":
        """Return the shapes that ``columns`` wrote.

        Raises:
            ValueError, LookupError: there are none.
        """
        shapes = cls(columns.array("lengths", "u1"), columns.array("letters", "<u8"))
        if len(shapes) != len(shapes._letters):
            raise ValueError("lengths of other words")
        return shapes
