"""The word counts of several notes, joined: one array for each column of ``Words``."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from clew.values.arrays import Int32Array, Int64Array, IntegerArray
from clew.values.note_words import Words


class JoinedWords(NamedTuple):
    """The words of several notes, and parallel arrays of cells: word index, part, count."""

    words: list[str]  # distinct within a note
    indexes: IntegerArray  # into ``words``
    parts: IntegerArray  # numbered across all notes
    counts: Int32Array


def joined(part_counts: IntegerArray, notes: Sequence[Words]) -> JoinedWords:
    """Join the word counts of ``notes``; ``part_counts``: the number of parts of each note."""
    words = [note.words.split("\n")[:-1] for note in notes]
    word_counts = np.array(list(map(len, words)))
    cell_counts = [len(note.counts) // np.dtype(np.int32).itemsize for note in notes]
    first_words, first_parts = starts_of(word_counts), starts_of(part_counts)
    return JoinedWords(
        list(chain.from_iterable(words)),
        _column(note.places for note in notes) + np.repeat(first_words, cell_counts),
        _column(note.parts for note in notes) + np.repeat(first_parts, cell_counts),
        _column(note.counts for note in notes),
    )


def starts_of(lengths: IntegerArray) -> Int64Array:
    """Return where each run begins if runs of these lengths follow one another."""
    starts: Int64Array = np.cumsum(lengths) - lengths
    return starts


def _column(columns: Iterable[bytes]) -> Int32Array:
    return np.frombuffer(b"".join(columns), np.int32)
