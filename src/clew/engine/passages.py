"""The search indexes of one vault: slots for the parts of notes, their words, their vectors."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from clew.index.keyword import KeywordIndex
from clew.index.slots import DEAD, Slots
from clew.index.structures.columns import Column, Columns, array_column, named
from clew.index.structures.growable import GrowableArray
from clew.index.structures.word_shapes import WordShapes
from clew.index.vectors import VectorIndex
from clew.index.words.note_languages import NoteLanguages
from clew.values.arrays import Int8Array, Int32Array, Int64Array
from clew.values.note_words import Vectors, Words
from clew.values.packing import Unpacker, pack

_DEAD_SHARE_MAX = 0.1  # dead slots take memory in both processes, and time in exact search
_DEAD_MIN = 1_000
_FIRST_SLOTS = 64  # of a word's postings, checked before all others


class Totals(NamedTuple):
    """Sums over all notes, for means; lengths are in units of ``text.passages``."""

    notes: int = 0
    note_length: int = 0
    chunks: int = 0  # the head of a note without chunks counts as one
    chunk_length: int = 0  # of each chunk together with the head of its note

    def plus(self, other: "Totals", sign: int = 1) -> "Totals":
        """Return the sums plus those of ``other``, or minus those if ``sign`` is -1."""
        return Totals(*(mine + sign * its for mine, its in zip(self, other, strict=True)))


class PassagesOfNote(NamedTuple):
    """The words and the language of one note, to be indexed."""

    note_id: int
    part_count: int
    words: Words
    language: str | None = None  # a key of ``text.terms.LANGUAGES``, ``None`` if it is unclear


_unpack_totals: Unpacker[Totals] = Unpacker(Totals)


def _totals_of_note(note_length: int, lengths: Int32Array) -> Totals:
    """Return the sums of one note; ``lengths`` are those of its slots."""
    return Totals(1, note_length, max(1, len(lengths) - 1), int(lengths.sum()))


class Passages:
    """Keeps the slots, the keyword index and the vector index of one vault consistent."""

    def __init__(self, stemmer: str) -> None:
        self.slots = Slots()
        self.keyword = KeywordIndex(stemmer)
        self.shapes = WordShapes()  # of the stored words of ``keyword``
        self.vectors = VectorIndex()
        self.languages = NoteLanguages()
        self.totals = Totals()
        self.lengths_by_note = GrowableArray(np.int32)  # see ``note_lengths``

    def copy(self) -> "Passages":
        """Return the same passages, in constant time; later changes do not reach them."""
        other = Passages.__new__(Passages)
        other.slots, other.keyword = self.slots.copy(), self.keyword.copy()
        other.shapes, other.vectors = self.shapes, self.vectors.copy()
        other.languages = self.languages.copy()
        other.totals, other.lengths_by_note = self.totals, self.lengths_by_note.copy()
        return other

    @property
    def note_lengths(self) -> Int32Array:
        """The summed lengths of each note's parts, by note id; dropped notes keep theirs."""
        return self.lengths_by_note.rows

    @property
    def needs_compaction(self) -> bool:
        """Whether there are enough dead slots for ``compact`` to make queries faster."""
        dead = self.slots.dead_count
        return dead > _DEAD_MIN and dead > _DEAD_SHARE_MAX * len(self.slots)

    @property
    def chunk_count(self) -> int:
        """The number of chunks of all notes."""
        return int(np.count_nonzero((self.slots.note_ids != DEAD) & (self.slots.parts > 0)))

    def put(self, notes: Sequence[PassagesOfNote]) -> None:
        """Index the words of one note or more; earlier versions of them are dropped."""
        for note in notes:
            self.drop(note.note_id)
        note_ids = np.array([note.note_id for note in notes])
        part_counts = np.array([note.part_count for note in notes])
        first = self.slots.put(note_ids, part_counts)
        lengths = self.keyword.put(part_counts, [note.words for note in notes])
        self.vectors.extend(len(self.slots) - first)
        totals = Totals(
            len(notes),
            int(lengths.sum()),
            int(np.maximum(1, part_counts - 1).sum()),
            int(self.keyword.lengths[first:].sum()),
        )
        self.totals = self.totals.plus(totals)
        self.lengths_by_note.grow(int(note_ids.max()) + 1)
        self.lengths_by_note.set(note_ids, lengths)
        self.languages.put(note_ids, (note.language for note in notes), lengths)

    def drop(self, note_id: int) -> None:
        """Drop a note, if it is indexed."""
        slots = self.slots.drop(note_id)
        if slots.stop > slots.start:
            length = int(self.note_lengths[note_id])
            totals = _totals_of_note(length, self.keyword.lengths[slots])
            self.totals = self.totals.plus(totals, -1)
            self.vectors.drop(slots)
            self.languages.drop(note_id, length)

    def embed(self, vectors: Vectors, note_ids: Mapping[str, int]) -> None:
        """Store the vectors of indexed notes; ``note_ids`` are the ids of all notes, by path.

        Raises:
            ValueError: a note has not exactly one vector for each of its parts.
            KeyError: a note is not indexed.
        """
        self.vectors.set_model(vectors.model, vectors.dimensions)
        for path, codes in vectors.codes.items():
            rows = np.frombuffer(codes, np.int8).reshape(-1, vectors.dimensions)
            self.vectors.put(self.slots.slots_of(note_ids[path]), rows)

    def vectors_of(self, note_id: int) -> Int8Array | None:
        """Return the vectors of a note's parts; ``None`` while some are missing."""
        slots = self.slots.slots_of(note_id)
        return self.vectors.rows(slots) if self.vectors.is_embedded[slots].all() else None

    def words_in_use(self, groups: Sequence[Sequence[int]]) -> list[list[int]]:
        """Return the word ids of each group that occur in some note.

        The vocabulary keeps the words of deleted notes until the next ``compact``.
        """
        note_ids, keyword = self.slots.note_ids, self.keyword
        tail_words, tail_slots, _ = keyword.tail
        in_tail = keyword.in_tail(list(set(chain.from_iterable(groups))))
        tail_words_in_use = set()
        if len(in_tail):
            is_alive = note_ids[tail_slots[in_tail]] != DEAD
            tail_words_in_use.update(tail_words[in_tail[is_alive]].tolist())

        def is_in_use(word: int) -> bool:
            if word in tail_words_in_use:
                return True
            slots = keyword.slots[keyword.sorted_range(word)]
            if len(slots) and note_ids[slots[0]] != DEAD:  # so it is for most words
                return True
            parts = slots[:_FIRST_SLOTS], slots[_FIRST_SLOTS:]  # most have a live slot early
            return any((note_ids[part] != DEAD).any() for part in parts)

        return [list(filter(is_in_use, words)) for words in groups]

    def live_counts(self, words: Int64Array) -> Int64Array:
        """Return in how many passages each of these words occurs; ``words``: rising ids."""
        if not self.slots.dead_count:
            return self.keyword.posting_counts(words)
        keyword, is_live = self.keyword, self.slots.is_live
        tail_words, tail_slots, _ = keyword.tail
        in_tail = keyword.in_tail(words)
        live = tail_words[in_tail[is_live[tail_slots[in_tail]]]]
        counts = np.bincount(np.searchsorted(words, live), minlength=len(words))
        for index, word in enumerate(words.tolist()):
            slots = keyword.slots[keyword.sorted_range(word)]
            # All slots are in range; "clip" only skips the check of each.
            counts[index] += np.count_nonzero(is_live.take(slots, mode="clip"))
        return counts

    def slots_by_word(self, words: Sequence[int]) -> Iterator[Int32Array]:
        """Yield the slots of each of these words, given by id; dead slots are included.

        The tail of the keyword index is searched once for all words.
        """
        keyword = self.keyword
        in_tail = keyword.in_tail(words)
        tail_words, tail_slots, _ = (column[in_tail] for column in keyword.tail)
        for word in words:
            slots = keyword.slots[keyword.sorted_range(word)]
            later = tail_slots[tail_words == word]
            yield np.concatenate([slots, later]) if len(later) else slots

    def unembedded(self, model: str) -> list[int]:
        """Return the ids of notes that lack vectors of ``model``, rising."""
        if model != self.vectors.model:
            return [note_id for note_id, _ in self.slots.items()]
        lacking = self.slots.note_ids[~self.vectors.is_embedded]
        ids: list[int] = np.unique(lacking[lacking != DEAD]).tolist()
        return ids

    def compact(self) -> None:
        """Remove dead slots, merge the tail, and drop words if many are unused.

        Reading all words each time would leave the heap scattered: with 10,000 notes, the indexer
        took 9 MB more after the first time, and 21 MB after six times.
        """
        kept = self.slots.compact()
        self.keyword.drop_dead(kept)
        if self.keyword.has_many_unused_words:
            self.keyword.compact(np.arange(len(kept)))
            self.shapes = WordShapes()
        self.vectors.compact(kept)

    def renumber_notes(self, new_ids: Int32Array, count: int) -> None:
        """Give new ids, below ``count``, to the notes; ``new_ids`` has them by old id."""
        lengths = np.zeros(count, np.int32)
        notes = np.flatnonzero(self.slots.counts)
        lengths[new_ids[notes]] = self.note_lengths[notes]
        self.lengths_by_note.replace(lengths)
        self.languages.renumber_notes(notes, new_ids[notes], count)
        self.slots.renumber_notes(new_ids, count)

    # -- storing ------------------------------------------------------------------------------

    def columns(self) -> Iterator[Column]:
        """Yield the passages as columns, for ``read``."""
        yield from named("slots", self.slots.columns())
        yield from named("keyword", self.keyword.columns())
        later = self.keyword.words.later(len(self.shapes), self.keyword.word_count)
        yield from named("shapes", self.shapes.columns(later))
        yield from named("vectors", self.vectors.columns())
        yield from named("languages", self.languages.columns())
        yield array_column("noteLengths", self.note_lengths)
        yield "totals", [pack(self.totals)]

    @classmethod
    def read(cls, columns: Columns) -> "Passages":
        """Return the passages that ``columns`` wrote.

        Raises:
            ValueError, LookupError: there are none.
        """
        passages = cls.__new__(cls)
        passages.slots = Slots.read(columns.of("slots"))
        passages.keyword = KeywordIndex.read(columns.of("keyword"))
        passages.shapes = WordShapes.read(columns.of("shapes"))
        passages.vectors = VectorIndex.read(columns.of("vectors"))
        passages.languages = NoteLanguages.read(columns.of("languages"))
        passages.lengths_by_note = GrowableArray.over(columns.array("noteLengths", "<i4"))
        passages.totals = _unpack_totals(columns.data("totals"))
        if not len(passages.slots) == len(passages.keyword.lengths) == len(passages.vectors):
            raise ValueError("the columns have different numbers of slots")
        if len(passages.shapes) != passages.keyword.word_count:
            raise ValueError("shapes of other words")
        return passages
