"""Highlighting: the spans of a text that match the words of a query.

The daemon's replies do not say where words match, so the words are searched here,
by a simpler rule than the daemon's stems. This module does not deal with terminals.
"""

from __future__ import annotations

from unicodedata import category, combining, normalize

from clew.text.stopwords import STOP_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from collections.abc import Iterator, Sequence

    Span = tuple[int, int]

WORDS_MAX = 64  # words of a query, as many as in the daemon
PREFIX_MIN = 3  # letters; a shorter query word matches whole words only

# The n-gram length for scripts without spaces: three for syllabic scripts (Thai, Lao, Tibetan,
# Myanmar, Khmer), two for Han and kana. Regular expressions for these would take long to compile.
_GRAM_LENGTHS = (
    ("\u0e00", "\u0fff", 3),
    ("\u1000", "\u109f", 3),
    ("\u1780", "\u17ff", 3),
    ("\u3005", "\u3007", 2),
    ("\u3040", "\u30ff", 2),
    ("\u31f0", "\u31ff", 2),
    ("\u3400", "\u4dbf", 2),
    ("\u4e00", "\u9fff", 2),
    ("\uf900", "\ufaff", 2),
    ("\U00020000", "\U0003ffff", 2),
)
_MARKS_FROM = 10  # the lowest combining class of an optional mark (Hebrew vowel points)


class QueryWords:
    """The words and n-grams of a query, to be found in many texts."""

    __slots__ = ("_grams", "_words")

    def __init__(self, query: str) -> None:
        words: list[str] = []
        grams: list[str] = []
        for start, end in _runs(query):
            run = query[start:end]
            length = _gram_length(run[0])
            if length:
                grams += [run[at : at + length] for at in range(max(1, len(run) - length + 1))]
            else:
                words.append(_folded(run))
        content_words = [word for word in words if word not in STOP_WORDS] or words
        self._words = content_words[:WORDS_MAX]
        self._grams = grams[:WORDS_MAX]

    def spans(self, text: str) -> list[Span]:
        """Return the matching spans of ``text``, start and end, in order; no two spans touch.

        A word matches if it begins with a query word, or is a prefix of more than half of one
        (``drift`` for ``drifting``); case and accents are ignored. Scripts without spaces match
        by n-grams.
        """
        spans: list[Span] = []
        for start, end in _runs(text):
            run = text[start:end]
            if _gram_length(run[0]):
                spans += self._grams_in(run, start)
            elif any(_matches(_folded(run), word) for word in self._words):
                spans.append((start, end))
        return _joined(spans)

    def _grams_in(self, run: str, start: int) -> Iterator[Span]:
        for gram in self._grams:
            at = run.find(gram)
            while at >= 0:
                yield start + at, start + at + len(gram)
                at = run.find(gram, at + 1)


def _matches(word: str, query_word: str) -> bool:
    if word == query_word:
        return True
    if len(query_word) >= PREFIX_MIN and word.startswith(query_word):
        return True
    half = len(word) >= PREFIX_MIN and 2 * len(word) > len(query_word)
    return half and query_word.startswith(word)


def _runs(text: str) -> Iterator[Span]:
    """Yield the words of ``text``; a script without spaces begins and ends a word."""
    start, length = None, 0
    for at, character in enumerate(f"{text} "):
        joins = character.isalnum() or category(character)[0] == "M"
        character_length = _gram_length(character) if joins else 0
        if start is not None and not (joins and character_length == length):
            yield start, at
            start = None
        if joins and start is None:
            start, length = at, character_length


def _gram_length(character: str) -> int:
    """Return the n-gram length of the character's script, 0 if it separates words by spaces."""
    if character < _GRAM_LENGTHS[0][0]:
        return 0
    return next((length for low, high, length in _GRAM_LENGTHS if low <= character <= high), 0)


def _folded(word: str) -> str:
    """Return ``word`` without case, accents and optional vowel signs."""
    if word.isascii():
        return word.lower()
    plain = normalize("NFKD", word.casefold())
    return "".join(c for c in plain if combining(c) < _MARKS_FROM)


def _joined(spans: Sequence[Span]) -> list[Span]:
    """Return ``spans`` in order; merge spans that touch or overlap."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
