"""The live passages that have each of a few words, read from the postings once for a batch."""

from collections.abc import Iterable

import numpy as np

from clew.engine.passages import Passages
from clew.index.slots import DEAD
from clew.values.arrays import Int32Array, Int64Array

_NO_SLOTS = np.zeros(0, np.int32)


class WordSlots:
    """The slots of words; only the words given at the start may be asked for.

    ``first_added``: the first of the slots that the batch added.
    """

    def __init__(self, passages: Passages, first_added: int, words: Iterable[str]) -> None:
        self._passages, self._first_added = passages, first_added
        ids = ((word, passages.keyword.id_of(word)) for word in words)
        self._id_by_word = {word: word_id for word, word_id in ids if word_id is not None}
        self._tail_slots_by_id = _tail_slots(passages, list(self._id_by_word.values()))
        self._slots: dict[str, Int32Array] = {}
        self._notes: dict[str, frozenset[int]] = {}

    def slots(self, word: str) -> Int32Array:
        """Return the live slots that have ``word``."""
        slots = self._slots.get(word)
        if slots is None:
            slots = self._slots[word] = self._read(word)
        return slots

    def _read(self, word: str) -> Int32Array:
        word_id = self._id_by_word.get(word)
        if word_id is None:
            return _NO_SLOTS
        keyword, note_ids = self._passages.keyword, self._passages.slots.note_ids
        slots: Int32Array = keyword.slots[keyword.sorted_range(word_id)]
        if (tail := self._tail_slots_by_id.get(word_id)) is not None:
            slots = np.concatenate([slots, tail])
        live: Int32Array = slots[note_ids[slots] != DEAD]
        return live

    def count(self, word: str) -> int:
        """Return in how many passages ``word`` occurs; the head of a note is one."""
        return len(self.slots(word))

    def notes(self, word: str) -> frozenset[int]:
        """Return the ids of the notes that have ``word``, without those of added slots."""
        notes = self._notes.get(word)
        if notes is None:
            slots = self.slots(word)
            ids = self._passages.slots.note_ids[slots[slots < self._first_added]]
            notes = self._notes[word] = frozenset(ids.tolist())
        return notes

    def notes_with_all(self, words: Iterable[str]) -> set[int]:
        """Return the notes that have each of ``words``, without those of added slots."""
        if not self._first_added:
            return set()
        rarest, *others = sorted(words, key=self.count)
        notes = set(self.notes(rarest))
        for word in others:
            if not notes:
                break
            notes &= self.notes(word)
        return notes

    def notes_headed(self, word: str) -> list[int]:
        """Return the ids of the notes whose heads have ``word``: all that have it in a name."""
        slots = self.slots(word)
        heads = slots[self._passages.slots.parts[slots] == 0]
        ids: list[int] = self._passages.slots.note_ids[heads].tolist()
        return ids


def _tail_slots(passages: Passages, ids: list[int]) -> dict[int, Int32Array]:
    """Return the slots of each of these words in the tail, by word id."""
    words, slots, _ = passages.keyword.tail
    positions: Int64Array = passages.keyword.in_tail(ids)
    if not len(positions):
        return {}
    positions = positions[np.argsort(words[positions], kind="stable")]
    found, starts = np.unique(words[positions], return_index=True)
    return dict(zip(found.tolist(), np.split(slots[positions], starts[1:]), strict=True))
