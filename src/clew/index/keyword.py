"""The keyword index: maps each word to its postings, which are pairs of a slot and a count.

Most postings are in sorted arrays: the postings of one word are consecutive, by rising slot.
Postings added later are in the tail, which is unsorted; every reader scans all of it. ``compact``
merges the tail into the sorted arrays. A slot whose note was changed or removed is dead (a
tombstone): its postings stay until the next ``compact``, and readers, who know which slots are
dead, leave them out. Statistics such as document frequencies are counted from live slots, so they
are exact after any edits.

Words are stored as they are written. A term is the stem that several words share; a query for a
term reads the postings of all its words.

Invariant: the postings of live slots do not depend on the order of edits.
"""

from collections.abc import Iterator, Sequence
from itertools import count

import numpy as np

from clew.index.structures.growable import GrowableArray
from clew.text.terms import term_of
from clew.values.arrays import AnyArray, Int32Array, Int64Array, Uint16Array, Uint64Array
from clew.values.note_words import Words

# ``compact`` packs a posting into 64 bits: word, slot, count.
_COUNT_BITS, _SLOT_BITS, _WORD_BITS = 12, 28, 24
COUNT_MAX = (1 << _COUNT_BITS) - 1  # Larger counts are stored as this; scores saturate far below.
SLOTS_MAX = (1 << _SLOT_BITS) - 1
WORDS_MAX = (1 << _WORD_BITS) - 1

TAIL_MAX = 200_000  # postings; scanning a longer tail would slow queries noticeably


