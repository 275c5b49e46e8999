"""Find the names in a query: its words with a capital letter that begin no sentence.

A name is what a question is about, so a note without it hardly answers, however many of the other
words it has. In German all nouns count. Where no word is in lower case, as in a query in capitals
or in a title, capitals tell nothing: then the first word counts too, so that all are equal.
"""

import re

from clew.text.terms import query_words

TITLE_LETTERS_MAX = 3  # of a title or an initial before a name: "Mrs. Olga", "J. K. Smith"
_WORD = re.compile(r"[^\W_][\w'\u2019-]*")
_BEFORE_WORD = re.compile(r"\. \w")
_SENTENCE_END = re.compile(r"[.?!:\u2026]\s|\n")


def names_in(query: str) -> frozenset[str]:
    """Return the names in ``query``, as ``query_words``, without titles and initials."""
    inside: list[str] = []
    first: list[str] = []  # of the sentences
    end, is_title, has_lower_case = 0, False, False
    for match in _WORD.finditer(query):
        word, between = match[0], query[end : match.start()]
        is_first = not end or (not is_title and _SENTENCE_END.search(between))
        end, is_capital = match.end(), word[0].isupper()
        is_short = is_capital and len(word) <= TITLE_LETTERS_MAX
        is_title = is_short and _BEFORE_WORD.match(query, end) is not None
        has_lower_case |= word[0].islower()
        if is_capital and not is_title:
            words = first if is_first else inside
            words.append(word)
    if inside and not has_lower_case:
        inside += first
    return frozenset(query_words(" ".join(inside)))
