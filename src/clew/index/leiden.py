"""Communities of concepts: what belongs together by who shares notes with whom. Pure functions.

A partition is one cold run over sorted vertices and edges with fixed seeds, so it is a function of
the edges alone: neither the order of edits nor what was found before plays a part. Only the ids
that people see are carried over, afterwards.

Sources: modularity, Newman 2004, doi:10.1103/PhysRevE.70.056131; the Leiden algorithm, Traag,
Waltman and van Eck 2019, doi:10.1038/s41598-019-41695-z.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import igraph
import leidenalg
import numpy as np

from clew.index.pair_sums import sum_over_pairs
from clew.values.arrays import Float64Array, Int64Array, IntegerArray
from clew.values.communities import EdgeWeights

NO_COMMUNITY = -1  # the group of a vertex without edges
CARRY_JACCARD_MIN = 0.3  # a group that is so much like an earlier one keeps its id
_ITERATIONS = 2
_TRIES_MAX = 10
_TRIES_WORK = 200_000  # edges and vertices, over all tries
_SHARE_UNIT = 2**32  # shares are whole multiples of its inverse: sums of them are exact


@dataclass(frozen=True, slots=True)
class Edges:
    """Weighted edges among the vertices 0 .. ``vertex_count`` - 1, each pair once, sorted."""

    vertex_count: int
    first: Int64Array
    second: Int64Array  # larger than ``first``
    weights: Float64Array  # positive, finite


def weighted_edges(
    cells: IntegerArray,
    lengths: IntegerArray,
    vertex_count: int,
    kind: EdgeWeights,
) -> Edges:
    """Return the edges that rows of distinct vertices make; ``cells`` are vertices, row by row."""
    values = np.ones(len(lengths), dtype=np.int64)
    if kind is EdgeWeights.SHARED:
        values = np.rint(_SHARE_UNIT / np.maximum(lengths - 1, 1)).astype(np.int64)
    first, second, (sums,) = sum_over_pairs(cells, lengths, values[np.newaxis])
    unit = _SHARE_UNIT if kind is EdgeWeights.SHARED else 1
    return Edges(vertex_count, first, second, sums / unit)


def partition(edges: Edges) -> Int64Array:
    """Return the community of each vertex; ``NO_COMMUNITY`` for a vertex without edges.

    Groups are numbered from 0 by falling size, then by their smallest vertex. In a small graph
    several runs with fixed seeds are made, and the one of the highest modularity counts.
    """
    membership = np.full(edges.vertex_count, NO_COMMUNITY, dtype=np.int64)
    joined = np.unique(np.concatenate([edges.first, edges.second]))
    if not len(joined):
        return membership
    graph = _graph(edges, joined)
    tries = min(_TRIES_MAX, max(1, _TRIES_WORK // (len(edges.first) + len(joined))))
    best: tuple[float, list[int]] | None = None
    for seed in range(tries):
        found = leidenalg.find_partition(
            graph,
            leidenalg.ModularityVertexPartition,
            weights=edges.weights,
            n_iterations=_ITERATIONS,
            seed=seed,
        ).membership
        # Its own ``modularity`` leaves the weights out.
        score = graph.modularity(found, weights=edges.weights)
        if best is None or score > best[0]:
            best = score, found
    assert best is not None
    membership[joined] = _numbered(np.array(best[1], dtype=np.int64))
    return membership


def modularity(edges: Edges, membership: Int64Array) -> float:
    """Return the weighted modularity of a partition, -0.5 .. 1; 0 where there are no edges."""
    if not len(edges.first):
        return 0.0
    joined = np.unique(np.concatenate([edges.first, edges.second]))
    graph = _graph(edges, joined)
    return float(graph.modularity(membership[joined], weights=edges.weights))


def _graph(edges: Edges, joined: Int64Array) -> igraph.Graph:
    """Return the graph of the vertices that have edges."""
    ends = np.stack([edges.first, edges.second], axis=1)
    return igraph.Graph(n=len(joined), edges=np.searchsorted(joined, ends))


def _numbered(membership: Int64Array) -> Int64Array:
    """Return groups numbered by falling size, then by their smallest vertex."""
    _, smallest, groups, sizes = np.unique(
        membership, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.lexsort((smallest, -sizes))
    numbers = np.empty_like(order)
    numbers[order] = np.arange(len(order))
    return numbers[groups].astype(np.int64)


def strengths(edges: Edges, membership: Int64Array) -> tuple[Float64Array, Float64Array]:
    """Return each vertex's weight to its own group and to others, two of shape (vertex_count,).

    The first is the within-module degree of Guimera and Amaral 2005, doi:10.1038/nature03288,
    before it is made a z-score.
    """
    inside = membership[edges.first] == membership[edges.second]
    within, beyond = (
        np.bincount(
            np.concatenate([edges.first[chosen], edges.second[chosen]]),
            weights=np.tile(edges.weights[chosen], 2),
            minlength=edges.vertex_count,
        ).astype(np.float64)
        for chosen in (inside, ~inside)
    )
    return within, beyond


def carry_over_ids(
    membership: Int64Array, before: Int64Array, sizes: Mapping[int, int], next_id: int
) -> list[int]:
    """Return an id for each group, so that a group keeps the id of the earlier one it is most like.

    ``before``: the earlier id of each vertex, 0 for none; ``sizes``: of the earlier groups, with
    the members that are gone by now. Groups and ids are matched by falling Jaccard similarity, as
    long as that is at least ``CARRY_JACCARD_MIN``; what is left gets ids from ``next_id`` on.
    """
    counts = np.bincount(membership[membership >= 0])
    both = np.flatnonzero((membership >= 0) & (before > 0))
    pairs, shared = np.unique(
        np.stack([before[both], membership[both]], axis=1), axis=0, return_counts=True
    )
    likeness = [
        (-common / (sizes[known] + int(counts[group]) - common), known, group)
        for (known, group), common in zip(pairs.tolist(), shared.tolist(), strict=True)
    ]
    ids: dict[int, int] = {}
    taken: set[int] = set()
    for negative, known, group in sorted(likeness):
        if -negative >= CARRY_JACCARD_MIN and group not in ids and known not in taken:
            ids[group] = known
            taken.add(known)
    carried = []
    for group in range(len(counts)):
        if group not in ids:
            ids[group] = next_id
            next_id += 1
        carried.append(ids[group])
    return carried
