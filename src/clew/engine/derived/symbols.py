"""The symbols of a vault: the titles of its notes, their headings, and its concepts, by name.

The words of a name follow from its text alone, and there are too many names to read for each query.
So ``SymbolNames`` keeps the words of every name across revisions, in two ``NameTable``s, and for
each revision makes ``Symbols``: arrays with the number of each symbol's name in those tables.

``unlearned`` returns the new names of a snapshot as frozen values, ``learn`` reads them (on any
thread), ``symbols`` makes the arrays.
"""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from weakref import ref

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.facts import NoteFacts
from clew.index.graph import ConceptGraph
from clew.index.symbol_words import NameTable
from clew.values.arrays import Int32Array

if TYPE_CHECKING:
    from clew.engine.derived.derived_values import Derived

GARBAGE_MAX = 10_000  # unused names minus used names; with more than this, all are read again
NO_NAME = -1


@dataclass(frozen=True, slots=True)
class Unlearned:
    """The notes and concepts of a snapshot whose names were not read yet; frozen values only."""

    notes: tuple[tuple[str, NoteFacts], ...]  # with their paths
    concepts: tuple[str, ...]
    gone: tuple[str, ...] = ()  # paths of notes that are no more

    @property
    def count(self) -> int:
        """How many names there are to read, about."""
        return len(self.concepts) + sum(1 + len(facts.headings) for _, facts in self.notes)


@dataclass(frozen=True, slots=True, eq=False)
class Symbols:
    """The symbols of one revision.

    Names are numbers in one of the tables, ``NO_NAME`` where there is no symbol. Headings are
    sorted by note id, then by their place in the note.
    """

    text_names: NameTable  # the names of titles and headings
    concept_names: NameTable
    title_by_note: Int32Array  # number in ``text_names``
    name_by_heading: Int32Array  # number in ``text_names``
    note_by_heading: Int32Array  # note id
    index_by_heading: Int32Array  # which heading of its note it is
    name_by_concept: Int32Array  # number in ``concept_names``


class _NoteNames(NamedTuple):
    """The names of one note, without the note itself: its text is long."""

    content_hash: str
    name_only: bool
    numbers: bytes  # C ints: the number of its title, then of each heading

    def is_of(self, facts: NoteFacts) -> bool:
        """Return whether these names were read from this version of a note."""
        return self.content_hash == facts.content_hash and self.name_only == facts.name_only


