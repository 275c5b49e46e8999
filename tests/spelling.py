"""Spelling correction and search for parts of words, by comparing every word: a plain reference."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pytest

from clew.engine.passages import Passages, PassagesOfNote
from clew.index.structures.string_table import GrowingStrings
from clew.index.structures.word_shapes import WordShapes
from clew.text.passages import count_note_words, words_of_parts
from clew.text.similarity.fuzzy import Correction
from clew.values.arrays import Int64Array
from clew.values.vault import ReadNote


def edits(left: str, right: str) -> int:
    """Return the optimal string alignment distance, by the textbook algorithm."""
    table = [[max(i, j) for j in range(len(right) + 1)] for i in range(len(left) + 1)]
    for i in range(1, len(left) + 1):
        for j in range(1, len(right) + 1):
            replaced = table[i - 1][j - 1] + (left[i - 1] != right[j - 1])
            table[i][j] = min(replaced, table[i - 1][j] + 1, table[i][j - 1] + 1)
            if i > 1 and j > 1 and left[i - 2 : i] == right[j - 2 : j][::-1]:
                table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
    return table[-1][-1]


def passage_counts(notes: Iterable[ReadNote]) -> Counter[str]:
    """Return in how many passages of ``notes`` each word occurs."""
    counts: Counter[str] = Counter()
    for read in notes:
        words = count_note_words(read.note)
        texts = words.words.split("\n")
        counts.update(texts[place] for place in np.frombuffer(words.places, np.int32).tolist())
    return counts


def passages_of(counts: Mapping[str, int]) -> Passages:
    """Return passages of which so many contain each word."""
    passages = Passages("")
    for number in range(max(counts.values(), default=0)):
        words = [word for word, count in counts.items() if count > number]
        passages.put([PassagesOfNote(number, 1, words_of_parts([dict.fromkeys(words, 1)]))])
    return passages


def by_frequency(counts: Mapping[str, int]) -> list[str]:
    """Return the words that occur, the most frequent first, ties in code point order."""
    return sorted(filter(counts.get, counts), key=lambda word: (-counts[word], word))


def compared(words: Iterable[str], counts: Mapping[str, int]) -> list[Correction]:
    """Return the corrections of ``words``, of which none is too short or too long for one."""
    ordered, corrections = by_frequency(counts), []
    for word in dict.fromkeys(words):
        distances = [edits(word, other) for other in ordered]
        distance = min(distances, default=9)
        if 0 < distance <= (1 if len(word) <= 5 else 2):
            corrections.append(Correction(word, ordered[distances.index(distance)], distance))
    return corrections


def containing(part: str, counts: Mapping[str, int], most: int) -> list[str]:
    """Return the ``most`` most frequent words that contain ``part``, sorted."""
    return sorted([word for word in by_frequency(counts) if part in word][:most])


def searched_words(patch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gets each word or part for which the words of the vault are searched."""
    searched: list[str] = []
    near, stored_with = WordShapes.near, GrowingStrings.stored_with

    def recorded_near(shapes: WordShapes, word: str) -> Iterator[Int64Array]:
        searched.append(word)
        return near(shapes, word)

    def recorded_with(strings: GrowingStrings, part: str) -> Iterator[Int64Array]:
        searched.append(part)
        return stored_with(strings, part)

    patch.setattr(WordShapes, "near", recorded_near)
    patch.setattr(GrowingStrings, "stored_with", recorded_with)
    return searched
