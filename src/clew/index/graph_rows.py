"""Functions of the rows of the concept graph: neighbours, strengths, edges, shared notes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from clew.index.graph import ConceptGraph, RowsWith
from clew.index.structures.pair_sums import sum_over_pairs
from clew.values.arrays import BoolArray, Float64Array, Int32Array, Int64Array, IntegerArray

NOTES_AT_ONCE = 1 << 12  # whose rows a step of a query reads, which takes about a millisecond


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Neighbours of one concept as parallel arrays, by falling score; ties in no order."""

    ids: Int32Array
    counts: Int32Array  # notes that mention both
    scores: Float64Array  # sum of the weights of those notes
    strength: float  # sum of the scores of all neighbours, filtered ones included
    is_whole: bool = True  # false: only the first ones, by score, are here
    left_out_max: float = -math.inf  # the highest score of those that were filtered out

    @property
    def has_strongest(self) -> bool:
        """Whether the same neighbours would be here if none had been filtered out."""
        if self.is_whole:
            return self.left_out_max == -math.inf
        return self.left_out_max < float(self.scores[-1])

    def first(self, most: int) -> "Neighbours":
        """Return the ``most`` strongest of these, which are all, or all if there are no more.

        As ``neighbours`` does: of ties of the last, those with the lowest ids.
        """
        if len(self.ids) <= most:
            return self
        kept = _strongest(self.ids, self.scores, most)  # in this order, so by falling score
        return replace(
            self,
            ids=self.ids[kept],
            counts=self.counts[kept],
            scores=self.scores[kept],
            is_whole=False,
        )

    @property
    def nbytes(self) -> int:
        """The size of all arrays."""
        return self.ids.nbytes + self.counts.nbytes + self.scores.nbytes


def neighbours(rows: RowsWith, weights: Float64Array, most: int | None = None) -> Neighbours:
    """Return all concepts that share a note with the concept of ``rows``, or the strongest.

    Of ties of the last, those with the lowest ids.

    ``weights``: float64 array of shape (note_slots,), the weight of each note.
    """
    return _ranked(rows, weights, None, most)


def neighbours_beside(
    rows: RowsWith, weights: Float64Array, is_aside: BoolArray, most: int | None = None
) -> Neighbours:
    """Return the ``neighbours`` that share at least one note that is not ``is_aside``.

    ``is_aside``: by note id. Counts and scores still include all shared notes.
    """
    row_is_kept = ~is_aside[rows.notes]
    if row_is_kept.all():
        return _ranked(rows, weights, None, most)
    is_kept = np.zeros(len(rows.distinct.ids), dtype=np.bool_)
    is_kept[rows.distinct.group.compress(row_is_kept.repeat(rows.lengths))] = True
    return _ranked(rows, weights, is_kept, most)


def _ranked(
    rows: RowsWith, weights: Float64Array, is_kept: BoolArray | None, most: int | None
) -> Neighbours:
    """Return the neighbours; ``is_kept``: which of the distinct concepts to keep, if not all."""
    ids, group = rows.distinct
    scores = np.bincount(group, weights[rows.notes].repeat(rows.lengths))
    is_other = ids != rows.concept
    strength = float(scores.compress(is_other).sum())
    kept = (is_other if is_kept is None else is_other & is_kept).nonzero()[0]
    is_whole = most is None or len(kept) <= most
    if most is not None and not is_whole:
        kept = kept[_strongest(ids[kept], scores[kept], most)]
    kept = kept[(-scores[kept]).argsort()]
    left_out_max = -math.inf
    if is_kept is not None:
        left_out_max = float(scores.compress(is_other & ~is_kept).max(initial=-math.inf))
    return Neighbours(
        ids[kept].astype(np.int32, copy=False),
        rows.counts[kept].astype(np.int32),
        scores[kept].astype(np.float64, copy=False),
        strength,
        is_whole,
        left_out_max,
    )


def _strongest(ids: IntegerArray, scores: Float64Array, most: int) -> Int64Array:
    """Return the indexes of the ``most`` highest scores; there are more of them.

    Those of ties of the last are at the end: the ones with the lowest ids.
    """
    last = np.partition(scores, -most)[-most]
    higher = (scores > last).nonzero()[0]
    ties = (scores == last).nonzero()[0]
    lowest = ids[ties].argsort()[: most - len(higher)]
    return np.concatenate([higher, ties[lowest]])


def incidence(graph: ConceptGraph, concepts: IntegerArray) -> tuple[Int64Array, Int32Array]:
    """Return the notes that mention each of ``concepts``: indexes into ``concepts``, note ids.

    The two arrays are parallel, with one entry for each mention, in the order of ``concepts``.
    """
    counts, notes = graph.notes_of_each(concepts.astype(np.int64))
    return np.arange(len(concepts)).repeat(counts), notes


def step_sums(
    graph: ConceptGraph, weights: Float64Array, notes: IntegerArray | None = None
) -> tuple[Float64Array, Float64Array]:
    """Return two sums over ``notes``, or over all, by concept id.

    The first is of the weights of the concept's edges, its strength; the second of the weights of
    the notes that mention the concept and others.

    ``weights``: float64 array of shape (note_slots,), the weight of each note.
    """
    if notes is None:
        notes = np.arange(graph.note_slots)
    notes = notes[graph.row_lengths(notes) > 1]
    concepts, lengths = graph.concepts_of_notes(notes)
    strengths, totals = (
        np.bincount(concepts, np.repeat(each, lengths), graph.concept_slots).astype(np.float64)
        for each in (weights[notes] * (lengths - 1), weights[notes])
    )
    return strengths, totals


