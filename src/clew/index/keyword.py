"""The keyword index: maps each word to its postings, which are pairs of a slot and a count.

Most postings are in sorted arrays: the postings of one word are consecutive, by rising slot.
Postings added later are in the tail (``words.tail``), where a reader finds those of a word nearly
as fast. ``columns`` and ``compact`` merge the tail into the sorted arrays. A slot whose note was
changed or removed is dead (a tombstone): its postings stay until the next ``compact``, and readers,
who know which slots are dead, leave them out. Statistics such as document frequencies are counted
from live slots, so they are exact after any edits.

Words are stored as they are written. A term is the stem that several words share, or the stems of a
word in several languages; a query for a term reads the postings of all words with one of them.

Invariant: the postings of live slots do not depend on the order of edits.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

import numpy as np

from clew.index.structures.columns import Column, Columns, array_column, named
from clew.index.structures.growable import GrowableArray
from clew.index.structures.string_table import GrowingStrings, StringIds, StringTable
from clew.index.words.cells import joined, starts_of
from clew.index.words.sorted_postings import (
    COUNT_MAX,
    SLOTS_MAX,
    WORDS_MAX,
    sorted_postings,
)
from clew.index.words.tail import Tail
from clew.index.words.tail_merge import TailMerge
from clew.index.words.term_table import TermTable
from clew.text.terms import STEMS_JOINED_BY
from clew.values.arrays import (
    BoolArray,
    Float64Array,
    Int32Array,
    Int64Array,
    IntegerArray,
    Uint16Array,
)
from clew.values.note_words import Words
from clew.values.packing import Unpacker, pack

UNUSED_SHARE_MAX = 0.2  # of the words, up to which those without postings are kept

_BISECTION_READS = 32  # about so many stored words are read to insert a new one
_unpack_stemmers: Unpacker[tuple[str, ...]] = Unpacker(tuple[str, ...])
TAIL_MAX = 200_000  # postings; those of a longer tail would not all be in order


class KeywordIndex:
    """Words by id, the postings of each, and the number of words in each slot."""

    def __init__(self, stemmer: str) -> None:
        # It only grows, so copies share it; a copy ignores ids from its ``_word_count`` on.
        self._words = StringIds()
        self._tables: tuple[TermTable, ...] = (TermTable(stemmer),)
        self._word_count = 0
        self.ranks = np.zeros(0, np.int32)  # by id of a stored word: its alphabetical rank
        # The sorted postings; word ``w`` has those from ``starts[w]`` to ``starts[w + 1]``.
        self.starts = np.zeros(1, np.int64)
        self.slots = np.zeros(0, np.int32)
        self.counts = np.zeros(0, np.uint16)
        self._tail = Tail()
        self._lengths = GrowableArray(np.int32)  # by slot

    def copy(self) -> "KeywordIndex":
        """Return an equal index, in constant time; later changes do not reach it."""
        other = KeywordIndex("")
        other._words, other._word_count = self._words, self._word_count
        other._tables = tuple(table.copy() for table in self._tables)
        other.ranks = self.ranks
        other.starts, other.slots, other.counts = self.starts, self.slots, self.counts
        other._tail = self._tail.copy()
        other._lengths = self._lengths.copy()
        return other

    @property
    def words(self) -> GrowingStrings:
        """The words by id; after ``word_count``, words of later revisions may follow."""
        return self._words.texts

    @property
    def word_count(self) -> int:
        """The number of words; words that only dead slots have are included."""
        return self._word_count

    @property
    def stemmers(self) -> tuple[str, ...]:
        """The stemmers, in the order of the stems in a term."""
        return tuple(table.stemmer for table in self._tables)

    @property
    def lengths(self) -> Int32Array:
        """The number of words that each slot has as a passage; 0 for a head with chunks below.

        The words of a head also count in each chunk of the note. Dead slots are included.
        """
        return self._lengths.rows

    @property
    def tail(self) -> tuple[Int32Array, Int32Array, Uint16Array]:
        """The postings added since the last compaction, as they came: word ids, slots, counts."""
        return self._tail.columns

    @property
    def has_long_tail(self) -> bool:
        """Whether the tail is so long that the index should be written and read again."""
        return len(self._tail) > TAIL_MAX

    # -- vocabulary ---------------------------------------------------------------------------

    def id_of(self, word: str) -> int | None:
        """Return the id of ``word``; ``None`` if it is not in the vocabulary."""
        word_id = self._words.get(word)
        return word_id if word_id is not None and word_id < self.word_count else None

    def ids_of_term(self, term: str) -> list[int]:
        """Return the ids of the words that share a stem with ``term``, rising.

        A term joins the stems of a word by each of ``stemmers`` (``terms.term_in_languages``).
        """
        stems = zip(self._tables, term.split(STEMS_JOINED_BY), strict=True)
        groups = [table.ids_of(stem) for table, stem in stems]
        return groups[0] if len(groups) == 1 else sorted(set().union(*groups))

    def use_stemmers(self, stemmers: Sequence[str]) -> int:
        """Use these stemmers from now on; return how many words were stemmed for that."""
        tables = {table.stemmer: table for table in self._tables}
        new = [stemmer for stemmer in stemmers if stemmer not in tables]
        for stemmer in new:
            tables[stemmer] = TermTable(stemmer)
            tables[stemmer].add(self.words.first(self.word_count))
        self._tables = tuple(tables[stemmer] for stemmer in stemmers)
        return len(new) * self.word_count

    def _add_words(self, words: Sequence[str]) -> list[int]:
        """Return the ids of ``words``, after adding those that are new."""
        first_new = len(self._words)
        ids = self._words.add_all(words)
        if len(self._words) > first_new:
            self._word_count = len(self._words)
            new = [self.words[word_id] for word_id in range(first_new, self._word_count)]
            for table in self._tables:
                table.add(new)
        return ids

    def _keep_words(self, kept: list[int]) -> None:
        """Keep the words with these ids only, and give them new ids in this order."""
        words = self._words.texts
        self._words = StringIds()
        self._words.add_all([words[word_id] for word_id in kept])
        self._word_count = len(kept)
        self._tables = tuple(table.kept(kept) for table in self._tables)
        self.ranks = np.zeros(0, np.int32)

    # -- changes ------------------------------------------------------------------------------

    def put(self, part_counts: IntegerArray, notes: Sequence[Words]) -> Int64Array:
        """Add the words of notes to the next slots, one for each of their parts.

        Returns the length of each note: the number of words in all its parts.
        """
        words, word_indexes, parts, counts = joined(part_counts, notes)
        word_ids = np.array(self._add_words(words), np.int32)
        # Sums are float64, which is exact far beyond any count.
        lengths = np.bincount(parts, counts, int(part_counts.sum())).astype(np.float64)
        first = self._lengths.extend(_passage_lengths(lengths, part_counts))
        self._tail.extend(word_ids[word_indexes], parts + first, np.minimum(counts, COUNT_MAX))
        return np.add.reduceat(lengths, starts_of(part_counts)).astype(np.int64)

    @property
    def has_many_unused_words(self) -> bool:
        """Whether ``compact`` would drop many words; call it after ``drop_dead``."""
        used = np.count_nonzero(np.diff(self.starts))
        return bool(self.word_count - used > UNUSED_SHARE_MAX * self.word_count)

    def drop_dead(self, kept: Int64Array) -> None:
        """Merge the tail into the sorted postings, and drop the postings of dead slots.

        ``kept``: the live slots in their new order. Words keep their ids, even without postings.
        """
        words, slots, counts = self._live_postings(kept)
        self._replace_postings(kept, words, slots, counts, self.word_count)

    def compact(self, kept: Int64Array) -> None:
        """Do the same, give words new ids in alphabetical order, and drop unused words."""
        words, slots, counts = self._live_postings(kept)
        used = sorted(np.unique(words).tolist(), key=self.words.__getitem__)
        assert len(used) <= WORDS_MAX
        new_word_ids = np.zeros(len(self.words), np.int64)  # by old word id
        new_word_ids[used] = np.arange(len(used))
        self._replace_postings(kept, new_word_ids[words], slots, counts, len(used))
        self._keep_words(used)

    def _live_postings(self, kept: Int64Array) -> tuple[Int32Array, Int64Array, Uint16Array]:
        """Return the postings of live slots, in no order: word ids, new slots, counts."""
        new_slots = np.full(len(self._lengths), -1, np.int64)  # by old slot
        new_slots[kept] = np.arange(len(kept))
        words, slots, counts = self.all_postings()
        is_alive = new_slots[slots] >= 0
        return words[is_alive], new_slots[slots[is_alive]], counts[is_alive]

    def _replace_postings(
        self,
        kept: Int64Array,
        words: IntegerArray,
        slots: Int64Array,
        counts: Uint16Array,
        word_count: int,
    ) -> None:
        assert len(kept) <= SLOTS_MAX
        self.starts, self.slots, self.counts = sorted_postings(words, slots, counts, word_count)
        self._lengths.replace(self.lengths[kept])
        self._tail.clear()

    # -- reading ------------------------------------------------------------------------------

    def sorted_range(self, word: int) -> slice:
        """Return the range of a word's postings in ``slots`` and ``counts``, without the tail."""
        if word >= len(self.starts) - 1:
            return slice(0, 0)
        return slice(self.starts[word], self.starts[word + 1])

    def in_tail(self, words: Sequence[int] | Int64Array) -> Int64Array:
        """Return the positions in the tail of the postings of distinct words, by id, rising."""
        return self._tail.positions_of(words)

    def posting_counts(self, words: Int64Array) -> Int64Array:
        """Return how many postings each of these words has, dead slots included.

        ``words``: rising ids.
        """
        sorted_words = words[: np.searchsorted(words, len(self.starts) - 1)]
        tail_words = self.tail[0][self.in_tail(words)]
        counts = np.bincount(np.searchsorted(words, tail_words), minlength=len(words))
        counts[: len(sorted_words)] += self.starts[sorted_words + 1] - self.starts[sorted_words]
        return counts

    def postings_of(self, words: Sequence[int]) -> tuple[Int32Array, Uint16Array]:
        """Return the postings of words with distinct ids, dead slots included: slots, counts.

        The arrays may be views of the index: callers must not change them. A slot that has several
        of the words occurs several times.
        """
        ranges = list(map(self.sorted_range, words))
        _, tail_slots, tail_counts = self.tail
        in_tail = self.in_tail(words)
        if len(ranges) == 1 and not len(in_tail):
            return self.slots[ranges[0]], self.counts[ranges[0]]
        return (
            np.concatenate([*(self.slots[range_] for range_ in ranges), tail_slots[in_tail]]),
            np.concatenate([*(self.counts[range_] for range_ in ranges), tail_counts[in_tail]]),
        )

    def has_any(self, words: Sequence[int], slots: Int32Array) -> BoolArray:
        """Return which of ``slots`` have any of the words with these ids.

        Takes time for ``slots`` and for a share of the tail, but not for the postings of the words.
        """
        has_word = np.isin(slots, self.tail[1][self.in_tail(words)])
        for word in words:
            rising = self.slots[self.sorted_range(word)]
            if len(rising):
                places = np.searchsorted(rising, slots)
                has_word |= rising.take(places, mode="clip") == slots
        return has_word

    def all_postings(self) -> tuple[Int32Array, Int32Array, Uint16Array]:
        """Return all postings, dead slots included, in no order: word ids, slots, counts."""
        words = np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), np.diff(self.starts))
        tail_words, tail_slots, tail_counts = self.tail
        return (
            np.concatenate([words, tail_words]),
            np.concatenate([self.slots, tail_slots]),
            np.concatenate([self.counts, tail_counts]),
        )

    # -- storing ------------------------------------------------------------------------------

    def columns(self) -> Iterator[Column]:
        """Yield the index as columns, for ``read``; the tail is merged into the sorted postings."""
        word_count = self.word_count
        yield from named("words", self._words.texts.columns(word_count))
        yield "stemmers", [pack(self.stemmers)]
        for table in self._tables:
            yield from named(f"terms.{table.stemmer}", table.columns())
        yield array_column("ranks", _inverse(self._by_text()))
        yield array_column("lengths", self.lengths)
        merge = TailMerge(self.starts, len(self.slots), self.tail, word_count)
        yield array_column("starts", merge.starts)
        yield "slots", merge.merged(self.slots, merge.tail_slots)
        yield "counts", merge.merged(self.counts, merge.tail_counts)

    def _by_text(self) -> Int32Array:
        """Return all word ids in alphabetical order; with few new words, read few stored ones."""
        stored = _inverse(self.ranks)
        later = range(len(stored), self.word_count)
        if len(later) * _BISECTION_READS > len(stored):
            texts = self.words.first(self.word_count)
            # The list is nearly in order, so sorting it takes little time.
            by_text = sorted([*stored.tolist(), *later], key=texts.__getitem__)
            return np.array(by_text, np.int32)
        text_of, stored_ids = self.words.__getitem__, stored.data
        later_by_text = sorted(later, key=text_of)
        places = [bisect_left(stored_ids, text_of(word), key=text_of) for word in later_by_text]
        return np.insert(stored, places, later_by_text).astype(np.int32)

    @classmethod
    def read(cls, columns: Columns) -> "KeywordIndex":
        """Return the index that ``columns`` wrote.

        Raises:
            ValueError, LookupError: there is none.
        """
        index = cls("")
        index._words = StringIds(StringTable(columns.of("words")))
        index._word_count = len(index._words)
        terms, stemmers = columns.of("terms"), _unpack_stemmers(columns.data("stemmers"))
        index._tables = tuple(TermTable.read(terms.of(name), name) for name in stemmers)
        index.ranks = columns.array("ranks", "<i4")
        index._lengths = GrowableArray.over(columns.array("lengths", "<i4"))
        index.starts = columns.array("starts", "<i8")
        index.slots = columns.array("slots", "<i4")
        index.counts = columns.array("counts", "<u2")
        counts = {len(index.ranks), len(index.starts) - 1, *map(len, index._tables)}
        if counts != {index.word_count}:
            raise ValueError("postings of other words")
        if not int(index.starts[-1]) == len(index.slots) == len(index.counts):
            raise ValueError("postings without counts")
        return index


def _inverse(order: Int32Array) -> Int32Array:
    """Return the inverse of ``order``, a permutation of 0, 1, 2 ..."""
    places = np.empty(len(order), np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return places


def _passage_lengths(lengths: Float64Array, part_counts: IntegerArray) -> Float64Array:
    """Return the lengths of notes' parts as passages; see ``KeywordIndex.lengths``."""
    heads = starts_of(part_counts)
    passages = lengths + np.repeat(lengths[heads], part_counts)
    passages[heads] = np.where(part_counts == 1, lengths[heads], 0.0)
    return passages
