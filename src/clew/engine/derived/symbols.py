"""What the vault is made of by name: the titles of notes, their headings, and concepts.

The words of a name are looked at once and kept over revisions, for there are too many to look at
whenever one is asked for. What is new can be learned on any thread, since it is frozen; which names
there are at a revision is put together from what was learned.
"""

from array import array
from dataclasses import dataclass
from typing import NamedTuple
from weakref import ref

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.graph import ConceptGraph
from clew.index.symbol_words import NameTable
from clew.values.arrays import Int32Array
from clew.values.note import Note

GARBAGE_MAX = 10_000  # names of no note any more, and as many again as there are
NO_NAME = -1


@dataclass(frozen=True, slots=True)
class Unlearned:
    """What a snapshot holds that no name was learned of; frozen values only."""

    notes: tuple[Note, ...]
    concepts: tuple[str, ...]

    @property
    def count(self) -> int:
        """About how many names there are to be learned."""
        return len(self.concepts) + sum(1 + len(note.headings) for note in self.notes)


@dataclass(frozen=True, slots=True, eq=False)
class Symbols:
    """The names of one revision; ``NO_NAME`` where there is no symbol."""

    titles: Int32Array  # of notes, by note id
    headings: Int32Array  # of all headings, note after note
    notes: Int32Array  # the note id of each heading
    places: Int32Array  # of each heading in its note
    concepts: Int32Array  # by concept id


class _Learned(NamedTuple):
    """What is kept of a note whose names were learned: not the note, for its text is long."""

    content_hash: str
    name_only: bool
    names: bytes  # their numbers: its title, its headings

    def says_same_as(self, note: Note) -> bool:
        """Tell whether another reading of the file has the same names."""
        return self.content_hash == note.content_hash and self.name_only == note.name_only


class SymbolNames:
    """Names that were learned, and which of them the present revision has.

    Holds on to no revision: who ranks once a day would keep a whole vault in memory.
    """

    def __init__(self, stemmer: str) -> None:
        self._stemmer = stemmer
        self._start_anew()

    def _start_anew(self) -> None:
        self.written = NameTable(self._stemmer)  # titles and headings
        self.concepts = NameTable(self._stemmer)
        self._notes: dict[str, _Learned] = {}  # by path
        self._written_count = 0
        self._symbols: tuple[int, Symbols] | None = None  # with their revision
        self._graph: ref[ConceptGraph] | None = None  # whose concepts have these names, by id:
        self._of_concepts = np.zeros(0, np.int32)

    def unlearned(self, snapshot: Snapshot) -> Unlearned:
        """Return what is to be learned before ``symbols`` can be told."""
        is_counted = self._symbols is not None
        if is_counted and len(self.written) > 2 * self._written_count + GARBAGE_MAX:
            self._start_anew()
        if self._told(snapshot) is not None:
            return Unlearned((), ())
        changed = []
        for path, entry in snapshot.entries.items():
            known = self._notes.get(path)
            if known is None or not known.says_same_as(entry.note):
                changed.append(entry.note)
        graph = snapshot.graph
        first = len(self._of_concepts) if self._knows(graph) else 0
        names = map(graph.name, range(first, graph.concept_slots))
        new = tuple(name for name in names if name not in self.concepts)
        return Unlearned(tuple(changed), new)

    def learn(self, unlearned: Unlearned) -> None:
        """Learn names; on any thread, as long as nobody looks at this meanwhile."""
        self.concepts.add(unlearned.concepts)
        self.written.add(name for note in unlearned.notes for name in _names_of(note) if name)
        for note in unlearned.notes:
            numbers = [self.written.number(name) if name else NO_NAME for name in _names_of(note)]
            packed = array("i", numbers).tobytes()
            self._notes[note.path] = _Learned(note.content_hash, note.name_only, packed)

    def symbols(self, snapshot: Snapshot) -> Symbols:
        """Return which names there are at a revision of which all was learned."""
        graph = snapshot.graph
        told = self._told(snapshot)
        if told is not None:
            return told
        known = len(self._of_concepts) if self._knows(graph) else 0
        names = map(graph.name, range(known, graph.concept_slots))
        new = np.array([self.concepts.number(name) for name in names], np.int32)
        self._of_concepts = np.concatenate([self._of_concepts[:known], new])
        self._graph = ref(graph)
        if len(self._notes) > len(snapshot.entries):
            for path in self._notes.keys() - snapshot.entries.keys():
                del self._notes[path]
        symbols = self._put_together(graph)
        self._written_count = len(symbols.titles) + len(symbols.headings)
        self._symbols = snapshot.derived.revision, symbols
        return symbols

    def _knows(self, graph: ConceptGraph) -> bool:
        return self._graph is not None and self._graph() is graph

    def _told(self, snapshot: Snapshot) -> Symbols | None:
        """Return the symbols, if they were put together since the last change of a note."""
        if self._symbols is None or not self._knows(snapshot.graph):
            return None
        revision, symbols = self._symbols
        return symbols if revision == snapshot.derived.revision else None

    def _put_together(self, graph: ConceptGraph) -> Symbols:
        parts = [self._notes[path].names if path else b"" for path in graph.paths]
        cells = np.frombuffer(b"".join(parts), np.intc).astype(np.int32)
        lengths = np.fromiter(map(len, parts), np.int64, len(parts)) // array("i").itemsize
        owners = np.repeat(np.arange(len(parts), dtype=np.int32), lengths)
        firsts = np.cumsum(lengths) - lengths
        is_title = np.zeros(len(cells), np.bool_)
        is_title[firsts[lengths > 0]] = True
        titles = np.full(len(parts), NO_NAME, np.int32)
        titles[owners[is_title]] = cells[is_title]
        places = np.arange(len(cells)) - firsts[owners] - 1
        return Symbols(
            titles=titles,
            headings=cells[~is_title],
            notes=owners[~is_title],
            places=places[~is_title].astype(np.int32),
            concepts=np.where(graph.note_counts() > 0, self._of_concepts, NO_NAME),
        )


def _names_of(note: Note) -> list[str]:
    """Return the title and the headings of a note, "" for those that are no symbols.

    The heading that says the title stands for the whole note, as the note itself does.
    """
    title = note.title.casefold()
    is_title = next((h for h in note.headings if h.text.casefold() == title), None)
    return [note.title, *(h.text.strip() if h is not is_title else "" for h in note.headings)]
