"""The share of a query's terms that each note has, most of all in its best passage."""

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np

from clew.engine.derived.layout import NO_SLOT, Layout
from clew.index.structures.id_sums import are_among, which_runs_hold_any
from clew.query.search.admission.weighed_terms import WeighedTerms
from clew.query.search.passage_hits import PassageHits
from clew.values.arrays import BoolArray, Float64Array, Int64Array

PASSAGES = 2  # of a note, from each leg that finds passages
# How much a term counts that a note has outside of its best passage. So a note with the two words
# of a short query in two passages is a weak answer.
ELSEWHERE = 0.8


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Notes that some leg found, each with its head and the passages that were found."""

    note_ids: Int64Array  # of shape (notes,), rising
    slots: Int64Array  # of shape (notes, columns); the first column has the heads
    ends: Int64Array  # the slot after the last one of each note

    def index_of(self, note_ids: Int64Array) -> Int64Array:
        """Return the rows of some of the notes."""
        rows: Int64Array = np.searchsorted(self.note_ids, note_ids)
        return rows


def candidates_of(
    note_ids: Int64Array, with_passages: Sequence[PassageHits], layout: Layout
) -> Candidates:
    """Return the notes with these rising ids, each with its passages in the hits."""
    slots = np.full((len(note_ids), 1 + PASSAGES * len(with_passages)), NO_SLOT, np.int64)
    slots[:, 0] = layout.first_slots(note_ids)
    for number, hits in enumerate(with_passages):
        columns = slice(1 + PASSAGES * number, 1 + PASSAGES * (number + 1))
        slots[np.searchsorted(note_ids, hits.note_ids), columns] = hits.slots[:, :PASSAGES]
    return Candidates(note_ids, slots, slots[:, 0] + layout.part_counts(note_ids))


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """The terms of the query in the passages of each candidate; those of one note are in a row."""

    shares: Float64Array  # of each note; of shape (notes,), in [0, 1]
    best_shares: Float64Array  # of each note's best passage; of the same shape
    passage_shares: Float64Array  # of shape (passages,)
    starts: Int64Array  # the first passage of each note; of shape (notes,)
    has_term: BoolArray  # of shape (matched terms, passages)

    def weights_by_note(self, terms: WeighedTerms, aside: AbstractSet[str]) -> Float64Array:
        """Return the weight of the matched terms, but those ``aside``, in each best passage."""
        return _best_of_notes(_weights(terms, aside) @ self.has_term, self.starts)

    def terms_of_best(self, rows: Collection[int]) -> list[list[bool]]:
        """Return for each of these candidates which matched terms its best passage has."""
        bounds = [*self.starts.tolist(), len(self.passage_shares)]
        shares = (self.passage_shares[bounds[row] : bounds[row + 1]] for row in rows)
        best = [bounds[row] + int(own.argmax()) for row, own in zip(rows, shares, strict=True)]
        terms: list[list[bool]] = self.has_term[:, best].T.tolist()
        return terms


def coverage(terms: WeighedTerms, candidates: Candidates) -> Coverage:
    """Return how much of the query's weight each candidate has.

    It is that of the best passage, and ``ELSEWHERE`` of what the note has more of as a whole. A
    passage has the terms of its note's head too.
    """
    is_slot = candidates.slots != NO_SLOT
    wanted, counts = candidates.slots[is_slot], is_slot.sum(axis=1)
    starts = np.cumsum(counts) - counts  # where the heads are
    has_term = np.zeros((len(terms.matched), len(wanted)), np.bool_)
    for row, term in zip(has_term, terms.matched, strict=True):
        row[:] = are_among(wanted, term.slots)
    has_term |= has_term[:, np.repeat(starts, counts)]
    weights = _weights(terms) / terms.total
    passage_shares = np.minimum(1.0, weights @ has_term)
    best = _best_of_notes(passage_shares, starts)
    elsewhere = np.maximum(0.0, _shares_of_notes(terms, weights, candidates) - best)
    return Coverage(best + ELSEWHERE * elsewhere, best, passage_shares, starts, has_term)


def _shares_of_notes(
    terms: WeighedTerms, weights: Float64Array, candidates: Candidates
) -> Float64Array:
    """Return the sum of the ``weights`` of the matched terms that each candidate has anywhere."""
    firsts, ends = candidates.slots[:, 0], candidates.ends
    has_term = [which_runs_hold_any(firsts, ends, term.slots) for term in terms.matched]
    shares = weights @ np.array(has_term, np.bool_).reshape(len(weights), len(firsts))
    return np.minimum(1.0, shares)


def _weights(terms: WeighedTerms, aside: AbstractSet[str] = frozenset()) -> Float64Array:
    """Return how much each matched term counts, 0 for words ``aside``."""
    weights = [0.0 if each.word in aside else each.weight * each.quality for each in terms.matched]
    return np.array(weights)


def _best_of_notes(by_passage: Float64Array, starts: Int64Array) -> Float64Array:
    best: Float64Array = np.maximum.reduceat(by_passage, starts) if len(starts) else by_passage
    return best