def step_sums_of(
    graph: ConceptGraph, concepts: Int64Array, weights: Float64Array
) -> tuple[Float64Array, Float64Array]:
    """Return the ``step_sums`` of each of ``concepts`` over all notes."""
    indexes, notes = incidence(graph, concepts)
    others = graph.row_lengths(notes) - 1
    strengths, totals = (
        np.bincount(indexes, weights[notes] * each, len(concepts)).astype(np.float64)
        for each in (others, others > 0)
    )
    return strengths, totals


def restricted_rows(
    graph: ConceptGraph, concepts: Sequence[int]
) -> tuple[Int64Array, Int64Array, Int32Array]:
    """Return the rows of all notes that mention any of ``concepts``, without other concepts.

    Returns the rows, one after the other, as indexes into ``concepts``; the lengths of the rows;
    the note ids.
    """
    mentions_any = np.zeros(graph.note_slots, dtype=np.bool_)
    mentions_any[incidence(graph, np.array(concepts, np.int64))[1]] = True
    notes = np.flatnonzero(mentions_any).astype(np.int32)
    row_concepts, lengths = graph.concepts_of_notes(notes)
    index_by_concept = np.full(graph.concept_slots, -1, dtype=np.int64)
    index_by_concept[list(concepts)] = np.arange(len(concepts))
    indexes = index_by_concept[row_concepts]
    rows = np.repeat(np.arange(len(notes)), lengths)
    is_kept = indexes >= 0
    return indexes[is_kept], np.bincount(rows[is_kept], minlength=len(notes)), notes


def sorted_rows(graph: ConceptGraph) -> tuple[list[str], list[str], Int32Array, Int32Array]:
    """Return all rows in an order that does not depend on the history of edits.

    Returns the sorted names of all mentioned concepts; the sorted paths of the notes with mentions;
    the lengths of their rows; and the rows, one after the other, as rising indexes into the names.
    """
    concepts = sorted(np.flatnonzero(graph.note_counts).tolist(), key=graph.name)
    index_by_concept = np.zeros(graph.concept_slots, dtype=np.int32)
    index_by_concept[concepts] = np.arange(len(concepts))
    notes = sorted(np.flatnonzero(graph.is_live).tolist(), key=graph.path)
    row_concepts, lengths = graph.concepts_of_notes(np.array(notes, dtype=np.int64))
    indexes = index_by_concept[row_concepts]
    rows = np.repeat(np.arange(len(notes)), lengths)
    order = np.lexsort((indexes, rows))
    paths = [graph.path(notes[row]) for row in np.flatnonzero(lengths).tolist()]
    names = list(map(graph.name, concepts))
    return names, paths, lengths[lengths > 0].astype(np.int32), indexes[order]


def pair_bound(graph: ConceptGraph) -> int:
    """Return the sum of the squared row lengths: a bound on the cost of ``all_edges``."""
    return int((graph.row_lengths(np.arange(graph.note_slots)) ** 2).sum())


def all_edges(graph: ConceptGraph) -> Int32Array:
    """Return all pairs of concepts that share a note; shape (edge_count, 3).

    Columns: the smaller id, the larger id, the number of notes that mention both. Costs the sum of
    the squared row lengths.
    """
    lengths = graph.row_lengths(np.arange(graph.note_slots))
    concepts, lengths = graph.concepts_of_notes(np.flatnonzero(lengths))
    ones = np.ones((1, len(lengths)), dtype=np.int64)
    first, second, (counts,) = sum_over_pairs(concepts, lengths, ones)
    return np.stack([first, second, counts], axis=1).astype(np.int32)


def most_mentioned(graph: ConceptGraph, count_max: int) -> list[int]:
    """Return the concepts that most notes mention; ties by name."""
    counts = graph.note_counts
    least = 1
    if len(counts) > count_max:
        least = max(1, int(np.partition(counts, -count_max)[-count_max]))
    candidates = np.flatnonzero(counts >= least).tolist()
    return sorted(candidates, key=lambda id_: (-counts[id_], graph.name(id_)))[:count_max]


def notes_shared_with(rows: RowsWith, others: Sequence[int]) -> tuple[Int64Array, Int32Array]:
    """Return the notes that the concept of ``rows`` shares with each of ``others``, all distinct.

    Two parallel arrays, with one entry for each shared note: indexes into ``others``, note ids.
    """
    # Among the concepts of these rows, since all concepts of a large vault are far more.
    ids, group = rows.distinct
    wanted = np.array(others, np.int64)
    places = ids.searchsorted(wanted)
    is_there = ids.searchsorted(wanted, "right") > places
    index_by_group = np.full(len(ids), -1, np.int64)
    index_by_group[places[is_there]] = is_there.nonzero()[0]
    indexes = index_by_group[group]
    positions = (indexes >= 0).nonzero()[0]
    return indexes[positions], rows.notes.repeat(rows.lengths)[positions]
