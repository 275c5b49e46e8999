"""Find the names in a query: its words with a capital letter that begin no sentence.

A name is what a question is about, so a note without it hardly answers, however many of the other
words it has. In German all nouns count, and in a query in capitals all words, which are then equal.
"""

import re

from clew.text.terms import query_words

_WORD = r"[^\W_][\w'\u2019-]*"
# The first word of a sentence is matched by the first branch, which has no group.
_WORDS = re.compile(rf"(?:\A|[.?!:]\s)\W{{0,3}}{_WORD}|({_WORD})")


def names_in(query: str) -> frozenset[str]:
    """Return the names in ``query``, as ``query_words``."""
    inside = (match[1] for match in _WORDS.finditer(query) if match[1])
    return frozenset(query_words(" ".join(word for word in inside if word[0].isupper())))
