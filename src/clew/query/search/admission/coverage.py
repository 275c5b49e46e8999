"""The share of a query's terms that the best passage of each note has."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.engine.derived.layout import NO_SLOT
from clew.query.search.admission.weighed_terms import WeighedTerms
from clew.query.search.passage_hits import PASSAGES_MAX, PassageHits
from clew.values.arrays import BoolArray, Float64Array, Int32Array, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Notes that some leg found, each with its head and the passages that were found."""

    note_ids: Int64Array  # of shape (notes,), rising
    slots: Int64Array  # of shape (notes, columns); the first column has the heads

    def index_of(self, note_ids: Int64Array) -> Int64Array:
        """Return the rows of some of the notes."""
        rows: Int64Array = np.searchsorted(self.note_ids, note_ids)
        return rows


def candidates_of(
    note_ids: Int64Array, with_passages: Sequence[PassageHits], heads: Int32Array
) -> Candidates:
    """Return the notes with these ids, which rise, among them those of the hits with passages.

    ``heads``: the first slot of each note, by note id.
    """
    slots = np.full((len(note_ids), 1 + PASSAGES_MAX * len(with_passages)), NO_SLOT, np.int64)
    slots[:, 0] = heads[note_ids]
    for number, hits in enumerate(with_passages):
        first = 1 + PASSAGES_MAX * number
        slots[np.searchsorted(note_ids, hits.note_ids), first : first + PASSAGES_MAX] = hits.slots
    return Candidates(note_ids, slots)


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """What the best passage of each candidate has of the query."""

    shares: Float64Array  # of shape (notes,), in [0, 1]
    has_term: BoolArray  # of shape (matched terms, notes)


def coverage(terms: WeighedTerms, candidates: Candidates) -> Coverage:
    """Return how much of the query's weight the best passage of each candidate has.

    A passage has the terms of its note's head too.
    """
    slots = candidates.slots
    if not terms.matched:
        return Coverage(np.zeros(len(slots)), np.zeros((0, len(slots)), np.bool_))
    has_term = np.stack([_is_in(slots, term.slots) for term in terms.matched])
    has_term |= has_term[:, :, :1]
    weights = np.array([term.weight * term.quality for term in terms.matched])
    shares = np.tensordot(weights, has_term, 1) / terms.total
    best = shares.argmax(axis=1)
    rows = np.arange(len(slots))
    return Coverage(np.minimum(1.0, shares[rows, best]), has_term[:, rows, best])


def _is_in(wanted: Int64Array, rising: Int64Array) -> BoolArray:
    """Return which numbers of an array of any shape are among ``rising``, which is not empty."""
    indexes = np.minimum(np.searchsorted(rising, wanted), len(rising) - 1)
    is_in: BoolArray = rising[indexes] == wanted
    return is_in
