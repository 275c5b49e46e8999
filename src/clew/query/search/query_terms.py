"""What a query asks for: its words, as terms, without those that say nothing."""

from dataclasses import dataclass

from clew.text.stopwords import STOP_WORDS
from clew.text.terms import LANGUAGES, query_words, term_of
from clew.values.errors import InvalidParams

CHARACTERS_MAX = 8_192  # of a query that are read; more would say no more
TERMS_MAX = 64  # of a longer query, the first ones


@dataclass(frozen=True, slots=True)
class Asked:
    """A query, read."""

    text: str
    words: tuple[str, ...]  # each once, in their order, without stop words
    terms: tuple[str, ...]  # that they stand for, each once


def asked(text: str, language: str, *, may_be_empty: bool = False) -> Asked:
    """Return what ``text`` asks for; it ``may_be_empty`` where all else was understood already.

    Raises:
        InvalidParams: it has no word, or stop words alone.
    """
    said = query_words(text)
    if not said and not may_be_empty:
        raise InvalidParams("the query has no word to look for", "query")
    stop_words = STOP_WORDS if language == "en" else frozenset()
    words = tuple(dict.fromkeys(word for word in said if word not in stop_words))[:TERMS_MAX]
    if not words and not may_be_empty:
        hint = "add a word that is more than grammar"
        raise InvalidParams("the query has stop words alone", "query", hint)
    stemmer = LANGUAGES[language]
    return Asked(text, words, tuple(dict.fromkeys(term_of(word, stemmer) for word in words)))
