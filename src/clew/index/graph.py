"""The concept graph: which concepts share notes, kept as one row of concepts a note.

Turns rows (note x concept, with counts) into neighbours by counting, so that an edge exists exactly
while some note holds both, and a note with thousands of links costs its row, not its pairs. Edges
are never stored: there is nothing to keep in step and nothing to remove.

Invariant: after any sequence of ``put`` and ``drop`` the graph equals one built from the rows left.
Knows nothing of files, clocks or resolution: rows and weights come in as arguments.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clew.index.pair_sums import sum_over_pairs
from clew.values.arrays import Float64Array, Int32Array, Int64Array, IntegerArray

_CELLS_AT_START = 1024
_GARBAGE_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The concepts that share a note with one concept; arrays of equal length, by falling score.

    Those of equal scores are in no order.
    """

    ids: Int32Array
    counts: Int32Array  # notes that hold both
    scores: Float64Array  # sum of those notes' weights
    strength: float  # sum of ``scores``


class ConceptGraph:
    """Rows of concepts by note, with the notes of each concept; ids are small integers."""

    def __init__(self) -> None:
        self._note_ids: dict[str, int] = {}
        self._paths: list[str] = []  # by note id; "" for a free id
        self._free_notes: list[int] = []
        self._concept_ids: dict[str, int] = {}
        self._names: list[str] = []  # by concept id
        self._postings: list[array[int]] = []  # by concept id: ids of its notes
        self._cells = np.zeros(_CELLS_AT_START, dtype=np.int32)  # concept ids, row after row
        self._counts = np.zeros(_CELLS_AT_START, dtype=np.int32)  # mentions, beside each cell
        self._cells_used = 0
        self._garbage = 0
        self.edge_changes = 0  # grows whenever some note holds other pairs than before
        self._starts = np.zeros(0, dtype=np.int64)  # by note id
        self._lengths = np.zeros(0, dtype=np.int64)

    # -- changes ------------------------------------------------------------------------------

    def put(self, path: str, row: Mapping[str, int]) -> int:
        """Add or replace the row of the note at ``path``; return the note's id."""
        note_id = self._note_ids.get(path)
        if note_id is None:
            note_id = self._new_note(path)
            before: set[int] = set()
        else:
            before = set(self._row(note_id).tolist())
        ids = [self._concept_id(name) for name in row]
        after = set(ids)
        if after != before and max(len(after), len(before)) > 1:
            self.edge_changes += 1
        for gone in before - after:
            self._postings[gone].remove(note_id)
        for added in ids:
            if added not in before:
                self._postings[added].append(note_id)
        self._write_row(note_id, ids, list(row.values()))
        return note_id

    def drop(self, path: str) -> int | None:
        """Remove the note at ``path``; return the id it had."""
        note_id = self._note_ids.pop(path, None)
        if note_id is None:
            return None
        for concept in self._row(note_id).tolist():
            self._postings[concept].remove(note_id)
        if self._lengths[note_id] > 1:
            self.edge_changes += 1
        self._garbage += int(self._lengths[note_id])
        self._lengths[note_id] = 0
        self._paths[note_id] = ""
        self._free_notes.append(note_id)
        return note_id

    def add_concepts(self, names: Iterable[str]) -> None:
        """Give ids to concepts in order, before any note is there."""
        for name in names:
            self._concept_id(name)

    def append(
        self, paths: Sequence[str], lengths: Int32Array, cells: Int32Array, counts: Int32Array
    ) -> int:
        """Add the rows of notes to a graph from which none was ever dropped.

        ``lengths`` has one number a note; ``cells``, concept ids, and ``counts`` one for each of
        its concepts, row after row. Returns the first note's id; those of the others follow.

        Raises:
            IndexError: there is no such concept.
            ValueError: the lengths do not fit.
        """
        first, start = len(self._paths), self._cells_used
        if len(lengths) != len(paths) or not lengths.sum() == len(cells) == len(counts):
            raise ValueError("rows of other lengths")
        for path in paths:
            self._new_note(path)
        if start + len(cells) > len(self._cells):
            self._make_room(len(cells))
        self._cells_used += len(cells)
        self._cells[start : self._cells_used] = cells
        self._counts[start : self._cells_used] = counts
        self._lengths[first : first + len(paths)] = lengths
        self._starts[first : first + len(paths)] = start + np.cumsum(lengths) - lengths
        owners = np.repeat(np.arange(first, first + len(paths)), lengths)
        for concept, note_id in zip(cells.tolist(), owners.tolist(), strict=True):
            self._postings[concept].append(note_id)
        return first

    def containers(self) -> tuple[dict[str, int] | list[Any], ...]:
        """Return everything large that this holds, for whoever lets go of it."""
        return self._note_ids, self._concept_ids, self._names, self._paths, self._postings

    # -- reading ------------------------------------------------------------------------------

    @property
    def note_slots(self) -> int:
        """One more than the largest note id in use: the length weight arrays must have."""
        return len(self._paths)

    @property
    def concept_slots(self) -> int:
        """One more than the largest concept id ever given."""
        return len(self._names)

    def concept_id(self, name: str) -> int | None:
        """Return the id of a concept that some note mentions."""
        concept = self._concept_ids.get(name)
        return concept if concept is not None and self._postings[concept] else None

    def name(self, concept: int) -> str:
        """Return the name of the concept with this id."""
        return self._names[concept]

    @property
    def paths(self) -> Sequence[str]:
        """The paths of notes by note id, "" for an id that is not in use."""
        return self._paths

    def path(self, note_id: int) -> str:
        """Return the path of the note with this id."""
        return self._paths[note_id]

    def note_id(self, path: str) -> int | None:
        """Return the id of the note at ``path``."""
        return self._note_ids.get(path)

    def concepts(self) -> list[str]:
        """Return the names of all concepts that some note mentions, in no order."""
        return [name for name, notes in zip(self._names, self._postings, strict=True) if notes]

    def notes_of(self, concept: int) -> Int32Array:
        """Return the ids of the notes that mention a concept, in no order."""
        return np.array(self._postings[concept], dtype=np.int32)

    def most_mentioned(self, most: int) -> list[int]:
        """Return the concepts that most notes mention, at most so many; equals by name."""
        counts = self.note_counts()
        least = 1
        if len(counts) > most:
            least = max(1, int(np.partition(counts, -most)[-most]))
        chosen = np.flatnonzero(counts >= least).tolist()
        return sorted(chosen, key=lambda each: (-counts[each], self._names[each]))[:most]

    def note_count(self, concept: int) -> int:
        """Return how many notes mention a concept."""
        return len(self._postings[concept])

    def postings(self, concepts: Iterable[int]) -> "list[array[int]]":
        """Return the ids of the notes of each of ``concepts``, in no order; not to be changed."""
        return [self._postings[concept] for concept in concepts]

    def row(self, path: str) -> dict[str, int]:
        """Return the concepts that the note at ``path`` mentions, with counts."""
        note_id = self._note_ids.get(path)
        if note_id is None:
            return {}
        start, length = int(self._starts[note_id]), int(self._lengths[note_id])
        counts = self._counts[start : start + length].tolist()
        return {
            self._names[concept]: count
            for concept, count in zip(self._row(note_id).tolist(), counts, strict=True)
        }

    def mention_counts(self) -> Int32Array:
        """Return for each concept id how often notes mention it; shape (concept_count,)."""
        cells, counts, _ = self._gather(np.flatnonzero(self._lengths))
        mentions = np.bincount(cells, weights=counts, minlength=len(self._names))
        return mentions.astype(np.int32)

    def shared_notes(self, first: int, second: int) -> Int32Array:
        """Return the ids of the notes that mention both concepts, in no order."""
        return np.intersect1d(self.notes_of(first), self.notes_of(second))

    def notes_shared_with(
        self, concept: int, others: Sequence[int]
    ) -> tuple[Int32Array, Int32Array]:
        """Return which of ``others`` stand in the notes of ``concept``: other ids, note ids.

        Two arrays of equal length, a pair for each other concept and each note shared with it.
        """
        notes = self.notes_of(concept)
        lengths = self._lengths[notes]
        cells = self._cells[self._places(notes, lengths)]
        is_other = np.zeros(len(self._names), dtype=np.bool_)
        is_other[list(others)] = True
        hits = np.flatnonzero(is_other[cells])
        return cells[hits], np.repeat(notes, lengths)[hits]

    def concepts_of_notes(self, notes: IntegerArray) -> tuple[Int32Array, Int64Array]:
        """Return the rows of ``notes``, concept ids one row after the other, and their lengths."""
        lengths = self._lengths[notes]
        return self._cells[self._places(notes, lengths)], lengths

    def note_counts(self) -> Int64Array:
        """Return for each concept id how many notes mention it; shape (concept_slots,)."""
        return np.fromiter(map(len, self._postings), np.int64, len(self._postings))

    def row_lengths(self, notes: IntegerArray) -> Int64Array:
        """Return how many concepts each of ``notes`` mentions."""
        lengths: Int64Array = self._lengths[notes]
        return lengths

    def neighbours(self, concept: int, weights: Float64Array) -> Neighbours:
        """Return all concepts that share a note with ``concept``.

        ``weights``: float64 array of shape (note_slots,), a weight for each note.
        """
        notes = self.notes_of(concept)
        lengths = self._lengths[notes]
        cells = self._cells[self._places(notes, lengths)]
        cell_weights = np.repeat(weights[notes], lengths)
        ids, counts, scores = _sum_by_id(cells, cell_weights, len(self._names))
        order = np.argsort(-scores)
        order = order[ids[order] != concept]
        scores = scores[order]
        return Neighbours(ids[order], counts[order], scores, float(scores.sum()))

    def strengths(self, weights: Float64Array) -> Float64Array:
        """Return for each concept id the summed weight of its edges; shape (concept_count,)."""
        live = np.flatnonzero(self._lengths)
        cells, _, lengths = self._gather(live)
        shares = np.repeat(weights[live] * (lengths - 1), lengths)
        return np.bincount(cells, weights=shares, minlength=len(self._names)).astype(np.float64)

    @property
    def pair_bound(self) -> int:
        """A bound on the pairs that ``edges`` has to look at: the sum of squared row lengths."""
        return int((self._lengths**2).sum())

    def edge_count(self) -> int:
        """Return how many pairs of concepts share a note.

        Costs the sum of the squared row lengths in time, and the longest row in memory.
        """
        later = np.zeros(len(self._names), dtype=np.bool_)
        count = 0
        for concept, notes in enumerate(self._postings):
            ids = np.array(notes, dtype=np.int32)
            cells = self._cells[self._places(ids, self._lengths[ids])]
            cells = cells[cells > concept]
            if len(cells) * 16 < len(later):
                count += len(np.unique(cells))
            else:
                later[cells] = True
                count += int(np.count_nonzero(later[concept:]))
                later[cells] = False
        return count

    def edges(self) -> Int32Array:
        """Return all pairs of concepts that share a note; shape (edge_count, 3).

        Columns: the smaller id, the larger id, the number of notes that hold both. Costs the sum
        of the squared row lengths.
        """
        cells, _, lengths = self._gather(np.flatnonzero(self._lengths))
        ones = np.ones((1, len(lengths)), dtype=np.int64)
        first, second, (counts,) = sum_over_pairs(cells, lengths, ones)
        return np.stack([first, second, counts], axis=1).astype(np.int32)

    # -- storage ------------------------------------------------------------------------------

    def _row(self, note_id: int) -> Int32Array:
        start = int(self._starts[note_id])
        return self._cells[start : start + int(self._lengths[note_id])]

    def _gather(self, notes: IntegerArray) -> tuple[Int32Array, Int32Array, Int64Array]:
        """Return the cells and counts of the rows of ``notes``, one after the other."""
        lengths = self._lengths[notes]
        places = self._places(notes, lengths)
        return self._cells[places], self._counts[places], lengths

    def _places(self, notes: IntegerArray, lengths: Int64Array) -> Int64Array:
        """Return where the cells of the rows of ``notes`` lie in the pool, row after row."""
        ends = np.cumsum(lengths)
        total = int(ends[-1]) if len(ends) else 0
        places: Int64Array = np.repeat(self._starts[notes] - (ends - lengths), lengths)
        places += np.arange(total)
        return places

    def _new_note(self, path: str) -> int:
        if self._free_notes:
            note_id = self._free_notes.pop()
            self._paths[note_id] = path
        else:
            note_id = len(self._paths)
            self._paths.append(path)
            if note_id >= len(self._starts):
                room = max(64, 2 * len(self._starts))
                self._starts = np.concatenate([self._starts, np.zeros(room, dtype=np.int64)])
                self._lengths = np.concatenate([self._lengths, np.zeros(room, dtype=np.int64)])
        self._note_ids[path] = note_id
        return note_id

    def _concept_id(self, name: str) -> int:
        concept = self._concept_ids.get(name)
        if concept is None:
            concept = len(self._names)
            self._concept_ids[name] = concept
            self._names.append(name)
            self._postings.append(array("i"))
        return concept

    def _write_row(self, note_id: int, ids: list[int], counts: list[int]) -> None:
        self._garbage += int(self._lengths[note_id])
        if self._cells_used + len(ids) > len(self._cells):
            self._make_room(len(ids))
        start, end = self._cells_used, self._cells_used + len(ids)
        self._cells[start:end] = ids
        self._counts[start:end] = counts
        self._starts[note_id] = start
        self._lengths[note_id] = len(ids)
        self._cells_used = end

    def _make_room(self, needed: int) -> None:
        """Drop the cells of replaced rows if they are many, and grow so that ``needed`` fit."""
        live = np.flatnonzero(self._lengths)
        if self._garbage > _GARBAGE_SHARE * self._cells_used:
            cells, counts, lengths = self._gather(live)
            self._starts[live] = np.cumsum(lengths) - lengths
            self._cells_used, self._garbage = len(cells), 0
        else:
            cells, counts = self._cells[: self._cells_used], self._counts[: self._cells_used]
        room = max(_CELLS_AT_START, 2 * (self._cells_used + needed))
        self._cells = np.resize(cells, room) if len(cells) else np.zeros(room, dtype=np.int32)
        self._counts = np.resize(counts, room) if len(cells) else np.zeros(room, dtype=np.int32)


def _sum_by_id(
    ids: Int32Array, weights: Float64Array, id_count: int
) -> tuple[Int32Array, Int32Array, Float64Array]:
    """Return the distinct ids, rising, with how often each occurs and the sum of its weights."""
    if len(ids) * 16 < id_count:
        # Few cells among many concepts: sorting them beats clearing an array of all concepts.
        distinct, places = np.unique(ids, return_inverse=True)
        counts = np.bincount(places)
        scores = np.bincount(places, weights=weights)
    else:
        every = np.bincount(ids, minlength=id_count)
        distinct = np.flatnonzero(every).astype(np.int32)
        counts = every[distinct]
        scores = np.bincount(ids, weights=weights, minlength=id_count)[distinct]
    return distinct, counts.astype(np.int32), scores.astype(np.float64)
