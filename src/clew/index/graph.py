"""The concept graph: concepts that share a note are neighbours.

The graph stores one row for each note: the concepts that the note mentions, with counts. Beside the
rows it keeps, for each concept, its postings: the ids of the notes that mention it. It stores no
edges. An edge of two concepts is counted from the rows when a query asks for it:

- neighbours of a concept: gather the rows of its postings and count the concepts in them;
- weight of an edge: the sum of the weights of the notes whose rows hold both ends.

Three things follow. A note with n concepts costs n entries, not n * (n - 1) / 2 edges: 5,000 links
are 5,000 entries instead of 12 million edges. Removing a note is exact: its row and its postings
are deleted, and no sum has to be decremented. Weights may change with time without touching the
graph, since each query passes the weights of its own moment. The cost is at query time: the
neighbours of a concept cost the total length of the rows that mention it, 0.1-0.3 ms for most
concepts in a vault of 10,000 notes.

Notes and concepts have small integer ids, which index the arrays. The id of a dropped note is used
again; a concept keeps its id even when no note mentions it any more.

Invariant: after any sequence of ``put`` and ``drop`` the graph equals one built from the remaining
rows.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clew.index.structures.pair_sums import sum_over_pairs
from clew.index.structures.row_pool import RowPool
from clew.values.arrays import Float64Array, Int32Array, Int64Array, IntegerArray

# Sorting is faster than an array of all ids if there are this many times more ids than entries.
_SPARSE_FACTOR = 16


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The neighbours of one concept as parallel arrays, by falling score; ties in no order."""

    ids: Int32Array
    counts: Int32Array  # notes that mention both
    scores: Float64Array  # sum of the weights of those notes
    strength: float  # sum of ``scores``


