"""Breadth: how much a note that mentions many concepts says about each pair of them.

An index note that lists 300 concepts joins 44,850 pairs, and would dominate every sum over pairs.
So a note of k concepts counts less in three ways:

- as an edge of its pairs: its weight is multiplied by min(1, B / k), so that notes of up to B
  concepts count in full;
- as a step from one of its concepts to another: its weight is divided by k - 1, so that the steps
  from a concept through a note have the note's weight in all. That is a random walk from a concept
  to one of its notes, and on to another concept of the note;
- as a list: a note of more than B / 2 concepts lists them rather than relating them. The divisor
  k - 1 is not enough, since age outweighs it: a new index of 21 concepts adds more to a pair than
  a note of four that is three months old. So walks from concept to concept follow lists only if no
  other note leads on.

Weights are multiples of ``WEIGHT_UNIT``, so that sums of them are exact.

Source of the division by k - 1: Newman, "Scientific collaboration networks. II", Physical Review E
64, 016132, 2001, on networks of the authors of papers.
"""

import numpy as np

from clew.index.formulas.decay import in_whole_units
from clew.values.arrays import BoolArray, Float64Array, IntegerArray


def edge_weights(
    weights: Float64Array, concept_counts: IntegerArray, broad_from: int
) -> Float64Array:
    """Return the weight of each note in the edges of its pairs.

    ``weights``: of the notes by their age; ``concept_counts``: k; ``broad_from``: B, 0 for none.
    """
    broad = np.flatnonzero(concept_counts > broad_from) if broad_from else np.zeros(0, np.int64)
    if not len(broad):
        return weights
    edges = weights.copy()
    edges[broad] = in_whole_units(weights[broad] * broad_from / concept_counts[broad])
    return edges


def step_weights(weights: Float64Array, concept_counts: IntegerArray) -> Float64Array:
    """Return the weight of each note in a step from one of its concepts to another."""
    return in_whole_units(weights / np.maximum(concept_counts - 1, 1))


def are_lists(concept_counts: IntegerArray, broad_from: int) -> BoolArray:
    """Return whether each note is a list of concepts; none is if ``broad_from`` is 0."""
    if not broad_from:
        return np.zeros(len(concept_counts), dtype=np.bool_)
    is_list: BoolArray = concept_counts > broad_from // 2
    return is_list
