"""Words of a text, for comparing candidates with each other and with a query."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from clew.text.stopwords import STOP_WORDS

FORMS_MAX = 40  # spellings of one term that are looked for
_WORD = re.compile(r"\w+")
_SPACES = "".join(c if _WORD.match(c) else " " for c in map(chr, range(128)))  # between words

Forms = Sequence[Sequence[str]]  # the spellings of each term of a query, folded
TermForms = tuple[Sequence[str], float]  # those of one term, and its weight


def folded_words(text: str) -> list[str]:
    """Return the words of ``text`` in order, folded."""
    folded = text.casefold()
    if folded.isascii():  # a fifth of the time
        return folded.translate(_SPACES).split()
    return _WORD.findall(folded)


def content_terms(words: Sequence[str]) -> frozenset[str]:
    """Return the distinct words that are no stop words."""
    return frozenset(words) - STOP_WORDS


def forms_within(folded: str, forms: Forms) -> list[list[str]]:
    """Return for each term the spellings that ``folded`` has, even inside of words."""
    return [[form for form in spelled[:FORMS_MAX] if form in folded] for spelled in forms]


def terms_in(folded: str, forms: Forms) -> frozenset[int]:
    """Return the indexes of the terms with a spelling that begins a word of ``folded``."""
    found: list[int] = []
    for index, spelled in enumerate(forms):
        for form in spelled[:FORMS_MAX]:
            if form in folded and _begins_word(folded, form):
                found.append(index)
                break
    return frozenset(found)


def weight_of(found: AbstractSet[int], terms: Sequence[TermForms]) -> float:
    """Return the weight of the terms of a query with these indexes, added in their order."""
    return sum([terms[index][1] for index in sorted(found)]) if found else 0.0


def _begins_word(folded: str, form: str) -> bool:
    """Return whether a word begins with ``form``; without word boundaries, any place does."""
    if not form[0].isascii():
        return True
    at = folded.find(form)
    while at > 0 and folded[at - 1].isalnum():
        at = folded.find(form, at + 1)
    return at >= 0
