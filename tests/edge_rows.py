"""Weighted edges as rows of two vertices, for the formulas that take rows."""

import numpy as np

from clew.index.formulas import weighted_rows
from clew.index.formulas.community_edges import Edges
from clew.index.formulas.weighted_rows import WeightedRows
from clew.values.arrays import Int64Array


def rows_of(edges: Edges) -> WeightedRows:
    ends = np.stack([edges.first, edges.second], axis=1)
    lengths = np.full(len(edges.first), 2, dtype=np.int64)
    return WeightedRows(edges.vertex_count, ends.ravel(), lengths, edges.weights)


def modularity(edges: Edges, membership: Int64Array) -> float:
    return weighted_rows.modularity(rows_of(edges), membership)
