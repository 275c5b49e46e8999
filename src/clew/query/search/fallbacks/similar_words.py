"""Words of the vault that share most of their trigrams with a word that the vault lacks."""

from collections.abc import Iterator

from clew.engine.passages import Passages
from clew.query.search.fallbacks.vocabulary import LATER_WORDS
from clew.query.slices import PAUSE, Slices
from clew.text.similarity.fuzzy import shapes_of
from clew.text.similarity.trigrams import LETTERS_MAX, LETTERS_MIN, rows_similar, similarities

SIMILAR_MAX = 10  # similar words that are tried for one query word
_CHECKED = 32  # words that one step checks for whether they still occur


def words_similar(passages: Passages, word: str) -> Slices[list[int]]:
    """Return the ids of the ``SIMILAR_MAX`` words most similar to ``word``, rising.

    Ties go to the lowest code points. A word with fewer than 6 characters has no similar words.
    """
    if not LETTERS_MIN <= len(word) <= LETTERS_MAX:
        return []
    scores: list[tuple[float, str, int]] = []
    for portion in _portions_similar(passages, word):
        texts = map(passages.keyword.words.__getitem__, portion)
        scores += zip(map(float.__neg__, portion.values()), texts, portion, strict=True)
        yield PAUSE
    ids = [word_id for _, _, word_id in sorted(scores)]
    found: list[int] = []
    for first in range(0, len(ids), _CHECKED):
        found += passages.words_in_use([ids[first : first + _CHECKED]])[0]
        if len(found) >= SIMILAR_MAX:
            break
        yield PAUSE
    return sorted(found[:SIMILAR_MAX])


def _portions_similar(passages: Passages, word: str) -> Iterator[dict[int, float]]:
    """Yield the words that are similar to ``word``: their similarities by word id."""
    words, end = passages.keyword.words, passages.keyword.word_count
    for ids in passages.shapes.similar(word):
        for first in range(0, len(ids), LATER_WORDS):
            portion = ids[first : first + LATER_WORDS]
            scores = similarities(word, words.stored_texts(portion))
            yield {int(portion[index]): score for index, score in scores}
    for first in range(len(passages.shapes), end, LATER_WORDS):
        texts = words.later(first, min(end, first + LATER_WORDS))
        rows = rows_similar(word, *shapes_of(texts))
        scores = similarities(word, [texts[row] for row in rows.tolist()])
        yield {first + int(rows[index]): score for index, score in scores}
