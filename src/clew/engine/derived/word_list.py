"""The words of one revision with how many passages hold each, for whoever looks for near ones.

Counting them takes a tenth of a second in a large vault, so it is done from copies and frozen
arrays alone: on any thread, whatever is applied meanwhile.
"""

from dataclasses import dataclass

import numpy as np

from clew.engine.passages import Passages
from clew.text.fuzzy import Vocabulary, build
from clew.values.arrays import BoolArray, Int32Array, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class WordList:
    """What a vocabulary is made from; nothing that is applied later changes it."""

    words: list[str]  # by id
    starts: Int64Array  # of each word's run in ``slots``
    slots: Int32Array
    tail_words: Int32Array
    tail_slots: Int32Array
    is_alive: BoolArray  # by slot

    def vocabulary(self) -> Vocabulary:
        """Return the words that stand in some passage, with the number of those."""
        counts = np.zeros(len(self.words), np.int64)
        running = np.concatenate([[0], np.cumsum(self.is_alive[self.slots])])
        counts[: len(self.starts) - 1] = np.diff(running[self.starts])
        alive = self.tail_words[self.is_alive[self.tail_slots]]
        counts += np.bincount(alive, minlength=len(self.words))
        used = np.flatnonzero(counts)
        return build([self.words[word] for word in used.tolist()], counts[used])


def word_list(passages: Passages) -> WordList:
    """Return the words of the present revision, to be counted."""
    keyword = passages.keyword
    tail_words, tail_slots, _ = keyword.tail
    return WordList(
        words=list(keyword.words),
        starts=keyword.starts,
        slots=keyword.slots,
        tail_words=tail_words.copy(),
        tail_slots=tail_slots.copy(),
        is_alive=passages.slots.note_ids >= 0,
    )
