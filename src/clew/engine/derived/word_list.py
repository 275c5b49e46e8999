"""The words of one revision, from which the vocabulary is counted.

Counting takes 0.1 s in a large vault. A ``WordList`` holds copies and frozen arrays only, so it can
be counted on any thread, even while changes are applied to the index.
"""

from dataclasses import dataclass

import numpy as np

from clew.engine.passages import Passages
from clew.text.fuzzy import Vocabulary, build
from clew.values.arrays import BoolArray, Int32Array, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class WordList:
    """The postings of all words: a part sorted by word, and an unsorted tail of pairs."""

    words: list[str]  # by word id
    order: Int32Array  # word ids, nearly in the order of the words, so that sorting takes no time
    starts: Int64Array  # by word id: where its slots begin in ``slots``
    slots: Int32Array
    tail_words: Int32Array  # word ids
    tail_slots: Int32Array
    is_live: BoolArray  # by slot

    def vocabulary(self) -> Vocabulary:
        """Return the words that occur in live passages, each with the number of these passages."""
        counts = np.zeros(len(self.words), np.int64)
        posted = np.flatnonzero(np.diff(self.starts))
        if len(posted):
            # All slots are in range; "clip" only skips the check of each.
            is_live = self.is_live.view(np.int8).take(self.slots, mode="clip")
            counts[posted] = np.add.reduceat(is_live, self.starts[posted], dtype=np.int64)
        live_tail_words = self.tail_words[self.is_live[self.tail_slots]]
        counts += np.bincount(live_tail_words, minlength=len(self.words))
        used = self.order[counts[self.order] > 0]
        return build([self.words[word_id] for word_id in used.tolist()], counts[used])


def word_list(passages: Passages) -> WordList:
    """Return the words of the present revision."""
    keyword = passages.keyword
    tail_words, tail_slots, _ = keyword.tail
    return WordList(
        words=keyword.words.first(keyword.word_count),
        order=keyword.nearly_alphabetical,
        starts=keyword.starts,
        slots=keyword.slots,
        tail_words=tail_words,
        tail_slots=tail_slots,
        is_live=passages.slots.note_ids >= 0,
    )
