"""Words of a text that say what it is about, for comparing candidates."""

import re

from clew.text.stopwords import STOP_WORDS

_WORD = re.compile(r"[^\W\d_]{3,}|\d{2,}")
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}")


def content_terms(text: str) -> frozenset[str]:
    """Return the distinct folded words of ``text`` without stop words, numbers included."""
    folded = text.casefold()
    return frozenset((*_WORD.findall(folded), *_DENSE.findall(folded))) - STOP_WORDS
