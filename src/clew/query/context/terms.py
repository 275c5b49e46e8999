"""Words of a text, for comparing candidates with each other."""

import re
from collections.abc import Sequence

from clew.text.stopwords import STOP_WORDS

_WORD = re.compile(r"\w+")


def folded_words(text: str) -> list[str]:
    """Return the words of ``text`` in order, folded."""
    return _WORD.findall(text.casefold())


def content_terms(words: Sequence[str]) -> frozenset[str]:
    """Return the distinct words of at least two letters that are no stop words."""
    return frozenset(word for word in set(words) if len(word) > 1) - STOP_WORDS
