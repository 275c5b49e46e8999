"""Find the notes that have all words of a name, for many names at once, in the postings.

Names share words, and a word may be in most notes. So the postings of each word are read once for a
block of names, and only the pairs of a name and a note that still match are kept.
"""

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from clew.engine.mentions.rarity import limit_of
from clew.engine.passages import Passages
from clew.index.mentions.name_forms import required_words
from clew.index.slots import DEAD
from clew.index.structures.row_pool import positions_of_runs
from clew.values.arrays import BoolArray, Int32Array, Int64Array

BLOCK_NAMES = 2_048  # at once; each has at most ``RAREST_WORD_PASSAGES_MAX`` pairs
_UNKNOWN = -1  # instead of the id of a word that no note has

Pairs = tuple[Int64Array, Int64Array]  # the number of a name, the id of a note


class NameWords:
    """The required words of folded names, by index in ``names``; no name may be without any."""

    def __init__(self, passages: Passages, names: Sequence[str]) -> None:
        """Count in how many passages each word occurs; the head of a note is one."""
        self._passages = passages
        required = list(map(required_words, names))
        numbers = {word: n for n, word in enumerate(dict.fromkeys(chain.from_iterable(required)))}
        ids = (passages.keyword.id_of(word) for word in numbers)
        self._ids = np.array([_UNKNOWN if id_ is None else id_ for id_ in ids], np.int64)
        counts = _live_counts(passages, self._ids)
        self._lengths = np.fromiter(map(len, required), np.int64, len(names))
        self._starts = np.cumsum(self._lengths) - self._lengths
        words = np.array([numbers[word] for word in chain.from_iterable(required)], np.int64)
        owners = np.repeat(np.arange(len(names)), self._lengths)
        # The words of each name, name after name, the rarest word first.
        self._words = words[np.lexsort((counts[words], owners))]
        limits = np.fromiter(map(limit_of, names), np.int64, len(names))
        self.are_rare: BoolArray = counts[self._words[self._starts]] <= limits

    def notes_with_all(self, names: Int64Array, end_slot: int) -> Iterator[Pairs]:
        """Yield the pairs of a name and a note that has all its words, block by block.

        ``names``: rising indexes of names. Slots from ``end_slot`` on are left out.
        """
        reader = _Reader(self._passages, end_slot, self._ids)
        for first in range(0, len(names), BLOCK_NAMES):
            block = names[first : first + BLOCK_NAMES]
            pairs = reader.pairs(block, self._words[self._starts[block]])
            for number in range(1, int(self._lengths[block].max())):
                pairs = self._with_word(pairs, number, reader)
            yield pairs

    def _with_word(self, pairs: Pairs, number: int, reader: "_Reader") -> Pairs:
        """Keep pairs whose note has word ``number`` of the name, or whose name has no such word."""
        names, notes = pairs
        to_check = np.flatnonzero(self._lengths[names] > number)
        words = self._words[self._starts[names[to_check]] + number]
        is_kept = np.ones(len(names), np.bool_)
        order = np.argsort(words, kind="stable")
        distinct, firsts = np.unique(words[order], return_index=True)
        groups = np.split(to_check[order], firsts[1:])  # one empty group if there are no words
        for word, rows in zip(distinct.tolist(), groups, strict=False):
            is_kept[rows] = reader.have(word, notes[rows])
        return names[is_kept], notes[is_kept]


class _Reader:
    """Reads the notes that have a word; words are indexes into ``ids``."""

    def __init__(self, passages: Passages, end_slot: int, ids: Int64Array) -> None:
        self._keyword, self._note_ids = passages.keyword, passages.slots.note_ids
        self._end_slot, self._ids = end_slot, ids
        self._tail_slots_by_id = _tail_slots(passages, ids[ids != _UNKNOWN])
        self._has = np.zeros(len(passages.slots.firsts) + 1, np.bool_)  # the last: ``DEAD``

    def pairs(self, names: Int64Array, words: Int64Array) -> Pairs:
        """Pair each name with each note that has its word; ``words`` is parallel to ``names``."""
        distinct, groups = np.unique(words, return_inverse=True)
        lists = [_distinct(self._notes(word)) for word in distinct.tolist()]
        lengths = np.array(list(map(len, lists)), np.int64)
        firsts = np.cumsum(lengths) - lengths
        rows = positions_of_runs(firsts[groups], lengths[groups])
        return np.repeat(names, lengths[groups]), np.concatenate(lists).astype(np.int64)[rows]

    def have(self, word: int, notes: Int64Array) -> BoolArray:
        """Return which of ``notes`` have a word."""
        with_word = self._notes(word)
        self._has[with_word] = True
        found: BoolArray = self._has[notes]
        self._has[with_word] = False
        return found

    def _notes(self, word: int) -> Int32Array:
        """Return the note of each passage with a word; may repeat notes and contain ``DEAD``."""
        word_id = int(self._ids[word])
        if word_id == _UNKNOWN:
            return np.zeros(0, np.int32)
        slots = self._keyword.slots[self._keyword.sorted_range(word_id)]
        if (tail := self._tail_slots_by_id.get(word_id)) is not None:
            slots = np.concatenate([slots, tail])
        notes: Int32Array = self._note_ids[slots[slots < self._end_slot]]
        return notes


def _distinct(notes: Int32Array) -> Int32Array:
    """Return each note once, without ``DEAD``."""
    distinct: Int32Array = np.unique(notes[notes != DEAD])
    return distinct


def notes_headed(passages: Passages, word: str) -> list[int]:
    """Return the ids of the notes with ``word`` in their heads; all names of notes are there."""
    word_id = passages.keyword.id_of(word)
    if word_id is None:
        return []
    slots, _ = passages.keyword.postings_of([word_id])
    notes = passages.slots.note_ids[slots[passages.slots.parts[slots] == 0]]
    ids: list[int] = notes[notes != DEAD].tolist()
    return ids


def _live_counts(passages: Passages, ids: Int64Array) -> Int64Array:
    """Return in how many passages each word occurs; ``ids``: in any order, each once."""
    order = np.argsort(ids)
    order = order[np.count_nonzero(ids == _UNKNOWN) :]
    counts = np.zeros(len(ids), np.int64)
    counts[order] = passages.live_counts(ids[order])
    return counts


def _tail_slots(passages: Passages, ids: Int64Array) -> dict[int, Int32Array]:
    """Return the slots of each of these words in the tail, by word id."""
    words, slots, _ = passages.keyword.tail
    positions: Int64Array = passages.keyword.in_tail(ids)
    if not len(positions):
        return {}
    positions = positions[np.argsort(words[positions], kind="stable")]
    found, starts = np.unique(words[positions], return_index=True)
    return dict(zip(found.tolist(), np.split(slots[positions], starts[1:]), strict=True))