class SymbolNames:
    """The names that were read, and which of them the present revision has.

    Holds no reference to a revision: a rare ``rank`` must not keep an old index in memory.
    """

    def __init__(self, stemmer: str) -> None:
        self._stemmer = stemmer
        self._reset()

    def _reset(self) -> None:
        self._text_names = NameTable(self._stemmer)
        self._concept_names = NameTable(self._stemmer)
        self._note_names_by_path: dict[str, _NoteNames] = {}
        self._revision = -1  # whose names were learned last
        # By note id of the graph of ``_lineage``: the numbers of each note; None: not gathered yet.
        self._numbers_by_note: list[bytes] | None = None
        self._used_count = 0  # how many of ``_text_names`` are used
        # The latest symbols, and the values of their revision, which identify it.
        self._symbols: tuple[ref[Derived], Symbols] | None = None
        self._lineage: object = None  # of the graph whose concepts follow here:
        self._name_by_concept = np.zeros(0, np.int32)

    def unlearned(self, snapshot: Snapshot) -> Unlearned:
        """Return what ``learn`` must be given before ``symbols`` is called."""
        if len(self._text_names) > 2 * self._used_count + GARBAGE_MAX and self._symbols is not None:
            self._reset()
        if self._cached(snapshot) is not None:
            return Unlearned((), ())
        changed, gone = self._changed_notes(snapshot)
        concepts = self._new_concepts(snapshot.graph)
        new = tuple(name for name in concepts if name not in self._concept_names)
        return Unlearned(tuple(changed), new, tuple(gone))

    def _changed_notes(
        self, snapshot: Snapshot
    ) -> tuple[list[tuple[str, NoteFacts]], Iterable[str]]:
        """Return the notes whose names are to be read, and those that are no more."""
        known, paths = self._note_names_by_path, self._paths_changed(snapshot)
        if paths is None:
            changed = list(snapshot.all_facts())
            gone = known.keys() - {path for path, _ in changed}
        else:
            found = ((path, snapshot.facts.get(path)) for path in paths)
            changed = [(path, facts) for path, facts in found if facts is not None]
            gone = paths - {path for path, _ in changed}
        return [
            (path, facts)
            for path, facts in changed
            if path not in known or not known[path].is_of(facts)
        ], gone

    def _paths_changed(self, snapshot: Snapshot) -> set[str] | None:
        """Return the notes that changed since the last symbols; ``None`` if that is not known."""
        if not self._has_concepts_of(snapshot.graph):
            return None
        return snapshot.changes.between(self._revision, snapshot.revision)

    def learn(self, unlearned: Unlearned) -> None:
        """Read names. It may run on any thread, but not at the same time as another method."""
        self._concept_names.add(unlearned.concepts)
        notes = unlearned.notes
        self._text_names.add(filter(None, (n for _, facts in notes for n in _names_of(facts))))
        for path, facts in notes:
            numbers = [
                self._text_names.number(name) if name else NO_NAME for name in _names_of(facts)
            ]
            packed = array("i", numbers).tobytes()
            self._note_names_by_path[path] = _NoteNames(facts.content_hash, facts.name_only, packed)
        for path in unlearned.gone:
            self._note_names_by_path.pop(path, None)

    def symbols(self, snapshot: Snapshot) -> Symbols:
        """Return the symbols of a snapshot of which all names were learned."""
        cached = self._cached(snapshot)
        if cached is not None:
            return cached
        graph = snapshot.graph
        new = [self._concept_names.number(name) for name in self._new_concepts(graph)]
        old = self._name_by_concept[: graph.concept_slots - len(new)]
        self._name_by_concept = np.concatenate([old, np.array(new, np.int32)])
        symbols = self._built(graph, self._numbers_of_notes(snapshot))
        self._lineage, self._revision = graph.lineage, snapshot.revision
        self._used_count = len(symbols.title_by_note) + len(symbols.name_by_heading)
        self._symbols = ref(snapshot.derived), symbols
        return symbols

    def _numbers_of_notes(self, snapshot: Snapshot) -> list[bytes]:
        """Return the numbers of each note's names by note id; gather those that changed."""
        graph, known = snapshot.graph, self._note_names_by_path
        paths = self._paths_changed(snapshot)
        if paths is None or self._numbers_by_note is None:
            gathered = [
                known[path].numbers if is_live else b""
                for path, is_live in zip(graph.paths, graph.is_live.tolist(), strict=False)
            ]
        else:
            gathered = self._numbers_by_note
            gathered += [b""] * (graph.note_slots - len(gathered))
            for note_id in np.flatnonzero(~graph.is_live).tolist():
                gathered[note_id] = b""
            for path in paths & known.keys():
                note_id = graph.note_ids[path]
                gathered[note_id] = known[path].numbers
        self._numbers_by_note = gathered
        return gathered

    def _has_concepts_of(self, graph: ConceptGraph) -> bool:
        return self._lineage is graph.lineage

    def _new_concepts(self, graph: ConceptGraph) -> list[str]:
        """Return the names of the concepts that ``_name_by_concept`` does not have yet, by id."""
        first = len(self._name_by_concept) if self._has_concepts_of(graph) else 0
        return list(map(graph.name, range(first, graph.concept_slots)))

    def _cached(self, snapshot: Snapshot) -> Symbols | None:
        """Return the symbols if no note has changed since they were made."""
        if self._symbols is None or not self._has_concepts_of(snapshot.graph):
            return None
        derived, symbols = self._symbols
        return symbols if derived() is snapshot.derived else None

    def _built(self, graph: ConceptGraph, packed: list[bytes]) -> Symbols:
        """Return the symbols of all notes and concepts of ``graph``.

        The numbers of all notes are laid end to end, a title followed by its headings; titles are
        then taken out. ``packed`` has the numbers of each note, by note id.
        """
        numbers = np.frombuffer(b"".join(packed), np.intc).astype(np.int32)
        lengths = np.fromiter(map(len, packed), np.int64, len(packed)) // array("i").itemsize
        note_ids = np.repeat(np.arange(len(packed), dtype=np.int32), lengths)
        firsts = np.cumsum(lengths) - lengths
        is_title = np.zeros(len(numbers), np.bool_)
        is_title[firsts[lengths > 0]] = True
        title_by_note = np.full(len(packed), NO_NAME, np.int32)
        title_by_note[note_ids[is_title]] = numbers[is_title]
        heading_indexes = np.arange(len(numbers)) - firsts[note_ids] - 1
        return Symbols(
            text_names=self._text_names,
            concept_names=self._concept_names,
            title_by_note=title_by_note,
            name_by_heading=numbers[~is_title],
            note_by_heading=note_ids[~is_title],
            index_by_heading=heading_indexes[~is_title].astype(np.int32),
            name_by_concept=np.where(graph.note_counts > 0, self._name_by_concept, NO_NAME),
        )


def _names_of(facts: NoteFacts) -> list[str]:
    """Return the title and the headings of a note, "" for a heading that is not a symbol.

    The first heading that repeats the title is not a symbol, since the note itself is one.
    """
    title = facts.title.casefold()
    is_title = next((n for n, text in enumerate(facts.headings) if text.casefold() == title), None)
    headings = enumerate(facts.headings)
    return [facts.title, *("" if n == is_title else text.strip() for n, text in headings)]
