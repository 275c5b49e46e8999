"""Decide which names of notes are rare enough to be looked for in texts.

A name is rare if few passages, heads of notes included, have its rarest word. That number is exact,
so it follows from the notes alone. It also bounds the work: a rare name can only be in the notes of
these passages.

When notes change, most names stay as rare as they were. ``crossing_words`` finds the words whose
number of passages has crossed a limit; only names with these words can have changed.
"""

from collections import Counter
from collections.abc import Collection, Iterable

import numpy as np

from clew.engine.passages import Passages
from clew.values.note_words import Words

WORD_PASSAGES_MAX = 32  # with the only word of a rare name
RAREST_WORD_PASSAGES_MAX = 500  # with the rarest word of a rare name of several words


def limit_of(name: str) -> int:
    """Return how many passages may have the rarest word of a folded name for it to be rare."""
    return RAREST_WORD_PASSAGES_MAX if " " in name else WORD_PASSAGES_MAX


def crossing_words(
    passages: Passages, put: Iterable[dict[str, int]], replaced: Iterable[dict[str, int]]
) -> dict[int, set[str]]:
    """Return the words whose number of passages has crossed a limit, by limit.

    ``put``: for each note that was put, the number of its parts with each word; ``replaced``: the
    same for notes that were replaced or dropped. Takes time for the words whose number changed.
    """
    more = Counter[str]()
    for counts in put:
        more.update(counts)
    for counts in replaced:
        more.subtract(counts)
    ids = ((passages.keyword.id_of(word), word, count) for word, count in more.items() if count)
    # Skip words without an id: other rules counted the words when their note was indexed.
    changed = sorted((each for each in ids if each[0] is not None), key=lambda each: each[0] or 0)
    now = passages.live_counts(np.array([word_id for word_id, _, _ in changed], np.int64))
    before = now - np.array([count for _, _, count in changed], np.int64)
    return {
        limit: {changed[at][1] for at in np.flatnonzero((before <= limit) != (now <= limit))}
        for limit in (WORD_PASSAGES_MAX, RAREST_WORD_PASSAGES_MAX)
    }


def part_counts(words: Words, left_out: Collection[int] = ()) -> dict[str, int]:
    """Return for each word the number of a note's parts with it; skip the parts in ``left_out``."""
    places = np.frombuffer(words.places, np.int32)
    if left_out:
        places = places[~np.isin(np.frombuffer(words.parts, np.int32), list(left_out))]
    counts = np.bincount(places)
    return dict(zip(words.words.split("\n"), counts.tolist(), strict=False))
