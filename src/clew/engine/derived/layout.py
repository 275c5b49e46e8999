"""The passages of a revision as arrays: which note each slot belongs to, and lengths for BM25.

Every note has a head (names, headings, tags, properties), which is its first slot, and below it one
slot for each chunk:

    note    A     A     A     B     C     C
    part    0     1     2     0     0     1
    slot    head  chunk chunk head  head  chunk

A slot is a *chunk* here if it is scored as a passage: all parts but the first, and the head of a
note that has no other part (B). Each chunk counts its own words and those of its note's head.
Lengths are in words of the body (``BODY_WEIGHT`` units of the index are one).
"""

import numpy as np

from clew.engine.passages import Passages
from clew.index.formulas.bm25 import length_norm
from clew.index.graph import ConceptGraph
from clew.text.passages import BODY_WEIGHT
from clew.values.arrays import AnyArray, Float64Array, Int64Array

NO_SLOT = -1


class Layout:
    """Notes and chunks of one revision as arrays, by note id and by slot."""

    def __init__(self, passages: Passages, graph: ConceptGraph) -> None:
        self.note_slots = graph.note_slots
        self.note_ids = passages.slots.note_ids.astype(np.int64)  # by slot; ``DEAD`` for dead ones
        parts = passages.slots.parts
        lengths = passages.keyword.lengths / BODY_WEIGHT
        is_live = self.note_ids >= 0
        is_first = is_live & (parts == 0)
        live_note_ids = self.note_ids[is_live]
        self._part_counts = np.bincount(live_note_ids, minlength=self.note_slots)  # by note id
        self._first_slots = np.zeros(self.note_slots, np.int64)  # by note id
        self._first_slots[self.note_ids[is_first]] = np.flatnonzero(is_first)
        self.is_head = is_first.copy()  # by slot; only of notes that have chunks below it
        self.is_head[is_live] &= self._part_counts[live_note_ids] > 1

        self.note_count = int(np.count_nonzero(self._part_counts))
        note_lengths = np.zeros(self.note_slots)
        note_lengths += np.bincount(live_note_ids, lengths[is_live], self.note_slots)
        self.note_norms = length_norm(note_lengths, _mean(note_lengths[self._part_counts > 0]))

        below_head = np.flatnonzero(is_live & (parts > 0))
        lengths[below_head] += lengths[below_head - parts[below_head]]
        is_chunk = is_live & ~self.is_head
        self.chunk_norms = length_norm(lengths, _mean(lengths[is_chunk]))  # by slot
        self.chunk_norms[~is_chunk] = np.inf  # so that the slot scores 0

    def chunks_below(self, heads: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Return the slots of the chunks below these heads, in order, and how many each head has.

        ``heads`` are slots for which ``is_head`` holds.
        """
        counts = self._part_counts[self.note_ids[heads]] - 1
        return _runs(heads + 1, counts), counts

    def best_slots(
        self, scores_by_slot: Float64Array, note_ids: Int64Array, most: int
    ) -> Int64Array:
        """Return the ``most`` best slots of each note; int64 of shape (notes, most).

        Only slots with a score above 0 are returned; the other cells are ``NO_SLOT``. Ties go to
        the first slot.
        """
        best = np.full((len(note_ids), most), NO_SLOT, np.int64)
        if not len(note_ids):
            return best
        counts = self._part_counts[note_ids]
        starts = np.cumsum(counts) - counts
        rows = np.repeat(np.arange(len(note_ids)), counts)  # by candidate: its row of ``best``
        slots = _runs(self._first_slots[note_ids], counts)  # by candidate
        scores = scores_by_slot[slots]  # a copy: a slot that was taken gets 0
        for column in range(most):
            highest = np.maximum.reduceat(scores, starts)
            candidates = np.flatnonzero((scores == highest[rows]) & (scores > 0))
            if not len(candidates):
                break
            # In reverse order, so that the first of equal candidates is written last, and stays.
            chosen = np.full(len(note_ids), -1, np.int64)
            chosen[rows[candidates[::-1]]] = candidates[::-1]
            chosen = chosen[chosen >= 0]
            best[rows[chosen], column] = slots[chosen]
            scores[chosen] = 0.0
        return best

    def best_by_note(self, scores_by_slot: Float64Array) -> Float64Array:
        """Return the highest score of any slot of each note, by note id; 0.0 if no slot has one."""
        slots = np.flatnonzero(scores_by_slot > 0)
        scores = np.zeros(self.note_slots)
        np.maximum.at(scores, self.note_ids[slots], scores_by_slot[slots])
        return scores


def _runs(firsts: Int64Array, counts: Int64Array) -> Int64Array:
    """Return ``first, first + 1, ...`` for each of ``firsts``; ``counts`` has the lengths."""
    ends = np.cumsum(counts)
    offsets = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)
    runs: Int64Array = np.repeat(firsts, counts) + offsets
    return runs


def _mean(lengths: AnyArray) -> float:
    return max(1.0, float(lengths.sum()) / len(lengths)) if len(lengths) else 1.0
