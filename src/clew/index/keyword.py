"""The keyword index: where each word stands, exactly, at the present revision.

An inverted table (word -> slots with counts) whose bulk is sorted arrays that never change, with an
unsorted tail of what was added since. Slots that died are left out by whoever reads, who knows
them; statistics are counted from what is alive, so they are exact whatever was edited before.

Invariant: what ``postings_of`` returns for the slots alive does not depend on the order of edits.
"""

from collections.abc import Iterator, Sequence
from itertools import count

import numpy as np

from clew.index.growable import GrowableArray
from clew.text.terms import term_of
from clew.values.arrays import AnyArray, Int32Array, Int64Array, Uint16Array
from clew.values.note_words import Words

COUNT_MAX = (1 << 12) - 1  # of one word in one part; more says no more
WORDS_MAX = (1 << 24) - 1
SLOTS_MAX = (1 << 28) - 1
TAIL_MAX = 200_000  # cells; looking through a longer one would be felt


class KeywordIndex:
    """Words by id, the slots each stands in, and how many words each slot has."""

    def __init__(self, stemmer: str) -> None:
        self._stemmer = stemmer
        self.words: list[str] = []  # by id
        self._ids: dict[str, int] = {}
        self._term_ids: dict[str, int] = {}
        self._terms = GrowableArray(np.int32)  # term ids by word id
        self.starts = np.zeros(1, np.int64)  # of each word's run in what follows; one more
        self.slots = np.zeros(0, np.int32)
        self.counts = np.zeros(0, np.uint16)
        self._tail = tuple(GrowableArray(dtype) for dtype in (np.int32, np.int32, np.uint16))
        self._lengths = GrowableArray(np.int32)

    @property
    def lengths(self) -> Int32Array:
        """How many words each slot has, dead ones too."""
        return self._lengths.rows

    @property
    def tail(self) -> tuple[Int32Array, Int32Array, Uint16Array]:
        """What was added since the sorted bulk: word ids, slots, counts."""
        words, slots, counts = self._tail
        return words.rows, slots.rows, counts.rows

    def id_of(self, word: str) -> int | None:
        """Return the id of ``word``; ``None`` when it never stood anywhere."""
        return self._ids.get(word)

    def ids_of_term(self, term: str) -> list[int]:
        """Return the ids of the words that stand for ``term``, by rising id."""
        known = self._term_ids.get(term)
        return [] if known is None else np.flatnonzero(self._terms.rows == known).tolist()

    # -- changes ------------------------------------------------------------------------------

    def put(self, first: int, part_count: int, words: Words) -> None:
        """Enter the words of a note whose parts have the slots from ``first`` on."""
        ids = np.array(self._ids_of(words.words.split("\n")[:-1]), np.int32)
        places, parts, counts = (
            np.frombuffer(cells, np.int32) for cells in (words.places, words.parts, words.counts)
        )
        assert first == len(self._lengths)
        # bincount gives float64, exact far beyond any count
        self._lengths.extend(np.bincount(parts, weights=counts, minlength=part_count))
        columns: tuple[AnyArray, ...] = (
            ids[places],
            parts + first,
            np.minimum(counts, COUNT_MAX),
        )
        for column, cells in zip(self._tail, columns, strict=True):
            column.extend(cells)

    def _ids_of(self, words: Sequence[str]) -> list[int]:
        for word in words:
            if word not in self._ids:
                self._ids[word] = len(self.words)
                self.words.append(word)
                term = term_of(word, self._stemmer)
                self._terms.extend([self._term_ids.setdefault(term, len(self._term_ids))])
        return list(map(self._ids.__getitem__, words))

    def vocabulary(self) -> Iterator[tuple[str, int]]:
        """Yield all words by id, each with the id of its term; those are given as they come."""
        return zip(self.words, self._terms.rows.tolist(), strict=True)

    def terms(self) -> list[str]:
        """Return all terms by id."""
        return list(self._term_ids)

    def add_words(self, words: Sequence[str], terms: Sequence[str], term_ids: Int32Array) -> None:
        """Give ids to words and terms in order, as they come from a sealed revision.

        Raises:
            ValueError: there is not one term for each word, or a word or term was known already.
        """
        if len(words) != len(term_ids):
            raise ValueError("words without terms")
        self._ids.update(zip(words, count(len(self.words)), strict=False))
        self.words += words
        term_count = len(self._term_ids) + len(terms)
        self._term_ids.update(zip(terms, count(len(self._term_ids)), strict=False))
        self._terms.extend(term_ids)
        if len(self._ids) != len(self.words) or len(self._term_ids) != term_count:
            raise ValueError("words that were known already")
        if not _are_within(term_ids, term_count):
            raise ValueError("words of other terms")

    def replace_postings(
        self, starts: Int64Array, slots: Int32Array, counts: Uint16Array, lengths: Int32Array
    ) -> None:
        """Hold this sorted bulk, with no tail.

        Raises:
            ValueError: the arrays do not fit one another.
        """
        fits = 0 < len(starts) <= len(self.words) + 1 and len(slots) == len(counts)
        if not fits or starts[0] != 0 or starts[-1] != len(slots) or (np.diff(starts) < 0).any():
            raise ValueError("postings of another index")
        if not _are_within(slots, len(lengths)) or (len(lengths) and lengths.min() < 0):
            raise ValueError("postings of other slots")
        if not _are_within(counts, COUNT_MAX + 1):
            raise ValueError("postings that count too much")
        self.starts, self.slots, self.counts = starts, slots, counts
        self._lengths.replace(lengths)
        for column in self._tail:
            column.replace(())

    def append_to_tail(self, words: Int32Array, slots: Int32Array, counts: Uint16Array) -> None:
        """Add unsorted cells, as they come from a sealed revision.

        Raises:
            ValueError: they are of other words or slots.
        """
        fits = len(words) == len(slots) == len(counts)
        is_ours = _are_within(words, len(self.words)) and _are_within(slots, len(self._lengths))
        if not fits or not is_ours or not _are_within(counts, COUNT_MAX + 1):
            raise ValueError("postings of another index")
        columns: tuple[AnyArray, ...] = (words, slots, counts)
        for column, cells in zip(self._tail, columns, strict=True):
            column.extend(cells)

    def compact(self, kept: Int64Array) -> None:
        """Sort the tail into the bulk; ``kept`` are the slots alive, in their new order.

        Words get ids anew, in the order of their letters; those that stand nowhere are let go.
        """
        new_slot = np.full(len(self._lengths), -1, np.int64)
        new_slot[kept] = np.arange(len(kept))
        words = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        words = np.concatenate([words, self.tail[0]])
        slots = new_slot[np.concatenate([self.slots, self.tail[1]])]
        counts = np.concatenate([self.counts, self.tail[2]])
        alive = slots >= 0
        words, slots, counts = words[alive], slots[alive], counts[alive]
        used = np.unique(words).tolist()
        used.sort(key=self.words.__getitem__)
        new_word = np.zeros(len(self.words), np.int64)
        new_word[used] = np.arange(len(used))
        assert len(used) <= WORDS_MAX
        assert len(kept) <= SLOTS_MAX
        # One sort of packed numbers: many times faster than sorting by several keys.
        packed = (new_word[words].astype(np.uint64) << np.uint64(40)) | (
            slots.astype(np.uint64) << np.uint64(12) | counts
        )
        packed.sort()
        sorted_words = (packed >> np.uint64(40)).astype(np.int64)
        self._let_go_of_all_words_but(used)
        self.replace_postings(
            np.searchsorted(sorted_words, np.arange(len(used) + 1)),
            ((packed >> np.uint64(12)) & np.uint64(SLOTS_MAX)).astype(np.int32),
            (packed & np.uint64(COUNT_MAX)).astype(np.uint16),
            self.lengths[kept],
        )

    def _let_go_of_all_words_but(self, used: Sequence[int]) -> None:
        words, terms, term_ids = self.words, self.terms(), self._terms.rows[used].tolist()
        self._terms, self._term_ids = GrowableArray(np.int32), {}
        self.words = [words[old] for old in used]
        self._ids = {word: place for place, word in enumerate(self.words)}
        named = [terms[old] for old in term_ids]
        for term in named:
            self._term_ids.setdefault(term, len(self._term_ids))
        self._terms.extend([self._term_ids[term] for term in named])

    # -- reading ------------------------------------------------------------------------------

    def sorted_range(self, word: int) -> slice:
        """Return where in the sorted bulk the cells of a word are, by its id."""
        if word >= len(self.starts) - 1:
            return slice(0, 0)
        return slice(self.starts[word], self.starts[word + 1])

    def postings_of(self, ids: Sequence[int]) -> tuple[Int32Array, Uint16Array]:
        """Return where the words with these ids stand, each its own cells: slots, counts.

        Slots that died are among them.
        """
        runs = list(map(self.sorted_range, ids))
        tail_words, tail_slots, tail_counts = self.tail
        is_wanted = np.zeros(len(self.words), np.bool_)
        is_wanted[list(ids)] = True
        wanted = np.flatnonzero(is_wanted[tail_words])
        return (
            np.concatenate([*(self.slots[run] for run in runs), tail_slots[wanted]]),
            np.concatenate([*(self.counts[run] for run in runs), tail_counts[wanted]]),
        )

    def rows(self) -> tuple[Int32Array, Int32Array, Uint16Array]:
        """Return all cells: word ids, slots and counts, in no order, dead slots among them."""
        words = np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), np.diff(self.starts))
        tail_words, tail_slots, tail_counts = self.tail
        return (
            np.concatenate([words, tail_words]),
            np.concatenate([self.slots, tail_slots]),
            np.concatenate([self.counts, tail_counts]),
        )

    def containers(self) -> tuple[list[str], dict[str, int], dict[str, int]]:
        """Return everything large that this holds, for whoever lets go of it."""
        return self.words, self._ids, self._term_ids


def _are_within(places: Int32Array | Uint16Array, count: int) -> bool:
    """Tell whether these are places in something of ``count`` entries."""
    return not len(places) or (int(places.min()) >= 0 and int(places.max()) < count)