class KeywordIndex:
    """Words by id, the postings of each, and the number of words in each slot."""

    def __init__(self, stemmer: str) -> None:
        self._stemmer = stemmer
        # These three only grow, so copies share them, and leave out ids beyond their own.
        self.words: list[str] = []  # by word id
        self._word_ids: dict[str, int] = {}
        self._term_ids: dict[str, int] = {}
        self._term_id_by_word = GrowableArray(np.int32)  # by word id
        # The sorted postings: those of word ``w`` are at ``starts[w]`` to ``starts[w + 1]``.
        self.starts = np.zeros(1, np.int64)
        self.slots = np.zeros(0, np.int32)
        self.counts = np.zeros(0, np.uint16)
        self._tail = tuple(GrowableArray(dtype) for dtype in (np.int32, np.int32, np.uint16))
        self._lengths = GrowableArray(np.int32)  # by slot

    def copy(self) -> "KeywordIndex":
        """Return an equal index, in constant time; later changes do not reach it."""
        other = KeywordIndex(self._stemmer)
        other.words, other._word_ids, other._term_ids = self.words, self._word_ids, self._term_ids
        other._term_id_by_word = self._term_id_by_word.copy()
        other.starts, other.slots, other.counts = self.starts, self.slots, self.counts
        other._tail = tuple(column.copy() for column in self._tail)
        other._lengths = self._lengths.copy()
        return other

    @property
    def word_count(self) -> int:
        """The number of words, those of dead slots included."""
        return len(self._term_id_by_word)

    @property
    def lengths(self) -> Int32Array:
        """The number of words in each slot, dead slots included."""
        return self._lengths.rows

    @property
    def tail(self) -> tuple[Int32Array, Int32Array, Uint16Array]:
        """The unsorted postings added since the last compaction: word ids, slots, counts."""
        words, slots, counts = self._tail
        return words.rows, slots.rows, counts.rows

    # -- vocabulary ---------------------------------------------------------------------------

    def id_of(self, word: str) -> int | None:
        """Return the id of ``word``; ``None`` if it is not in the vocabulary."""
        word_id = self._word_ids.get(word)
        return word_id if word_id is not None and word_id < self.word_count else None

    def ids_of_term(self, term: str) -> list[int]:
        """Return the ids of the words with the stem ``term``, rising."""
        term_id = self._term_ids.get(term)
        if term_id is None:
            return []
        return np.flatnonzero(self._term_id_by_word.rows == term_id).tolist()

    def vocabulary(self) -> Iterator[tuple[str, int]]:
        """Yield all words by id, each with its term id. Term ids rise by first occurrence."""
        return zip(self.words, self._term_id_by_word.rows.tolist(), strict=False)

    def terms(self) -> list[str]:
        """Return all terms by id; terms of later revisions may follow."""
        return list(self._term_ids)

    def add_words(self, words: Sequence[str], terms: Sequence[str], term_ids: Int32Array) -> None:
        """Give ids to the words and new terms of a stored revision, in order.

        Raises:
            ValueError: words and term ids do not match, or a word or term is already there.
        """
        if len(words) != len(term_ids):
            raise ValueError("words without terms")
        self._word_ids.update(zip(words, count(len(self.words)), strict=False))
        self.words += words
        term_count = len(self._term_ids) + len(terms)
        self._term_ids.update(zip(terms, count(len(self._term_ids)), strict=False))
        self._term_id_by_word.extend(term_ids)
        if len(self._word_ids) != len(self.words) or len(self._term_ids) != term_count:
            raise ValueError("words that were known already")
        if not _are_below(term_ids, term_count):
            raise ValueError("words of other terms")

    def _add_words_of_note(self, words: Sequence[str]) -> list[int]:
        """Return the ids of ``words``, after adding those that are new."""
        for word in words:
            if word not in self._word_ids:
                self._word_ids[word] = len(self.words)
                self.words.append(word)
                term = term_of(word, self._stemmer)
                self._term_id_by_word.extend([self._term_ids.setdefault(term, len(self._term_ids))])
        return list(map(self._word_ids.__getitem__, words))

    def _keep_words(self, kept: Sequence[int]) -> None:
        """Keep the words with these ids only, and give them new ids in this order."""
        terms = self.terms()
        kept_terms = [terms[term_id] for term_id in self._term_id_by_word.rows[kept].tolist()]
        self.words = [self.words[word_id] for word_id in kept]
        self._word_ids = {word: word_id for word_id, word in enumerate(self.words)}
        self._term_ids = {}
        for term in kept_terms:
            self._term_ids.setdefault(term, len(self._term_ids))
        self._term_id_by_word = GrowableArray(np.int32)
        self._term_id_by_word.extend([self._term_ids[term] for term in kept_terms])

    # -- changes ------------------------------------------------------------------------------

    def put(self, first: int, part_count: int, words: Words) -> None:
        """Add the words of a note to its new slots, which begin at ``first``."""
        word_ids = np.array(self._add_words_of_note(words.words.split("\n")[:-1]), np.int32)
        indexes, parts, counts = (
            np.frombuffer(column, np.int32) for column in (words.places, words.parts, words.counts)
        )
        assert first == len(self._lengths)
        # bincount returns float64, which is exact far beyond any count.
        self._lengths.extend(np.bincount(parts, weights=counts, minlength=part_count))
        self._extend_tail(word_ids[indexes], parts + first, np.minimum(counts, COUNT_MAX))

    def replace_postings(
        self, starts: Int64Array, slots: Int32Array, counts: Uint16Array, lengths: Int32Array
    ) -> None:
        """Replace all postings by these sorted ones, and empty the tail.

        Raises:
            ValueError: the arrays do not match one another or the vocabulary.
        """
        fits = 0 < len(starts) <= len(self.words) + 1 and len(slots) == len(counts)
        if not fits or starts[0] != 0 or starts[-1] != len(slots) or (np.diff(starts) < 0).any():
            raise ValueError("postings of another index")
        if not _are_below(slots, len(lengths)) or (len(lengths) and lengths.min() < 0):
            raise ValueError("postings of other slots")
        if not _are_below(counts, COUNT_MAX + 1):
            raise ValueError("postings that count too much")
        self.starts, self.slots, self.counts = starts, slots, counts
        self._lengths.replace(lengths)
        for column in self._tail:
            column.replace(())

    def append_to_tail(self, words: Int32Array, slots: Int32Array, counts: Uint16Array) -> None:
        """Add the unsorted postings of a stored revision.

        Raises:
            ValueError: a word id, slot or count is out of range.
        """
        fits = len(words) == len(slots) == len(counts)
        is_ours = _are_below(words, len(self.words)) and _are_below(slots, len(self._lengths))
        if not fits or not is_ours or not _are_below(counts, COUNT_MAX + 1):
            raise ValueError("postings of another index")
        self._extend_tail(words, slots, counts)

    def _extend_tail(self, *columns: AnyArray) -> None:
        for array, rows in zip(self._tail, columns, strict=True):
            array.extend(rows)

    def compact(self, kept: Int64Array) -> None:
        """Merge the tail into the sorted postings, and drop the postings of dead slots.

        ``kept``: the live slots in their new order. Words get new ids in alphabetical order; words
        without postings are dropped.
        """
        new_slots = np.full(len(self._lengths), -1, np.int64)  # by old slot
        new_slots[kept] = np.arange(len(kept))
        words, slots, counts = self.all_postings()
        is_alive = new_slots[slots] >= 0
        words, slots, counts = words[is_alive], slots[is_alive], counts[is_alive]
        used = sorted(np.unique(words).tolist(), key=self.words.__getitem__)
        assert len(used) <= WORDS_MAX
        assert len(kept) <= SLOTS_MAX
        new_word_ids = np.zeros(len(self.words), np.int64)  # by old word id
        new_word_ids[used] = np.arange(len(used))
        sorted_words, slots, counts = _sorted_postings(
            new_word_ids[words], new_slots[slots], counts
        )
        self._keep_words(used)
        starts = np.searchsorted(sorted_words, np.arange(len(used) + 1))
        self.replace_postings(starts, slots, counts, self.lengths[kept])

    # -- reading ------------------------------------------------------------------------------

    def sorted_range(self, word: int) -> slice:
        """Return the range of a word's postings in ``slots`` and ``counts``, without the tail."""
        if word >= len(self.starts) - 1:
            return slice(0, 0)
        return slice(self.starts[word], self.starts[word + 1])

    def postings_of(self, words: Sequence[int]) -> tuple[Int32Array, Uint16Array]:
        """Return the postings of the words with these ids, dead slots included: slots, counts.

        A slot that has several of the words occurs once for each.
        """
        ranges = list(map(self.sorted_range, words))
        tail_words, tail_slots, tail_counts = self.tail
        is_wanted = np.zeros(self.word_count, np.bool_)
        is_wanted[list(words)] = True
        in_tail = np.flatnonzero(is_wanted[tail_words])
        return (
            np.concatenate([*(self.slots[range_] for range_ in ranges), tail_slots[in_tail]]),
            np.concatenate([*(self.counts[range_] for range_ in ranges), tail_counts[in_tail]]),
        )

    def all_postings(self) -> tuple[Int32Array, Int32Array, Uint16Array]:
        """Return all postings, dead slots included, in no order: word ids, slots, counts."""
        words = np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), np.diff(self.starts))
        tail_words, tail_slots, tail_counts = self.tail
        return (
            np.concatenate([words, tail_words]),
            np.concatenate([self.slots, tail_slots]),
            np.concatenate([self.counts, tail_counts]),
        )

    def containers(self) -> tuple[list[str], dict[str, int], dict[str, int]]:
        """Return the large containers, which the caller frees incrementally."""
        return self.words, self._word_ids, self._term_ids


def _sorted_postings(
    words: Int64Array, slots: Int64Array, counts: Uint16Array
) -> tuple[Int64Array, Int32Array, Uint16Array]:
    """Return postings sorted by word, then slot.

    A posting is packed into one 64-bit number: one sort of these is many times faster than a sort
    by several keys.
    """
    packed: Uint64Array = words.astype(np.uint64) << np.uint64(_SLOT_BITS + _COUNT_BITS)
    packed |= slots.astype(np.uint64) << np.uint64(_COUNT_BITS)
    packed |= counts
    packed.sort()
    return (
        (packed >> np.uint64(_SLOT_BITS + _COUNT_BITS)).astype(np.int64),
        ((packed >> np.uint64(_COUNT_BITS)) & np.uint64(SLOTS_MAX)).astype(np.int32),
        (packed & np.uint64(COUNT_MAX)).astype(np.uint16),
    )


def _are_below(numbers: Int32Array | Uint16Array, bound: int) -> bool:
    """Return whether all ``numbers`` are in 0 .. ``bound`` - 1."""
    return not len(numbers) or (int(numbers.min()) >= 0 and int(numbers.max()) < bound)
