"""Notes as weighted rows of concepts, and what follows from them without their edges.

Every note adds to each pair of its concepts. With ``shared`` weights a note of n concepts adds
1 / (n - 1), so every concept gets 1 in all from a note, however long the note is. A row of n
vertices has n * (n - 1) / 2 pairs, but the weight inside communities follows from the number of its
vertices in each, so modularity and strengths take time in proportion to the notes' length.

Source: modularity, Newman 2004, doi:10.1103/PhysRevE.70.056131.
"""

from dataclasses import dataclass

import numpy as np

from clew.values.arrays import Float64Array, Int64Array, IntegerArray
from clew.values.communities import EdgeWeights

WEIGHT_UNIT = 2**32  # Weights are multiples of its inverse, so sums of them are exact.


@dataclass(frozen=True, slots=True)
class WeightedRows:
    """Rows of the vertices 0 .. ``vertex_count`` - 1, one after the other."""

    vertex_count: int
    vertices: Int64Array  # without duplicates in a row
    lengths: Int64Array  # by row
    pair_weights: Float64Array  # by row: what it adds to each pair of its vertices; positive

    @property
    def row_of_entry(self) -> Int64Array:
        """The row of each of ``vertices``."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)


def weighted_rows(
    vertices: IntegerArray, lengths: IntegerArray, vertex_count: int, kind: EdgeWeights
) -> WeightedRows:
    """Return rows with the weights of a kind."""
    pair_weights = np.ones(len(lengths))
    if kind is EdgeWeights.SHARED:
        pair_weights = np.rint(WEIGHT_UNIT / np.maximum(lengths - 1, 1)) / WEIGHT_UNIT
    return WeightedRows(
        vertex_count, vertices.astype(np.int64), lengths.astype(np.int64), pair_weights
    )


def strengths(rows: WeightedRows, membership: Int64Array) -> tuple[Float64Array, Float64Array]:
    """Return the summed edge weight of each vertex to its own community, and to others; by vertex.

    ``membership``: the community of each vertex, from 0; -1 for a vertex without edges.

    The first is the within-module degree of Guimera and Amaral 2005, doi:10.1038/nature03288,
    not yet normalized to a z-score.
    """
    row_of_entry = rows.row_of_entry
    group_count = int(membership.max(initial=-1)) + 2  # those without edges are a group too
    groups = row_of_entry * group_count + membership[rows.vertices] + 1
    _, indexes, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    inside_counts = sizes[indexes] - 1
    beyond_counts = rows.lengths[row_of_entry] - 1 - inside_counts
    weights = rows.pair_weights[row_of_entry]
    inside = np.bincount(rows.vertices, inside_counts * weights, rows.vertex_count)
    beyond = np.bincount(rows.vertices, beyond_counts * weights, rows.vertex_count)
    return inside.astype(np.float64), beyond.astype(np.float64)


def modularity(rows: WeightedRows, membership: Int64Array) -> float:
    """Return the weighted modularity of a partition, -0.5 .. 1; 0 if there are no edges.

    It is the sum over communities of (weight inside / total weight) - (summed strength / twice the
    total weight) ** 2.
    """
    inside, beyond = strengths(rows, membership)
    total = inside + beyond
    doubled = total.sum()
    if not doubled:
        return 0.0
    joined = membership >= 0
    by_community = np.bincount(membership[joined], total[joined])
    return float(inside.sum() / doubled - ((by_community / doubled) ** 2).sum())