class ConceptGraph:
    """Rows of concepts by note, and postings of notes by concept."""

    def __init__(self) -> None:
        self._note_ids: dict[str, int] = {}  # by path
        self._paths: list[str] = []  # by note id; "" for a free id
        self._free_note_ids: list[int] = []
        self._concept_ids: dict[str, int] = {}  # by name
        self._names: list[str] = []  # by concept id
        self._postings: list[array[int]] = []  # by concept id: note ids, in no order
        self._rows = RowPool()  # by note id
        self.edge_changes = 0  # rises whenever an edge appears, goes, or counts another note

    # -- changes ------------------------------------------------------------------------------

    def put(self, path: str, row: Mapping[str, int]) -> int:
        """Add or replace the row of the note at ``path``; return the note's id."""
        note_id = self._note_ids.get(path)
        before: set[int] = set()
        if note_id is None:
            note_id = self._new_note(path)
        else:
            before = set(self._rows.row(note_id)[0].tolist())
        concepts = [self._add_concept(name) for name in row]
        self._update_postings(note_id, before, set(concepts))
        self._rows.put(note_id, concepts, list(row.values()))
        return note_id

    def _update_postings(self, note_id: int, before: set[int], after: set[int]) -> None:
        if after != before and max(len(after), len(before)) > 1:
            self.edge_changes += 1
        for concept in before - after:
            self._postings[concept].remove(note_id)
        for concept in after - before:
            self._postings[concept].append(note_id)

    def drop(self, path: str) -> int | None:
        """Remove the note at ``path``; return the id it had, or ``None`` if there was none."""
        note_id = self._note_ids.pop(path, None)
        if note_id is None:
            return None
        self._update_postings(note_id, set(self._rows.row(note_id)[0].tolist()), set())
        self._rows.clear(note_id)
        self._paths[note_id] = ""
        self._free_note_ids.append(note_id)
        return note_id

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
        for path in paths:
            self._new_note(path)
        self._rows.append(lengths, concepts, counts)
        note_ids = np.repeat(np.arange(first, first + len(paths)), lengths)
        for concept, note_id in zip(concepts.tolist(), note_ids.tolist(), strict=True):
            self._postings[concept].append(note_id)
        return first

    def _new_note(self, path: str) -> int:
        if self._free_note_ids:
            note_id = self._free_note_ids.pop()
            self._paths[note_id] = path
        else:
            note_id = len(self._paths)
            self._paths.append(path)
        self._note_ids[path] = note_id
        return note_id

    def _add_concept(self, name: str) -> int:
        concept = self._concept_ids.get(name)
        if concept is None:
            concept = len(self._names)
            self._concept_ids[name] = concept
            self._names.append(name)
            self._postings.append(array("i"))
        return concept

    def containers(self) -> tuple[dict[str, int] | list[Any], ...]:
        """Return the large containers, which the caller frees incrementally."""
        return self._note_ids, self._concept_ids, self._names, self._paths, self._postings

    # -- notes --------------------------------------------------------------------------------

    @property
    def note_slots(self) -> int:
        """The length of an array by note id: one more than the largest note id."""
        return len(self._paths)

    @property
    def paths(self) -> Sequence[str]:
        """The paths of notes by note id; "" for an id that is not in use."""
        return self._paths

    def path(self, note_id: int) -> str:
        """Return the path of the note with this id."""
        return self._paths[note_id]

    def note_id(self, path: str) -> int | None:
        """Return the id of the note at ``path``."""
        return self._note_ids.get(path)

    def row(self, path: str) -> dict[str, int]:
        """Return the concepts that the note at ``path`` mentions, with counts."""
        note_id = self._note_ids.get(path)
        if note_id is None:
            return {}
        concepts, counts = self._rows.row(note_id)
        names = map(self._names.__getitem__, concepts.tolist())
        return dict(zip(names, counts.tolist(), strict=True))

    def concepts_of_notes(self, notes: IntegerArray) -> tuple[Int32Array, Int64Array]:
        """Return the concept ids of ``notes``, one row after the other, and the row lengths."""
        return self._rows.concepts(notes)

    def row_lengths(self, notes: IntegerArray) -> Int64Array:
        """Return how many concepts each of ``notes`` mentions."""
        lengths: Int64Array = self._rows.lengths[notes]
        return lengths

    # -- concepts -----------------------------------------------------------------------------

    @property
    def concept_slots(self) -> int:
        """The length of an array by concept id: one more than the largest concept id."""
        return len(self._names)

    def concept_id(self, name: str) -> int | None:
        """Return the id of a concept; ``None`` if no note mentions it."""
        concept = self._concept_ids.get(name)
        return concept if concept is not None and self._postings[concept] else None

    def name(self, concept: int) -> str:
        """Return the name of the concept with this id."""
        return self._names[concept]

    def concepts(self) -> list[str]:
        """Return the names of all concepts that some note mentions, in no order."""
        return [name for name, notes in zip(self._names, self._postings, strict=True) if notes]

    def notes_of(self, concept: int) -> Int32Array:
        """Return the ids of the notes that mention a concept, in no order."""
        return np.array(self._postings[concept], dtype=np.int32)

    def postings(self, concepts: Iterable[int]) -> "list[array[int]]":
        """Return the postings of each of ``concepts``, which the caller must not change."""
        return [self._postings[concept] for concept in concepts]

    def note_count(self, concept: int) -> int:
        """Return how many notes mention a concept."""
        return len(self._postings[concept])

    def note_counts(self) -> Int64Array:
        """Return how many notes mention each concept, by concept id."""
        return np.fromiter(map(len, self._postings), np.int64, len(self._postings))

    def mention_counts(self) -> Int32Array:
        """Return how often notes mention each concept, by concept id."""
        notes = np.flatnonzero(self._rows.lengths)
        concepts, _ = self._rows.concepts(notes)
        counts = self._rows.counts(notes)
        mentions = np.bincount(concepts, weights=counts, minlength=len(self._names))
        return mentions.astype(np.int32)

    def most_mentioned(self, count_max: int) -> list[int]:
        """Return the concepts that most notes mention; ties by name."""
        counts = self.note_counts()
        least = 1
        if len(counts) > count_max:
            least = max(1, int(np.partition(counts, -count_max)[-count_max]))
        candidates = np.flatnonzero(counts >= least).tolist()
        return sorted(candidates, key=lambda id_: (-counts[id_], self._names[id_]))[:count_max]

    # -- edges --------------------------------------------------------------------------------

    def neighbours(self, concept: int, weights: Float64Array) -> Neighbours:
        """Return all concepts that share a note with ``concept``.

        ``weights``: float64 array of shape (note_slots,), the weight of each note.
        """
        notes = self.notes_of(concept)
        concepts, lengths = self._rows.concepts(notes)
        entry_weights = np.repeat(weights[notes], lengths)
        ids, counts, scores = _sum_by_id(concepts, entry_weights, len(self._names))
        order = np.argsort(-scores)
        order = order[ids[order] != concept]
        scores = scores[order]
        return Neighbours(ids[order], counts[order], scores, float(scores.sum()))

    def shared_notes(self, first: int, second: int) -> Int32Array:
        """Return the ids of the notes that mention both concepts, in no order."""
        return np.intersect1d(self.notes_of(first), self.notes_of(second))

    def notes_shared_with(
        self, concept: int, others: Sequence[int]
    ) -> tuple[Int32Array, Int32Array]:
        """Return the notes that ``concept`` shares with each of ``others``: other ids, note ids.

        Two arrays of equal length: a pair for each of ``others`` and each note shared with it.
        """
        notes = self.notes_of(concept)
        concepts, lengths = self._rows.concepts(notes)
        is_other = np.zeros(len(self._names), dtype=np.bool_)
        is_other[list(others)] = True
        positions = np.flatnonzero(is_other[concepts])
        return concepts[positions], np.repeat(notes, lengths)[positions]

    def strengths(self, weights: Float64Array) -> Float64Array:
        """Return the summed weight of each concept's edges, by concept id.

        ``weights``: as for ``neighbours``.
        """
        notes = np.flatnonzero(self._rows.lengths)
        concepts, lengths = self._rows.concepts(notes)
        shares = np.repeat(weights[notes] * (lengths - 1), lengths)
        return np.bincount(concepts, shares, len(self._names)).astype(np.float64)

    @property
    def pair_bound(self) -> int:
        """The sum of the squared row lengths: a bound on the cost of ``edges``."""
        return int((self._rows.lengths**2).sum())

    def edge_count(self) -> int:
        """Return how many pairs of concepts share a note.

        Costs the sum of the squared row lengths in time, and the longest row in memory.
        """
        is_neighbour = np.zeros(len(self._names), dtype=np.bool_)
        count = 0
        for concept, notes in enumerate(self._postings):
            others, _ = self._rows.concepts(np.array(notes, dtype=np.int32))
            others = others[others > concept]
            if len(others) * _SPARSE_FACTOR < len(is_neighbour):
                count += len(np.unique(others))
            else:
                is_neighbour[others] = True
                count += int(np.count_nonzero(is_neighbour[concept:]))
                is_neighbour[others] = False
        return count

    def edges(self) -> Int32Array:
        """Return all pairs of concepts that share a note; shape (edge_count, 3).

        Columns: the smaller id, the larger id, the number of notes that mention both. Costs the sum
        of the squared row lengths.
        """
        concepts, lengths = self._rows.concepts(np.flatnonzero(self._rows.lengths))
        ones = np.ones((1, len(lengths)), dtype=np.int64)
        first, second, (counts,) = sum_over_pairs(concepts, lengths, ones)
        return np.stack([first, second, counts], axis=1).astype(np.int32)


def _sum_by_id(
    ids: Int32Array, weights: Float64Array, id_count: int
) -> tuple[Int32Array, Int32Array, Float64Array]:
    """Return the distinct ids, rising, with how often each occurs and the sum of its weights."""
    if len(ids) * _SPARSE_FACTOR < id_count:
        # Sorting a few entries is faster than clearing an array of all concepts.
        distinct, positions = np.unique(ids, return_inverse=True)
        counts = np.bincount(positions)
        scores = np.bincount(positions, weights=weights)
    else:
        counts_by_id = np.bincount(ids, minlength=id_count)
        distinct = np.flatnonzero(counts_by_id).astype(np.int32)
        counts = counts_by_id[distinct]
        scores = np.bincount(ids, weights=weights, minlength=id_count)[distinct]
    return distinct, counts.astype(np.int32), scores.astype(np.float64)
