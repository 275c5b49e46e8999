"""Guess the language of a text from its function words."""

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm

import numpy as np

from clew.text.languages.function_words import FUNCTION_WORDS, LANGUAGES_BY_WORD
from clew.text.terms import LANGUAGES
from clew.values.arrays import Int64Array

WORDS_MIN = 5  # distinct function words of a text whose language is clear
LEAD_MIN = Fraction(7, 5)  # times as many as of any other language
_OTHER_CODES = {"nb": "no", "nn": "no"}
_NONE = "none"
_FUNCTION_WORDS = frozenset(LANGUAGES_BY_WORD)
_LANGUAGES = tuple(FUNCTION_WORDS)
_ROW_BY_WORD = {word: row for row, word in enumerate(LANGUAGES_BY_WORD)}
# Shares are whole numbers, since words come in another order in each process: sums of floats would
# differ between them.
_WORD = lcm(*map(len, LANGUAGES_BY_WORD.values()))  # the share of a word of one language


def _shares() -> Int64Array:
    """Return how much each word, by row, counts for each language, by column."""
    shares = np.zeros((len(_ROW_BY_WORD), len(_LANGUAGES)), np.int64)
    for word, languages in LANGUAGES_BY_WORD.items():
        columns = [_LANGUAGES.index(language) for language in languages]
        shares[_ROW_BY_WORD[word], columns] = _WORD // len(languages)
    return shares


_SHARES = _shares()


def language_of_note(stated: str | None, words: Iterable[str]) -> str | None:
    """Return the language of a note with these ``words``, a key of ``LANGUAGES``.

    ``stated`` is what its front matter says, such as ``de`` or ``de-AT``. ``None``: the language is
    unclear, or has no stemmer.
    """
    if stated is not None:
        code = stated.replace("_", "-").split("-")[0].casefold()
        code = _OTHER_CODES.get(code, code)
        return code if code in LANGUAGES and code != _NONE else None
    return _clearest(words)


def _clearest(words: Iterable[str]) -> str | None:
    """Return the language of a text. A word of several languages counts in parts for each."""
    found = _FUNCTION_WORDS.intersection(words)
    if len(found) < WORDS_MIN:
        return None
    rows = _SHARES[[_ROW_BY_WORD[word] for word in found]]
    scores = rows.sum(axis=0)
    best = int(scores.argmax())
    score, scores[best] = int(scores[best]), 0
    has_lead = score >= LEAD_MIN * int(scores.max())
    has_enough = np.count_nonzero(rows[:, best]) >= WORDS_MIN
    return _LANGUAGES[best] if has_lead and has_enough else None


def language_of_query(words: Iterable[str], languages: Sequence[str]) -> str | None:
    """Return which of ``languages`` a query is in: that of most of its function words, if one is.

    A query is short, so a single word may tell.
    """
    found = _FUNCTION_WORDS.intersection(words)
    if not found:
        return None  # as for most queries: an empty counter takes longer than all of this
    counts = Counter(
        language for word in found for language in LANGUAGES_BY_WORD[word] if language in languages
    )
    ranked = counts.most_common(2)
    if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


def function_words_of_query(words: Iterable[str], *, unless: Sequence[str] = ()) -> frozenset[str]:
    """Return the function words in a query of one language, if it has two of them at least.

    There are none if that is a language in ``unless``.
    """
    found = _FUNCTION_WORDS.intersection(words)
    if len(found) < 2:
        return frozenset()
    language = language_of_query(found, _LANGUAGES)
    if language in unless:
        return frozenset()
    own = frozenset(word for word in found if language in LANGUAGES_BY_WORD[word])
    return own if len(own) > 1 else frozenset()
