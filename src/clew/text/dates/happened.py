"""Queries that ask what happened at a time, or for a summary of it, and for nothing else."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from clew.text.dates.languages.english import (
    ANYTHING,
    GOING_ON,
    HAPPENED,
    REQUEST_WORDS,
    SUBJECTS,
    SUMMARIES,
)
from clew.text.stopwords import STOP_WORDS

_WHAT = ANYTHING | {"what", "which"}


def words_for_what_happened(
    texts: Sequence[str], taken: AbstractSet[int], types: AbstractSet[str]
) -> frozenset[int]:
    """Return the indexes of the words that ask what happened; none if others name a topic.

    ``texts``: the words of a query, in English where it is known. ``taken``: the indexes of the
    words that say when. ``types``: words that name types of notes.
    """
    left = [i for i in range(len(texts)) if i not in taken]
    summaries = SUMMARIES - types
    asks = [i for i in left if texts[i] in _WHAT | summaries]
    happened = [i for i in left if texts[i] in HAPPENED or _is_going_on(texts, i)]
    found = frozenset(i for i in (*asks, *happened) if texts[i] not in STOP_WORDS)
    others = {texts[i] for i in left if i not in found}
    return found if asks and others <= STOP_WORDS | REQUEST_WORDS | SUBJECTS else frozenset()


def _is_going_on(texts: Sequence[str], at: int) -> bool:
    return texts[at] in GOING_ON and texts[at + 1 : at + 2] == ["on"]
