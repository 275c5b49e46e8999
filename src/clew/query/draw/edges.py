"""Select the edges of a subgraph that are drawn, if it has too many.

The strongest edges of a large graph join a few well-known concepts and leave most others without a
line. So each node's strongest edges come before all others.
"""

import numpy as np

from clew.values.arrays import BoolArray, Int64Array

EDGES_A_NODE = 2  # strongest edges of each node, which come before all others


def strongest_first(sums: Int64Array, counts: Int64Array) -> Int64Array:
    """Return the indexes of edges by falling sum of weights, then falling count of notes.

    Ties keep the order in which the edges were given.
    """
    return np.lexsort((-counts, -sums))


def drawn_edges(first: Int64Array, second: Int64Array, count_max: int) -> BoolArray:
    """Return a mask of the ``count_max`` edges to draw; edges are given strongest first.

    ``first``, ``second``: the two nodes of each edge, ids from 0, of equal shape (edge_count,).

    The strongest edge of each node comes first, then the second strongest of each, then all others;
    in each of these steps the strongest come first. So if there are at least as many edges to draw
    as nodes, every node that has an edge has one that is drawn.
    """
    ranks = np.minimum(*_ranks_at_nodes(first, second))
    steps = np.minimum(ranks, EDGES_A_NODE)
    is_drawn = np.zeros(len(first), dtype=np.bool_)
    is_drawn[np.argsort(steps, kind="stable")[:count_max]] = True
    return is_drawn


def _ranks_at_nodes(first: Int64Array, second: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return how many stronger edges the first and the second node of each edge have."""
    ends = np.stack([first, second], axis=1).ravel()  # both ends of an edge side by side
    by_node = np.argsort(ends, kind="stable")
    counts = np.bincount(ends)
    ranks = np.empty(len(ends), dtype=np.int64)
    # ``np.repeat`` would hold Python's lock for as long as it takes, 50 ms for millions of edges.
    starts = (np.cumsum(counts) - counts).take(ends.take(by_node))
    ranks[by_node] = np.arange(len(ends)) - starts
    return ranks[0::2], ranks[1::2]
