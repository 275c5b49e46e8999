"""Near-duplicates: passages whose words another passage holds already.

A shingle is a run of five words. A passage is a near-duplicate if at least .8 of its shingles are
in one passage before it (containment): Broder, "On the resemblance and containment of documents",
SEQUENCES 1997.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

CONTAINMENT_MIN = 0.8
SHINGLE_WORDS = 5
HOLDERS_MAX = 8  # passages kept for one shingle: common phrases are in many

_WORD = re.compile(r"\w+")


def shingles(text: str) -> frozenset[int]:
    """Return the hashes of the shingles of ``text``; all its words are one if they are few."""
    words = _WORD.findall(text.casefold())
    if len(words) <= SHINGLE_WORDS:
        return frozenset((hash(tuple(words)),))
    runs = zip(*(words[start:] for start in range(SHINGLE_WORDS)), strict=False)
    return frozenset(map(hash, runs))


def near_duplicates(texts: Sequence[str]) -> dict[int, int]:
    """Return the indexes of near-duplicates, each with that of the earlier text that holds it."""
    duplicates: dict[int, int] = {}
    holders: defaultdict[int, list[int]] = defaultdict(list)  # kept texts by shingle
    for index, text in enumerate(texts):
        own = shingles(text)
        shared = Counter(kept for shingle in own for kept in holders.get(shingle, ()))
        most, count = max(shared.items(), key=lambda item: (item[1], -item[0]), default=(0, 0))
        if count >= CONTAINMENT_MIN * len(own):
            duplicates[index] = most
            continue
        for shingle in own:
            if len(holders[shingle]) < HOLDERS_MAX:
                holders[shingle].append(index)
    return duplicates
