"""Scores of some slots; all others score 0. A query names few slots of a large vault."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.index.structures.id_sums import begins_run, sums_of_runs
from clew.index.structures.row_pool import positions_of_runs
from clew.values.arrays import Float64Array, Int64Array, IntegerArray

DENSE_SLOTS_PER_SCORE = 8  # with at most so many, an array by slot is faster than sorting


@dataclass(frozen=True, slots=True, eq=False)
class SlotScores:
    """The scores, of any sign, of some slots; ``slots`` is rising, without duplicates."""

    slots: Int64Array
    scores: Float64Array  # of the same shape

    def within(
        self, firsts: IntegerArray, counts: IntegerArray
    ) -> tuple[Int64Array, Float64Array, Int64Array]:
        """Return those of ``slots`` in some runs, their scores, and how many each run has."""
        places, lengths = self.places_within(firsts, counts)
        return self.slots.take(places), self.scores.take(places), lengths

    def places_within(
        self, firsts: IntegerArray, counts: IntegerArray
    ) -> tuple[Int64Array, Int64Array]:
        """Return the places in ``slots`` of those in some runs, and how many each run has.

        A run is ``count`` slots from ``first`` on.
        """
        starts = self.slots.searchsorted(firsts)
        lengths = self.slots.searchsorted(firsts + counts) - starts
        return positions_of_runs(starts, lengths), lengths


def summed(slots: Sequence[IntegerArray], scores: Sequence[Float64Array]) -> SlotScores:
    """Return the summed scores of each slot; scores of one slot are added in the order given."""
    if not slots:
        return SlotScores(np.zeros(0, np.int64), np.zeros(0))
    every_slot = np.concatenate(slots).astype(np.int64, copy=False)
    if (every_slot[1:] > every_slot[:-1]).all():
        return SlotScores(every_slot, np.concatenate(scores))
    size = int(every_slot.max(initial=-1)) + 1
    if size <= DENSE_SLOTS_PER_SCORE * len(every_slot):
        return _summed_densely(every_slot, np.concatenate(scores), size)
    # Each sequence is sorted already or nearly so, and a stable sort merges sorted runs.
    order = every_slot.argsort(kind="stable")
    in_order, scores_in_order = every_slot.take(order), np.concatenate(scores).take(order)
    firsts, sums = sums_of_runs(scores_in_order, begins_run(in_order))
    return SlotScores(in_order.take(firsts), sums)


def _summed_densely(slots: Int64Array, scores: Float64Array, size: int) -> SlotScores:
    """Return ``summed`` by arrays of shape (size,); all ``slots`` are below ``size``."""
    has_score = np.zeros(size, np.bool_)
    has_score[slots] = True
    distinct = np.flatnonzero(has_score)
    sums = np.bincount(slots, scores, size).astype(np.float64, copy=False)
    return SlotScores(distinct, sums[distinct])
