"""Look up words of the vault: the one nearest to a misspelt word, and those that contain a part.

Among equally near words, or too many words with the part, the most frequent are taken: those that
occur in most passages, then those with the lowest code points. The number of a word's postings is
known at once, and is an upper bound on its passages, since some postings are of changed notes (dead
slots). So passages are counted only for the words with most postings.

The words are searched a portion at a time, with a pause after each.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from clew.engine.passages import Passages
from clew.query.slices import PAUSE, Slices
from clew.text.similarity.fuzzy import (
    Correction,
    corrigible_words,
    edit_distances,
    edits_allowed,
    edits_between,
)
from clew.text.terms import term_of
from clew.values.arrays import Int64Array

LATER_WORDS = 1 << 13  # words newer than the stored ones that one step compares
WORDS_COUNTED = 1 << 16  # words of which one step counts the postings
POSTINGS_COUNTED = 500_000  # postings that one step reads, unless one word has more
_GROWTH = 4  # times as many words are counted in each round, until they are enough
_RANK_BITS = 32


def corrections_of(passages: Passages, words: Iterable[str]) -> Slices[list[Correction]]:
    """Return the corrections of ``words``, in order, each word once.

    A word is replaced by the nearest word of the vault within 1 edit, or 2 if it has more than 5
    characters; of words that 2 edits make, those of the same letters are nearer ("gandhi" for
    ``ghandi``), and then those whose stems one edit makes: "habits" for ``habbit``. Ties go to the
    most frequent word. Words of the vault are not corrected, nor those that ``corrigible_words``
    leaves out.
    """
    corrections = []
    for word in corrigible_words(words):
        nearest = yield from _nearest(passages, word)
        if nearest is not None and nearest.distance:
            corrections.append(nearest)
    return corrections


def _nearest(passages: Passages, word: str) -> Slices[Correction | None]:
    """Return the nearest word of the vault as a correction, of distance 0 if that is ``word``."""
    distances: dict[int, int] = {}  # by word id
    for portion in _portions_near(passages, word):
        distances |= portion
        yield PAUSE
    for distance in range(edits_allowed(word) + 1):
        ids = [word_id for word_id, its_distance in distances.items() if its_distance == distance]
        if distance > 1:
            ids = _of_the_same_letters(passages, word, ids) or ids
            by_stem = yield from _nearest_by_stem(passages, word, ids)
            if by_stem is not None:
                return by_stem
        best = yield from _most_frequent_of_few(passages, ids, 1)
        for word_id in best:
            return Correction(word, passages.keyword.words[word_id], distance)
    return None


def _of_the_same_letters(passages: Passages, word: str, ids: list[int]) -> list[int]:
    """Return the ids of the words that have the letters of ``word`` in another order."""
    words, letters = passages.keyword.words, sorted(word)
    return [word_id for word_id in ids if sorted(words[word_id]) == letters]


def _nearest_by_stem(passages: Passages, word: str, ids: list[int]) -> Slices[Correction | None]:
    """Return the word that is nearest to ``word`` by its stem, if one edit lies between the two."""
    words = passages.keyword.words
    stems_by_id = {word_id: _stems_an_edit_apart(passages, word, words[word_id]) for word_id in ids}
    near = [word_id for word_id, stems in stems_by_id.items() if stems is not None]
    best = yield from _most_frequent_of_few(passages, near, 1)
    for word_id in best:
        return Correction(word, words[word_id], 2, stems_by_id[word_id])
    return None


def _stems_an_edit_apart(passages: Passages, word: str, other: str) -> tuple[str, str] | None:
    """Return the stems of two words with the same first letter, if one edit lies between them.

    Stems that are no beginnings of their words differ in more than the endings.
    """
    if word[0] != other[0]:
        return None
    for stemmer in passages.keyword.stemmers:
        stems = term_of(word, stemmer), term_of(other, stemmer)
        are_beginnings = word.startswith(stems[0]) and other.startswith(stems[1])
        if are_beginnings and edits_between(*stems) == 1:
            return stems
    return None


def _portions_near(passages: Passages, word: str) -> Iterator[dict[int, int]]:
    """Yield the words near ``word``: their distances by word id, in the order of ids."""
    words, end = passages.keyword.words, passages.keyword.word_count
    for ids in passages.shapes.near(word):
        hits = edit_distances(word, words.stored_texts(ids))
        yield {int(ids[index]): distance for index, distance in hits}
    for first in range(len(passages.shapes), end, LATER_WORDS):
        hits = edit_distances(word, words.later(first, min(end, first + LATER_WORDS)))
        yield {first + index: distance for index, distance in hits}


def words_containing(passages: Passages, part: str, most: int) -> Slices[list[int]]:
    """Return the ids of the ``most`` most frequent words that contain ``part``, rising.

    An empty part gives no words.
    """
    if not part:
        return []
    keyword = passages.keyword
    portions = [np.zeros(0, np.int64)]
    for ids in keyword.words.stored_with(part):
        portions.append(ids)
        yield PAUSE
    stored = np.concatenate(portions)
    ranks = keyword.ranks[stored].astype(np.int64)
    best = yield from _most_frequent(passages, stored, ranks, most)
    later: list[int] = []
    for first in range(len(keyword.ranks), keyword.word_count, LATER_WORDS):
        texts = keyword.words.later(first, min(keyword.word_count, first + LATER_WORDS))
        later += [word_id for word_id, text in enumerate(texts, first) if part in text]
        yield PAUSE
    # Of the stored words, only the most frequent compete with the later ones.
    best = yield from _most_frequent_of_few(passages, [*best, *later], most)
    return sorted(best)


# -- the most frequent words ----------------------------------------------------------------------


def _most_frequent_of_few(passages: Passages, ids: list[int], most: int) -> Slices[list[int]]:
    """Return the ``most`` most frequent of these words, whose texts are read; ``ids`` rise."""
    texts = list(map(passages.keyword.words.__getitem__, ids))
    by_text = sorted(range(len(ids)), key=texts.__getitem__)
    ranks = np.argsort(np.array(by_text, np.int64))
    best = yield from _most_frequent(passages, np.array(ids, np.int64), ranks, most)
    return best


def _most_frequent(
    passages: Passages, ids: Int64Array, ranks: Int64Array, most: int
) -> Slices[list[int]]:
    """Return the ``most`` words that occur in most passages, by rising id.

    ``ids`` rise; of two equally frequent words, the one with the lower rank is taken.
    """
    bounds = yield from _posting_counts(passages, ids)
    highest = _order_keys(bounds, ranks)
    size = most
    while True:
        counted = _highest(highest, size)
        counts = yield from _live_counts(passages, ids[counted], bounds[counted])
        live, keys = counted[counts > 0], _order_keys(counts, ranks[counted])[counts > 0]
        best = _highest(keys, most)
        # Words that were not counted have lower keys than those that were.
        is_enough = len(best) == most and keys[best].min() >= highest[counted].min()
        if is_enough or len(counted) == len(ids):
            found: list[int] = ids[live[best]].tolist()
            return found
        size *= _GROWTH


def _order_keys(counts: Int64Array, ranks: Int64Array) -> Int64Array:
    """Return numbers that are higher for a higher count, and of equal counts for a lower rank."""
    return (counts << _RANK_BITS) - ranks


def _highest(keys: Int64Array, most: int) -> Int64Array:
    """Return the indexes of the ``most`` highest keys, rising."""
    if most >= len(keys):
        return np.arange(len(keys))
    return np.sort(np.argpartition(keys, -most)[-most:])


def _posting_counts(passages: Passages, ids: Int64Array) -> Slices[Int64Array]:
    """Return how many postings each word has, an upper bound on its passages."""
    counts = [np.zeros(0, np.int64)]
    for first in range(0, len(ids), WORDS_COUNTED):
        counts.append(passages.keyword.posting_counts(ids[first : first + WORDS_COUNTED]))
        yield PAUSE
    return np.concatenate(counts)


def _live_counts(
    passages: Passages, ids: Int64Array, posting_counts: Int64Array
) -> Slices[Int64Array]:
    """Return in how many passages each of these words occurs."""
    counts = [np.zeros(0, np.int64)]
    totals = np.cumsum(posting_counts)
    first = 0
    while first < len(ids):
        before = int(totals[first - 1]) if first else 0
        end = int(np.searchsorted(totals, before + POSTINGS_COUNTED, "right"))
        end = max(first + 1, end)
        counts.append(passages.live_counts(ids[first:end]))
        first = end
        yield PAUSE
    return np.concatenate(counts)
