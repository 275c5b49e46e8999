"""The symbols of a vault by name: the titles of its notes, their headings, and its concepts.

Titles and headings are numbered, equal texts by one number; a text that no note has any more stays
until ``compact``. A heading has a slot, used once, like the parts of notes. The name of a concept
has the concept's id as its number, so it needs no table of its own.

Invariant: the names of live notes and of concepts do not depend on the order of edits.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import NamedTuple

import numpy as np

from clew.index.graph import ConceptGraph
from clew.index.notes.facts import NoteFacts
from clew.index.slots import Slots
from clew.index.structures.columns import Column, Columns, array_column, named
from clew.index.structures.growable import GrowableArray
from clew.index.structures.string_table import StringIds, StringTable
from clew.index.symbol_words import NameWords
from clew.values.arrays import Int32Array, Int64Array
from clew.values.packing import Unpacker, pack

GARBAGE_MAX = 10_000  # unused texts, or dead slots, beyond the number of those in use
NO_NAME = -1
SHARED_HEADINGS_MIN = 3  # a heading that occurs so often may come from a template


class HeadingTotals(NamedTuple):
    """Sums over all headings that are symbols."""

    symbols: int = 0
    words: int = 0  # in the names of all symbols


_unpack_totals: Unpacker[HeadingTotals] = Unpacker(HeadingTotals)


class SymbolIndex:
    """The names of all symbols, kept up to date note by note."""

    def __init__(self, stemmer: str) -> None:
        self._texts = StringIds()  # titles and headings; it only grows, so copies share it
        self.texts = NameWords(stemmer)  # the words of ``_texts``
        self.concepts = NameWords(stemmer)  # by concept id
        self._titles = GrowableArray(np.int32)  # by note id
        self._slots = Slots()  # of headings
        self._names = GrowableArray(np.int32)  # by slot of a heading
        self._heading_counts = GrowableArray(np.int32)  # by number of a text: headings with it
        self.heading_totals = HeadingTotals()

    def copy(self) -> "SymbolIndex":
        """Return equal symbols, in constant time; later changes do not reach them."""
        other = SymbolIndex("")
        other._texts = self._texts
        other.texts, other.concepts = self.texts.copy(), self.concepts.copy()
        other._titles, other._slots = self._titles.copy(), self._slots.copy()
        other._names, other._heading_counts = self._names.copy(), self._heading_counts.copy()
        other.heading_totals = self.heading_totals
        return other

    def use_stemmers(self, stemmers: Sequence[str]) -> int:
        """Use these stemmers from now on; return how many words were stemmed for that."""
        return self.texts.use_stemmers(stemmers) + self.concepts.use_stemmers(stemmers)

    # -- reading ------------------------------------------------------------------------------

    @property
    def titles(self) -> Int32Array:
        """The number of each note's title among ``texts``, by note id; ``NO_NAME`` if gone."""
        return self._titles.rows

    @property
    def name_by_heading(self) -> Int32Array:
        """The number of each heading's name among ``texts``, by slot.

        ``NO_NAME`` where there is no symbol: in dead slots, and for a heading that repeats its
        note's title.
        """
        return self._names.rows

    @property
    def note_by_heading(self) -> Int32Array:
        """The note id of each heading, by slot; -1 for a dead slot."""
        return self._slots.note_ids

    @property
    def index_by_heading(self) -> Int32Array:
        """The index of each heading within its note, by slot."""
        return self._slots.parts

    @property
    def heading_counts(self) -> Int32Array:
        """How many headings have each of ``texts`` as their name."""
        return self._heading_counts.rows

    def headings_of(self, note_id: int) -> slice:
        """Return the slots of a note's headings, in their order."""
        return self._slots.slots_of(note_id)

    def are_shared(self, note_id: int) -> list[bool]:
        """Return for each heading of a note whether it says nothing specific to this note.

        True if it has no text, repeats the title, or occurs ``SHARED_HEADINGS_MIN`` times.
        """
        counts = self.heading_counts
        numbers: list[int] = self.name_by_heading[self.headings_of(note_id)].tolist()
        return [n == NO_NAME or bool(counts[n] >= SHARED_HEADINGS_MIN) for n in numbers]

    # -- changes ------------------------------------------------------------------------------

    def put(self, notes: Mapping[int, NoteFacts]) -> None:
        """Add or replace the titles and the headings of notes, by note id."""
        names = list(map(_names_of, notes.values()))
        numbers = iter(self._numbers(list(chain.from_iterable(names))))
        added: list[int] = []
        counts: dict[int, int] = {}  # of headings, by note id
        for note_id, names_of_note in zip(notes, names, strict=True):
            title, *headings = islice(numbers, len(names_of_note))
            self._titles.grow(note_id + 1, NO_NAME)
            self._titles.set(note_id, title)
            if self._names.rows[self.headings_of(note_id)].tolist() == headings:
                continue  # most edits change no heading
            self._drop_headings(note_id)
            counts[note_id] = len(headings)
            added += headings
        if counts:
            self._slots.put(np.array([*counts]), np.array([*counts.values()]))
            self._names.extend(added)
            self._count_headings(np.array(added, np.int32), 1)

    def _numbers(self, names: Sequence[str]) -> list[int]:
        """Return the numbers of texts, adding new ones; ``NO_NAME`` for ""."""
        first = len(self.texts)
        numbers = iter(self._texts.add_all(filter(None, names)))
        self.texts.add([self._texts.texts[n] for n in range(first, len(self._texts))])
        self._heading_counts.grow(len(self.texts))
        return [next(numbers) if name else NO_NAME for name in names]

    def drop(self, note_id: int) -> None:
        """Remove the title and the headings of a note."""
        self._titles.set(note_id, NO_NAME)
        self._drop_headings(note_id)

    def _drop_headings(self, note_id: int) -> None:
        slots = self._slots.drop(note_id)
        if slots.stop > slots.start:
            self._count_headings(self._names.rows[slots], -1)
            self._names.set(slots, NO_NAME)

    def _count_headings(self, names: Int32Array, sign: int) -> None:
        """Add headings with these names to the counts, or subtract them if ``sign`` is -1."""
        texts, counts = np.unique(names[names != NO_NAME], return_counts=True)
        if len(texts):
            self._heading_counts.set(texts, self.heading_counts[texts] + sign * counts)
            symbols, words = self.heading_totals
            symbols += sign * int(counts.sum())
            words += sign * int((self.texts.lengths[texts] * counts).sum())
            self.heading_totals = HeadingTotals(symbols, words)

    def add_concepts(self, graph: ConceptGraph) -> None:
        """Add the names of the concepts of ``graph`` that were not added yet."""
        new = range(len(self.concepts), graph.concept_slots)
        self.concepts.add(list(map(graph.name, new)))

    @property
    def needs_compaction(self) -> bool:
        """Whether most texts, or most slots, are unused."""
        used = len(self._titles) + self.heading_totals.symbols
        return max(len(self.texts), len(self._names)) > 2 * used + GARBAGE_MAX

    def compact(self) -> None:
        """Drop unused texts and dead slots."""
        names = self.name_by_heading[self._slots.compact()]
        kept = np.unique(np.concatenate([self.titles, names]))
        kept = kept[kept != NO_NAME].astype(np.int64)
        texts, self._texts = self._texts.texts, StringIds()
        self._texts.add_all(map(texts.__getitem__, kept.tolist()))
        new_numbers = np.full(len(self.texts) + 1, NO_NAME, np.int32)  # the last for ``NO_NAME``
        new_numbers[kept] = np.arange(len(kept))
        self._titles.replace(new_numbers[self.titles])
        self._names.replace(new_numbers[names])
        self._heading_counts.replace(self.heading_counts[kept])
        self.texts.compact(kept)

    def renumber(self, new_ids: Int32Array, note_ids: Int64Array, concepts: Int64Array) -> None:
        """Give new ids to the notes and the concepts.

        ``new_ids`` has the new ids of notes by old id; ``note_ids`` and ``concepts`` have the old
        ids of notes and of concepts by new id.
        """
        self._titles.replace(self.titles[note_ids])
        self._slots.renumber_notes(new_ids, len(note_ids))
        self.concepts.compact(concepts)

    # -- storing ------------------------------------------------------------------------------

    def columns(self) -> Iterator[Column]:
        """Yield the symbols as columns, for ``read``."""
        yield from named("table", self._texts.texts.columns(len(self.texts)))
        yield from named("texts", self.texts.columns())
        yield from named("concepts", self.concepts.columns())
        yield array_column("titles", self.titles)
        yield from named("slots", self._slots.columns())
        yield array_column("names", self.name_by_heading)
        yield array_column("headingCounts", self.heading_counts)
        yield "headingTotals", [pack(self.heading_totals)]

    @classmethod
    def read(cls, columns: Columns) -> "SymbolIndex":
        """Return the symbols that ``columns`` wrote.

        Raises:
            ValueError, LookupError: there are none.
        """
        index = cls("")
        index._texts = StringIds(StringTable(columns.of("table")))
        index.texts = NameWords.read(columns.of("texts"))
        index.concepts = NameWords.read(columns.of("concepts"))
        index._titles = GrowableArray.over(columns.array("titles", "<i4"))
        index._slots = Slots.read(columns.of("slots"))
        index._names = GrowableArray.over(columns.array("names", "<i4"))
        index._heading_counts = GrowableArray.over(columns.array("headingCounts", "<i4"))
        index.heading_totals = _unpack_totals(columns.data("headingTotals"))
        if not len(index._texts) == len(index.texts) == len(index._heading_counts):
            raise ValueError("words of other texts")
        if len(index._slots) != len(index._names):
            raise ValueError("headings without names")
        return index


def _names_of(facts: NoteFacts) -> list[str]:
    """Return the title and the headings of a note, "" for a heading that is not a symbol.

    The first heading that repeats the title is not a symbol, since the note itself is one.
    """
    title = facts.title.casefold()
    is_title = next((n for n, text in enumerate(facts.headings) if text.casefold() == title), None)
    headings = enumerate(facts.headings)
    return [facts.title, *("" if n == is_title else text.strip() for n, text in headings)]
