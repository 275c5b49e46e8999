"""Guess the language of a text from its function words."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from clew.text.languages.function_words import LANGUAGES_BY_WORD
from clew.text.terms import LANGUAGES

WORDS_MIN = 5.0  # distinct function words of a text whose language is clear
LEAD_MIN = 1.4  # it has so many times as many as of any other language
_OTHER_CODES = {"nb": "no", "nn": "no"}
_NONE = "none"
_FUNCTION_WORDS = LANGUAGES_BY_WORD.keys()


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
    scores: defaultdict[str, float] = defaultdict(float)
    counts: Counter[str] = Counter()
    for word in _FUNCTION_WORDS & set(words):
        languages = LANGUAGES_BY_WORD[word]
        for language in languages:
            counts[language] += 1
            scores[language] += 1 / len(languages)
    ranked = sorted(scores, key=lambda code: (-scores[code], code))[:2]
    if not ranked or counts[ranked[0]] < WORDS_MIN:
        return None
    if len(ranked) > 1 and scores[ranked[0]] < LEAD_MIN * scores[ranked[1]]:
        return None
    return ranked[0]


def language_of_query(words: Iterable[str], languages: Sequence[str]) -> str | None:
    """Return which of ``languages`` a query is in: that of most of its function words, if one is.

    A query is short, so a single word may tell.
    """
    counts = Counter(
        language
        for word in _FUNCTION_WORDS & set(words)
        for language in LANGUAGES_BY_WORD[word]
        if language in languages
    )
    ranked = counts.most_common(2)
    if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]
