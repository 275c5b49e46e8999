"""The concept graph: concepts that share a note are neighbours.

The graph stores one row for each note: the concepts that the note mentions, with counts. Beside the
rows it keeps, for each concept, its postings: the ids of the notes that mention it. It stores no
edges. An edge of two concepts is counted from the rows when a query asks for it:

- neighbours of a concept: gather the rows of its postings and count the concepts in them
  (``graph_rows.neighbours``);
- weight of an edge: the sum of the weights of the notes whose rows hold both ends.

Three things follow. A note with n concepts costs n entries, not n * (n - 1) / 2 edges: 5,000 links
are 5,000 entries instead of 12 million edges. Removing a note is exact: its row and its postings
are deleted, and no sum has to be decremented. Weights may change with time without touching the
graph, since each query passes the weights of its own moment. The cost is at query time: the
neighbours of a concept cost the total length of the rows that mention it, 0.1-0.3 ms for most
concepts in a vault of 10,000 notes.

Notes and concepts have small integer ids, which index the arrays. An id is used once: a note that
is dropped and added again gets a new id, and a concept keeps its id even when no note mentions it
any more.

``copy`` takes constant time, since a copy shares all that does not change afterwards.

Invariant: after any sequence of ``put`` and ``drop`` the graph equals one built from the remaining
rows.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from clew.index.postings import Postings
from clew.index.structures.columns import Column, Columns, array_column, named
from clew.index.structures.growable import GrowableArray
from clew.index.structures.id_sums import DistinctIds, distinct_count, with_distinct
from clew.index.structures.layered_map import LayeredMap
from clew.index.structures.row_pool import RowPool
from clew.index.structures.stored_map import Rows
from clew.index.structures.string_table import GrowingStrings, StringIds, StringTable
from clew.values.arrays import BoolArray, Int32Array, Int64Array, IntegerArray

NO_CONCEPT = -1
_UNKNOWN = -1  # in place of a degree that must be counted again


@dataclass(frozen=True, slots=True)
class RowsWith:
    """The rows of all notes that mention one concept."""

    concept: int
    notes: Int32Array  # in no order
    cells: Int32Array  # the concepts of these notes, row after row
    lengths: Int64Array  # of the rows
    distinct: DistinctIds  # of the cells
    counts: Int64Array  # by distinct id: the notes that mention it


class ConceptGraph:
    """Rows of concepts by note, and postings of notes by concept."""

    def __init__(self) -> None:
        self._note_ids: LayeredMap[str, int] = LayeredMap()  # by path
        # These two only grow, so copies share them; a copy ignores later entries.
        self._paths = GrowingStrings()  # by note id
        self._concepts = StringIds()
        self._postings = Postings()
        self._rows = RowPool()  # by note id
        self._is_live = GrowableArray(np.bool_)  # by note id: whether it was not dropped
        self._own_concepts = GrowableArray(np.int32)  # by note id: the concept that it names
        # By concept: its number of neighbours, or ``_UNKNOWN`` if that may have changed since.
        self._degrees = GrowableArray(np.int32)
        self.edge_changes = 0  # rises when an edge is added, removed, or gets another count
        self.link_changes = 0  # rises whenever the mentions or the concept of a note may change
        self.lineage = object()  # shared by all copies, in which an id means the same

    def copy(self) -> "ConceptGraph":
        """Return an equal graph, in constant time; later changes do not reach it."""
        other = ConceptGraph()
        other._paths, other._concepts = self._paths, self._concepts
        other._note_ids = self._note_ids.copy()
        other._postings = self._postings.copy()
        other._rows = self._rows.copy()
        other._is_live, other._own_concepts = self._is_live.copy(), self._own_concepts.copy()
        other._degrees = self._degrees.copy()
        other.edge_changes, other.lineage = self.edge_changes, self.lineage
        other.link_changes = self.link_changes
        return other

    # -- changes ------------------------------------------------------------------------------

    def add(self, path: str) -> int:
        """Return the id of the note at ``path``; a new note gets the next id and an empty row."""
        note_id = self._note_ids.get(path)
        if note_id is None:
            note_id = self._new_note(path)
            self._rows.add_empty()
        return note_id

    def put(self, path: str, row: Mapping[str, int]) -> int:
        """Add or replace the row of the note at ``path``; return the note's id."""
        note_id = self.add(path)
        after = {self._add_concept(name): count for name, count in row.items()}
        self._change(note_id, after)
        self._rows.put(note_id, list(after), list(after.values()))
        return note_id

    def _change(self, note_id: int, after: dict[int, int]) -> None:
        """Update postings and counters for a note's new mentions, before its row is written."""
        concepts, counts = self._rows.row(note_id)
        before = dict(zip(concepts.tolist(), counts.tolist(), strict=True))
        is_other = after.keys() != before.keys()
        if is_other and max(len(after), len(before)) > 1:
            self.edge_changes += 1
            self._degrees.set(np.array([*before | after]), _UNKNOWN)
        self.link_changes += is_other
        self._postings.update(note_id, before, after)

    def drop(self, path: str) -> int | None:
        """Remove the note at ``path``; return the id it had, or ``None`` if there was none."""
        note_id = self._note_ids.pop(path, None)
        if note_id is None:
            return None
        self._change(note_id, {})
        self._rows.clear(note_id)
        self._is_live.set(note_id, False)
        self.link_changes += 1
        return note_id

    def set_own_concept(self, note_id: int, name: str | None) -> None:
        """Set the concept that a note names; it need not be mentioned by any note."""
        concept = NO_CONCEPT if name is None else self._add_concept(name)
        if concept != self._own_concepts.rows[note_id]:
            self._own_concepts.set(note_id, concept)
            self.link_changes += 1

    def add_concepts(self, names: Iterable[str]) -> None:
        """Give ids to concepts in this order, before any note is added."""
        for name in names:
            self._add_concept(name)

    def append(
        self, paths: Sequence[str], lengths: Int32Array, concepts: Int32Array, counts: Int32Array
    ) -> int:
        """Add the rows of notes to a graph from which no note was ever dropped.

        ``lengths``: the lengths of the rows; ``concepts`` and ``counts``: the rows, one after the
        other. Returns the id of the first note; the others follow it.

        Raises:
            IndexError: a concept id is unknown.
            ValueError: the lengths do not add up.
        """
        first = len(self._paths)
        if len(lengths) != len(paths) or not lengths.sum() == len(concepts) == len(counts):
            raise ValueError("row lengths do not add up")
        if len(concepts) and not 0 <= concepts.min() <= concepts.max() < self.concept_slots:
            raise IndexError("a row has a concept that is not known")
        for path in paths:
            self._new_note(path)
        self._rows.append(lengths, concepts, counts)
        self._degrees.set(concepts, _UNKNOWN)
        note_ids = np.repeat(np.arange(first, first + len(paths)), lengths)
        self._postings.append(concepts, note_ids.astype(np.int32), counts)
        return first

    def _new_note(self, path: str) -> int:
        note_id = len(self._paths)
        self._paths.append(path)
        self._is_live.append(True)
        self._own_concepts.append(NO_CONCEPT)
        self._note_ids.add(path, note_id)
        self.link_changes += 1
        return note_id

    def _add_concept(self, name: str) -> int:
        concept = self._concepts.add(name)
        if concept == self.concept_slots:
            self._postings.add_concept()
            self._degrees.append(0)
        return concept

    @property
    def dead_note_count(self) -> int:
        """The number of note ids whose notes were dropped."""
        return self.note_slots - len(self._note_ids)

    def renumbered(self, paths: Sequence[str]) -> "ConceptGraph":
        """Return the same graph without unused ids; ``paths`` are its notes in their new order."""
        names = sorted(self.concepts())
        new_ids = np.zeros(self.concept_slots, np.int32)  # by old concept id
        old_ids = [self._concepts.add(name) for name in names]
        new_ids[old_ids] = np.arange(len(names))
        notes = np.array([self._note_ids[path] for path in paths], np.int64)
        concepts, lengths = self._rows.concepts(notes)
        graph = ConceptGraph()
        graph.add_concepts(names)
        counts = self._rows.counts(notes)
        graph.append(paths, lengths.astype(np.int32), new_ids[concepts], counts)
        graph._degrees.replace(self._degrees.rows[old_ids])
        graph.edge_changes = self.edge_changes
        graph.link_changes = self.link_changes + 1
        return graph

    def columns(self) -> Iterator[Column]:
        """Yield the graph as columns, for ``read``."""
        notes = np.arange(self.note_slots)
        concepts, lengths = self._rows.concepts(notes)
        yield from named("paths", self._paths.columns(self.note_slots, self.is_live))
        yield from named("names", self._concepts.texts.columns(self.concept_slots))
        yield from named("postings", self._postings.columns())
        yield array_column("isLive", self.is_live)
        yield array_column("ownConcepts", self.own_concepts)
        yield array_column("degrees", self._degrees.rows)
        yield array_column("lengths", lengths)
        yield array_column("concepts", concepts)
        yield array_column("counts", self._rows.counts(notes))
        yield array_column("linkChanges", np.array([self.link_changes], np.int64))

    @classmethod
    def read(cls, columns: Columns) -> "ConceptGraph":
        """Return the graph that ``columns`` wrote, with the same ids.

        Raises:
            ValueError, LookupError: there is none.
        """
        graph = cls()
        paths = StringTable(columns.of("paths"))
        graph._paths, graph._note_ids = GrowingStrings(paths), LayeredMap(paths)
        graph._concepts = StringIds(StringTable(columns.of("names")))
        graph._postings = Postings.read(columns.of("postings"))
        graph._is_live = GrowableArray.over(columns.array("isLive", "?"))
        graph._own_concepts = GrowableArray.over(columns.array("ownConcepts", "<i4"))
        graph._degrees = GrowableArray.over(columns.array("degrees", "<i4"))
        graph._rows = RowPool.over(
            columns.array("lengths", "<i8"),
            columns.array("concepts", "<i4"),
            columns.array("counts", "<i4"),
        )
        (graph.link_changes,) = columns.array("linkChanges", "<i8").tolist()
        if (
            not len(graph._rows)
            == len(graph._is_live)
            == len(graph._own_concepts)
            == len(graph._paths)
        ):
            raise ValueError("rows of other notes")
        if not len(graph._postings) == len(graph._degrees) == len(graph._concepts):
            raise ValueError("postings of other concepts")
        return graph

    # -- notes --------------------------------------------------------------------------------

    @property
    def note_slots(self) -> int:
        """The length of an array by note id: one more than the largest note id."""
        return len(self._is_live)

    @property
    def is_live(self) -> BoolArray:
        """Whether there is a note with each note id."""
        return self._is_live.rows

    @property
    def own_concepts(self) -> Int32Array:
        """The concept that each note names or ``NO_CONCEPT``, by note id; also of dropped notes."""
        return self._own_concepts.rows

    @property
    def paths(self) -> GrowingStrings:
        """Paths by note id; ids at and beyond ``note_slots`` belong to later revisions."""
        return self._paths

    @property
    def note_rows(self) -> Rows:
        """The notes by id, as rows of the stored paths."""
        return Rows(self._paths, self.note_slots, self.note_id)

    @property
    def stored_paths(self) -> StringTable:
        """The stored paths by note id, of a graph that was read and has not changed."""
        assert self._paths.base is not None
        return self._paths.base

    @property
    def note_ids(self) -> Mapping[str, int]:
        """The id of each note, by path."""
        return self._note_ids

    def path(self, note_id: int) -> str:
        """Return the path of the note with this id."""
        path: str = self._paths[note_id]
        return path

    def note_id(self, path: str) -> int | None:
        """Return the id of the note at ``path``."""
        return self._note_ids.get(path)

    def row(self, path: str) -> dict[str, int]:
        """Return the concepts that the note at ``path`` mentions, with counts."""
        note_id = self._note_ids.get(path)
        if note_id is None:
            return {}
        concepts, counts = self._rows.row(note_id)
        names = map(self.name, concepts.tolist())
        return dict(zip(names, counts.tolist(), strict=True))

    def concepts_of_notes(self, notes: IntegerArray) -> tuple[Int32Array, Int64Array]:
        """Return the concept ids of ``notes``, one row after the other, and the row lengths."""
        return self._rows.concepts(notes)

    def row_lengths(self, notes: IntegerArray) -> Int64Array:
        """Return how many concepts each of ``notes`` mentions."""
        lengths: Int64Array = self._rows.lengths[notes]
        return lengths

    @property
    def rows(self) -> RowPool:
        """The rows by note id, which callers must not change."""
        return self._rows

    # -- concepts -----------------------------------------------------------------------------

    @property
    def concept_slots(self) -> int:
        """The length of an array by concept id: one more than the largest concept id."""
        return len(self._postings)

    def concept_id(self, name: str) -> int | None:
        """Return the id of a concept; ``None`` if no note mentions it."""
        concept = self._concepts.get(name)
        return concept if concept is not None and concept in self._postings else None

    def name(self, concept: int) -> str:
        """Return the name of the concept with this id."""
        name: str = self._concepts.texts[concept]
        return name

    def concept_names(self, first: int, end: int) -> list[str]:
        """Return the names of the ids from ``first`` to before ``end``, mentioned or not."""
        return self._concepts.texts.span(first, end)

    def concepts(self) -> list[str]:
        """Return the names of all concepts that some note mentions, in no order."""
        return list(map(self.name, np.flatnonzero(self.note_counts).tolist()))

    def notes_of(self, concept: int) -> Int32Array:
        """Return the ids of the notes that mention a concept, in no order."""
        return np.array(self._postings.notes_of(concept), dtype=np.int32)

    def notes_of_each(self, concepts: Int64Array) -> tuple[Int64Array, Int32Array]:
        """Return how many notes mention each of ``concepts``, and their ids, list after list."""
        return self._postings.notes_of_each(concepts)

    def note_count(self, concept: int) -> int:
        """Return how many notes mention a concept."""
        return len(self._postings.notes_of(concept))

    @property
    def note_counts(self) -> Int32Array:
        """How many notes mention each concept, by concept id; a read-only view."""
        return self._postings.counts

    @property
    def mention_counts(self) -> Int32Array:
        """How often notes mention each concept, by concept id; a read-only view."""
        return self._postings.mentions

    # -- edges --------------------------------------------------------------------------------

    def rows_with(self, concept: int) -> RowsWith:
        """Return the rows of the notes that mention a concept."""
        notes = self.notes_of(concept)
        cells, lengths = self._rows.concepts(notes)
        distinct = with_distinct(cells, self.concept_slots)
        return RowsWith(concept, notes, cells, lengths, distinct, np.bincount(distinct.group))

    def shared_notes(self, first: int, second: int) -> Int32Array:
        """Return the ids of the notes that mention both concepts, in no order."""
        return np.intersect1d(self.notes_of(first), self.notes_of(second), assume_unique=True)

    def edge_count(self) -> int:
        """Return how many pairs of concepts share a note.

        Counts again the neighbours of each concept whose rows changed since the last call, which
        takes as long as ``rows_with`` for each.
        """
        unknown = np.flatnonzero(self._degrees.rows == _UNKNOWN)
        if len(unknown):
            is_seen = np.zeros(self.concept_slots, dtype=np.bool_)
            self._degrees.set(unknown, [self._degree(c, is_seen) for c in unknown.tolist()])
        return int(self._degrees.rows.sum(dtype=np.int64)) // 2

    def _degree(self, concept: int, is_seen: BoolArray) -> int:
        mentioned, _ = self._rows.concepts(self.notes_of(concept))
        return max(0, distinct_count(mentioned, is_seen) - 1)  # the concept itself is mentioned too
