"""Which names of notes are rare enough to be looked for in texts.

A name is rare by its rarest word: by the number of passages, heads of notes included, that have
that word. This number is exact, so what is rare follows from the notes alone. It also bounds the
work: a rare name can only be in the notes of those passages.

When notes change, most names stay as rare as they were. ``crossing_words`` finds the words whose
number of passages has crossed a limit; only names with these words can have changed.
"""

from collections.abc import Iterable

import numpy as np

from clew.engine.mentions.word_slots import WordSlots
from clew.engine.passages import Passages
from clew.index.mentions.name_forms import required_words
from clew.values.arrays import Int64Array
from clew.values.note_words import Words

WORD_PASSAGES_MAX = 32  # in which a name of one word occurs
RAREST_WORD_PASSAGES_MAX = 500  # in which the rarest word of a longer name occurs


def limit_of(name: str) -> int:
    """Return in how many passages the rarest word of a folded name may occur."""
    return RAREST_WORD_PASSAGES_MAX if " " in name else WORD_PASSAGES_MAX


def is_rare(name: str, word_slots: WordSlots) -> bool:
    """Return whether texts are to be searched for a folded name with required words."""
    return min(map(word_slots.count, required_words(name))) <= limit_of(name)


def crossing_words(
    passages: Passages, first_added: int, old: Iterable[Words]
) -> dict[int, set[str]]:
    """Return the words whose number of passages has crossed a limit, by limit.

    ``first_added``: the first of the slots that were added. ``old``: the words of the notes that
    were replaced or dropped.
    """
    keyword = passages.keyword
    tail_words, tail_slots, _ = keyword.tail
    gained = np.bincount(tail_words[tail_slots >= first_added], minlength=keyword.word_count)
    lost = np.zeros(keyword.word_count, np.int64)
    for words in old:
        _count_parts(passages, words, lost)
    posted = np.bincount(tail_words, minlength=keyword.word_count)
    posted[: len(keyword.starts) - 1] += np.diff(keyword.starts)
    ids = np.flatnonzero((gained + lost > 0) & (posted + lost > WORD_PASSAGES_MAX))
    # Reading which postings are alive takes longest.
    has_dead = passages.slots.dead_count > 0
    now = passages.live_counts(ids) if has_dead else posted[ids]
    before: Int64Array = now - gained[ids] + lost[ids]
    crossing = {}
    for limit in (WORD_PASSAGES_MAX, RAREST_WORD_PASSAGES_MAX):
        has_crossed = (before <= limit) != (now <= limit)
        crossing[limit] = {keyword.words[id_] for id_ in ids[has_crossed].tolist()}
    return crossing


def _count_parts(passages: Passages, words: Words, counts: Int64Array) -> None:
    """Add to ``counts``, by word id, in how many parts of a note each word is."""
    part_counts = np.bincount(np.frombuffer(words.places, np.int32)).tolist()
    for word, count in zip(words.words.split("\n")[:-1], part_counts, strict=True):
        word_id = passages.keyword.id_of(word)
        if word_id is None:
            continue  # the text was counted otherwise when it was indexed
        counts[word_id] += count
