"""Query text to terms: its words without stop words, and their stems."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clew.text.languages.guess import function_words_of_query
from clew.text.languages.languages import Languages
from clew.text.terms import query_words
from clew.values.errors import InvalidParams

TERMS_MAX = 64  # terms of a query; later words are ignored
_LETTERS = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The words of a query, and the terms to look up."""

    plain: str  # the text outside of quotes, whose words may be corrected
    phrases: tuple[str, ...]  # quoted in the query
    words: tuple[str, ...]  # distinct, in the order of the text, without stop words
    terms: tuple[str, ...]  # the distinct terms of ``words``
    foreign: frozenset[str]  # function words of a language that the vault lacks, which are right

    @property
    def text(self) -> str:
        """All text of the query, with that of the phrases at its end."""
        return " ".join((self.plain, *self.phrases)) if self.phrases else self.plain


NO_TERMS = QueryTerms("", (), (), (), frozenset())


def query_terms(
    plain: str, languages: Languages, *, phrases: Sequence[str] = (), may_be_empty: bool = False
) -> QueryTerms:
    """Return the terms of a query; there may be none only if ``may_be_empty`` is true.

    Function words of a language that the vault lacks are none, unless there are no other words:
    over German notes, "who is" asks for none of them, though one may be about "Doctor Who".

    Raises:
        InvalidParams: there is no word, or none but stop words.
    """
    plain_words = query_words(plain)
    all_words = plain_words + [word for text in phrases for word in query_words(text)]
    if not all_words and not may_be_empty:
        raise InvalidParams("the query has no word to look for", "query")
    stop_words = languages.stop_words
    foreign = _function_words(plain, plain_words, unless=languages.codes)
    if not (stop_words | foreign).issuperset(all_words):
        stop_words |= foreign
    words = tuple(dict.fromkeys(word for word in all_words if word not in stop_words))[:TERMS_MAX]
    if not words and not may_be_empty:
        hint = "add a word such as a name or a subject"
        raise InvalidParams("the query has only stop words such as 'the' or 'of'", "query", hint)
    terms = tuple(dict.fromkeys(map(languages.term_of, words)))
    return QueryTerms(plain, tuple(phrases), words, terms, foreign)


def _function_words(
    plain: str, plain_words: Sequence[str], *, unless: Sequence[str]
) -> frozenset[str]:
    """Return the function words of a query's language, but none if that is one of ``unless``.

    ``plain_words`` are the words of ``plain``. Names are none: words in capitals (IT), and those
    behind the first one that begin with a capital (The Who).
    """
    words = _LETTERS.findall(plain)
    names = [word for i, word in enumerate(words) if word.isupper() or (i and word[0].isupper())]
    others = set(plain_words).difference(query_words(" ".join(names)))
    return function_words_of_query(others, unless=unless)
