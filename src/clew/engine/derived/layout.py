"""The passages of a revision by note and by slot, and lengths for BM25.

Every note has a head (names, headings, tags, properties), which is its first slot, and below it one
slot for each chunk:

    note    A     A     A     B     C     C
    part    0     1     2     0     0     1
    slot    head  chunk chunk head  head  chunk

A slot is a *chunk* here if it is scored as a passage: all parts but the first, and the head of a
note that has no other part (B). Each chunk counts its own words and those of its note's head.
Lengths are in words of the body (``BODY_WEIGHT`` units of the index are one).

Values are computed for the notes and slots of a query alone, so no query takes time in proportion
to the size of the vault.
"""

from typing import Protocol

import numpy as np

from clew.engine.passages import Passages
from clew.index.formulas.bm25 import length_norm
from clew.index.graph import ConceptGraph
from clew.index.structures.id_sums import starts_of_runs
from clew.index.structures.row_pool import positions_of_runs
from clew.index.structures.slot_scores import SlotScores
from clew.text.passages import BODY_WEIGHT
from clew.values.arrays import Float64Array, Int32Array, Int64Array, IntegerArray

NO_SLOT = -1
LENGTHS_KEPT = 1 << 12  # chunks shorter than this, as nearly all are, have their norm in a table


class ScoresBySlot(Protocol):
    """Scores of slots, which may be computed when they are asked for."""

    def within(
        self, firsts: Int32Array, counts: Int64Array
    ) -> tuple[Int64Array, Float64Array, Int64Array]:
        """Return the scored slots in some runs, run after run, their scores, and numbers by run.

        A run is ``count`` slots from ``first`` on. A slot that is left out scores 0.
        """


class Layout:
    """The notes and chunks of one revision."""

    def __init__(self, passages: Passages, graph: ConceptGraph) -> None:
        totals = passages.totals
        self.note_slots = graph.note_slots
        self.note_count = totals.notes
        self.note_ids = passages.slots.note_ids  # by slot; ``DEAD`` for dead ones
        self._lengths = passages.keyword.lengths  # by slot, as in ``KeywordIndex.lengths``
        self._note_lengths = passages.note_lengths
        self._first_slots, self._part_counts = passages.slots.firsts, passages.slots.counts
        self._mean_note_length = _mean(totals.note_length, totals.notes)
        self._mean_chunk_length = _mean(totals.chunk_length, totals.chunks)
        self._norms_by_length = self._norms_of_chunks(np.arange(LENGTHS_KEPT, dtype=np.int32))

    def note_norms(self, note_ids: IntegerArray) -> Float64Array:
        """Return the length norm of each of these notes."""
        return length_norm(self._note_lengths.take(note_ids) / BODY_WEIGHT, self._mean_note_length)

    def chunk_norms(self, slots: IntegerArray) -> Float64Array:
        """Return the length norm of each of these live slots; infinite if it is no chunk."""
        lengths = self._lengths.take(slots)
        if lengths.max(initial=0) < LENGTHS_KEPT:
            return self._norms_by_length.take(lengths)
        return self._norms_of_chunks(lengths)

    def _norms_of_chunks(self, lengths: Int32Array) -> Float64Array:
        norms = length_norm(lengths / BODY_WEIGHT, self._mean_chunk_length)
        norms[(lengths == 0).nonzero()[0]] = np.inf  # heads with chunks below score 0
        return norms

    def first_slots(self, note_ids: Int64Array) -> Int32Array:
        """Return the first slot of each of these notes."""
        firsts: Int32Array = self._first_slots.take(note_ids)
        return firsts

    def part_counts(self, note_ids: Int64Array) -> Int64Array:
        """Return how many slots each of these notes has."""
        return self._part_counts.take(note_ids).astype(np.int64)

    def slot_count(self, note_ids: Int64Array) -> int:
        """Return how many slots these notes have."""
        return int(self._part_counts[note_ids].sum())

    def slots_of(self, note_ids: Int64Array) -> Int64Array:
        """Return the slots of these notes, note after note."""
        return positions_of_runs(self.first_slots(note_ids), self.part_counts(note_ids))

    def best_slots(
        self, slot_scores: ScoresBySlot, note_ids: Int64Array, most: int
    ) -> tuple[Int64Array, Float64Array]:
        """Return up to ``most`` best slots of each note, and their scores; shape (notes, most).

        Only slots with a score above 0 are returned; the other cells are ``NO_SLOT`` and 0.0. Ties
        go to the first slot.
        """
        best = np.full((len(note_ids), most), NO_SLOT, np.int64)
        best_scores = np.zeros(best.shape)
        runs = self.first_slots(note_ids), self.part_counts(note_ids)
        slots, scores, counts = slot_scores.within(*runs)
        rows = counts.nonzero()[0]
        if not len(rows):
            return best, best_scores
        counts = counts.take(rows)
        starts = counts.cumsum() - counts
        for column in range(most):
            highest = np.maximum.reduceat(scores, starts)
            candidates = (scores == highest.repeat(counts)).nonzero()[0]
            chosen = candidates.take(candidates.searchsorted(starts))  # the first of each note
            best[rows, column], best_scores[rows, column] = slots.take(chosen), highest
            scores[chosen] = 0.0
        has_none = best_scores <= 0.0
        best[has_none], best_scores[has_none] = NO_SLOT, 0.0
        return best, best_scores

    def best_of_notes(self, slot_scores: SlotScores) -> tuple[Int64Array, Float64Array]:
        """Return the notes of some slots, each once, and the highest score of a slot of each."""
        note_ids = self.note_ids.take(slot_scores.slots)  # slots of one note are consecutive
        starts = starts_of_runs(note_ids)
        best = np.maximum.reduceat(slot_scores.scores, starts) if len(starts) else np.zeros(0)
        return note_ids.take(starts).astype(np.int64), best

    def best_by_note(self, slot_scores: SlotScores) -> Float64Array:
        """Return the highest score of any slot of each note, by note id; 0.0 if no slot has one."""
        best = np.zeros(self.note_slots)
        # Faster than a reduction of the runs of slots of one note, of which most are short.
        np.maximum.at(best, self.note_ids.take(slot_scores.slots), slot_scores.scores)
        return best


def _mean(length: int, count: int) -> float:
    """Return the mean length in words of the body, 1 at least."""
    return max(1.0, length / BODY_WEIGHT / count) if count else 1.0
