"""The language of each note, and how much text there is in each language.

Invariant: the sums follow from the present notes alone, whatever the order of edits.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from clew.index.structures.columns import Column, Columns, array_column
from clew.index.structures.growable import GrowableArray
from clew.text.terms import LANGUAGES
from clew.values.arrays import IntegerArray, Uint8Array

SHARE_MIN = 0.02  # of the text in clear languages; a language with less is no main language
UNCLEAR = 0  # the code for no clear language
_CODES: dict[str | None, int] = {
    None: UNCLEAR,
    **{language: code for code, language in enumerate(sorted(LANGUAGES), 1)},
}
_LANGUAGES = tuple(_CODES)


def code_of(language: str) -> int:
    """Return the code by which ``NoteLanguages.codes`` names a language."""
    return _CODES[language]


class NoteLanguages:
    """Languages by note id; lengths are in any unit, the same for all notes."""

    def __init__(self) -> None:
        self._codes = GrowableArray(np.uint8)
        self._lengths = np.zeros(len(_CODES), np.int64)  # by code; replaced, never changed

    def copy(self) -> "NoteLanguages":
        """Return equal languages, in constant time; later changes do not reach them."""
        other = NoteLanguages()
        other._codes, other._lengths = self._codes.copy(), self._lengths
        return other

    @property
    def codes(self) -> Uint8Array:
        """The code of each note's language, by note id; ``UNCLEAR`` for dropped notes too."""
        return self._codes.rows

    @property
    def main(self) -> tuple[str, ...]:
        """The languages of more than ``SHARE_MIN`` of the text whose language is clear, sorted."""
        lengths = self._lengths[UNCLEAR + 1 :]
        codes = np.flatnonzero(lengths > SHARE_MIN * lengths.sum()) + UNCLEAR + 1
        languages = (_LANGUAGES[code] for code in codes.tolist())
        return tuple(language for language in languages if language is not None)

    def of_note(self, note_id: int) -> str | None:
        """Return the language of a note; ``None``: it is unclear."""
        return _LANGUAGES[int(self.codes[note_id])]

    def put(
        self, note_ids: IntegerArray, languages: Iterable[str | None], lengths: IntegerArray
    ) -> None:
        """Set the languages of notes that have none yet; ``None`` for an unclear language."""
        codes = np.array([_CODES[language] for language in languages], np.uint8)
        self._codes.grow(int(note_ids.max()) + 1)
        self._codes.set(note_ids, codes)
        self._lengths = self._lengths.copy()
        np.add.at(self._lengths, codes, lengths)

    def drop(self, note_id: int, length: int) -> None:
        """Drop the language of a note of this length."""
        self._lengths = self._lengths.copy()
        self._lengths[self.codes[note_id]] -= length
        self._codes.set(note_id, UNCLEAR)

    def renumber_notes(self, note_ids: IntegerArray, new_ids: IntegerArray, count: int) -> None:
        """Give new ids, below ``count``, to the notes with these ids."""
        codes = np.zeros(count, np.uint8)
        codes[new_ids] = self.codes[note_ids]
        self._codes.replace(codes)

    def columns(self) -> Iterator[Column]:
        """Yield the languages as columns, for ``read``."""
        yield array_column("codes", self.codes)
        yield array_column("lengths", self._lengths)

    @classmethod
    def read(cls, columns: Columns) -> "NoteLanguages":
        """Return the languages that ``columns`` wrote.

        Raises:
            ValueError, LookupError: there are none.
        """
        languages = cls()
        languages._codes = GrowableArray.over(columns.array("codes", "u1"))
        languages._lengths = columns.array("lengths", "<i8")
        if len(languages._lengths) != len(_CODES):
            raise ValueError("other languages")
        return languages
