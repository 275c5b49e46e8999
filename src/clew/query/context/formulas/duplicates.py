"""Near-duplicates: passages whose words another passage holds already.

A shingle is a run of five words. A passage is a near-duplicate if at least .8 of its shingles are
in one passage before it (containment): Broder, "On the resemblance and containment of documents",
SEQUENCES 1997.
"""

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

CONTAINMENT_MIN = 0.8
SHINGLE_WORDS = 5
_FACTOR = 1_000_003  # odd, so that the hash of a run depends on the order of its words
HOLDERS_TRIED = 3  # texts with most shingles in common that are compared exactly


def shingles(words: Sequence[str]) -> frozenset[int]:
    """Return the hashes of the shingles of a text; a short text is one shingle."""
    if len(words) < SHINGLE_WORDS:
        return frozenset((hash(tuple(words)),))
    runs = zip(*(words[start:] for start in range(SHINGLE_WORDS)), strict=False)
    return frozenset(map(hash, runs))


def near_duplicates(texts: Sequence[Sequence[str]]) -> dict[int, int]:
    """Return the indexes of near-duplicates, each with that of the earlier text that holds it.

    ``texts`` are given by their words, folded.
    """
    if not _may_have_duplicates(texts):
        return {}  # as mostly
    duplicates: dict[int, int] = {}
    kept: dict[int, frozenset[int]] = {}  # shingles by text
    kept_shingles: set[int] = set()
    for index, words in enumerate(texts):
        own = shingles(words)
        is_new = kept_shingles.isdisjoint(own)
        holder = None if is_new else _holder(own, own & kept_shingles, kept)
        if holder is not None:
            duplicates[index] = holder
            continue
        kept[index] = own
        kept_shingles |= own
    return duplicates


def _may_have_duplicates(texts: Sequence[Sequence[str]]) -> bool:
    """Return whether most shingles of some text may be in other texts too.

    This takes a third of the time of comparing the texts.
    """
    short = [tuple(words) for words in texts if len(words) < SHINGLE_WORDS]
    if len({*short}) < len(short):
        return True
    lengths = [len(words) for words in texts]
    words = np.fromiter(map(hash, chain.from_iterable(texts)), np.int64, sum(lengths))
    owners = np.repeat(np.arange(len(texts)), lengths)
    last = SHINGLE_WORDS - 1
    count = max(0, len(words) - last)
    runs = words[:count]
    for start in range(1, SHINGLE_WORDS):
        runs = runs * _FACTOR + words[start : start + count]
    is_within = owners[:count] == owners[last : last + count]
    runs, owners = runs[is_within], owners[:count][is_within]
    ordered = np.sort(runs)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(repeated):
        return False
    nearest = repeated.take(np.searchsorted(repeated, runs), mode="clip")
    counts = np.bincount(owners, minlength=len(texts))
    shared = np.bincount(owners[nearest == runs], minlength=len(texts))
    return bool(np.any((counts > 0) & (shared >= CONTAINMENT_MIN * counts)))


def _holder(
    own: frozenset[int], seen: frozenset[int], kept: Mapping[int, frozenset[int]]
) -> int | None:
    """Return the kept text with enough of a text's shingles; ``seen``: those in any kept text."""
    if len(seen) < CONTAINMENT_MIN * len(own):
        return None
    counts: list[tuple[int, int]] = []  # minus the shingles first seen in a text, and its index
    for index, held in kept.items():
        if shared := len(seen & held):
            counts.append((-shared, index))
            seen -= held
    return next(
        (
            other
            for _, other in sorted(counts)[:HOLDERS_TRIED]
            if len(own & kept[other]) >= CONTAINMENT_MIN * len(own)
        ),
        None,
    )
