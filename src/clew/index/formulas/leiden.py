"""Communities of concepts: weighted edges, the Leiden partition, and stable community ids.

Communities are computed from notes in four steps, each a pure function.

1. ``weighted_edges``: every note adds to each pair of its concepts. With ``shared`` weights a note
   of n concepts adds 1 / (n - 1), so every concept gets 1 in all from a note, however long the
   note is.
2. ``partition``: the Leiden algorithm maximizes modularity, Q = sum over communities of
   (weight inside / total weight) - (summed strength / twice the total weight) ** 2.
   The algorithm is random; with fixed seeds, and vertices and edges in sorted order, its result is
   a function of the edges alone. It never starts from an earlier partition. In small graphs,
   several seeds are tried and the partition of the highest modularity wins.
3. ``strengths``: how strongly each vertex is tied to its own community and to others.
4. ``carry_over_ids``: people see community ids, so a new community keeps the id of the earlier
   community that it is most similar to (Jaccard index of members). Only ids depend on the past.

Sources: modularity, Newman 2004, doi:10.1103/PhysRevE.70.056131; the Leiden algorithm, Traag,
Waltman and van Eck 2019, doi:10.1038/s41598-019-41695-z.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count

import igraph
import leidenalg
import numpy as np

from clew.index.structures.pair_sums import sum_over_pairs
from clew.values.arrays import BoolArray, Float64Array, Int64Array, IntegerArray
from clew.values.communities import EdgeWeights

NO_COMMUNITY = -1  # for a vertex without edges
CARRY_JACCARD_MIN = 0.3  # least similarity at which a community keeps an earlier id
_ITERATIONS = 2
_SEEDS_MAX = 10
_WORK_MAX = 200_000  # edges and vertices, summed over all seeds
_PORTION_EDGES = 1_000_000
_SHARE_UNIT = 2**32  # Weights are multiples of its inverse, so sums of them are exact.


@dataclass(frozen=True, slots=True)
class Edges:
    """Weighted edges among the vertices 0 .. ``vertex_count`` - 1, each pair once, sorted."""

    vertex_count: int
    first: Int64Array
    second: Int64Array  # larger than ``first``
    weights: Float64Array  # positive, finite


def weighted_edges(
    vertices: IntegerArray, lengths: IntegerArray, vertex_count: int, kind: EdgeWeights
) -> Edges:
    """Return edges that join all vertices of each row.

    ``vertices``: the rows, one after the other, without duplicates in a row; ``lengths``: of the
    rows.
    """
    values = np.ones(len(lengths), dtype=np.int64)
    if kind is EdgeWeights.SHARED:
        values = np.rint(_SHARE_UNIT / np.maximum(lengths - 1, 1)).astype(np.int64)
    first, second, (sums,) = sum_over_pairs(vertices, lengths, values[np.newaxis])
    unit = _SHARE_UNIT if kind is EdgeWeights.SHARED else 1
    return Edges(vertex_count, first, second, sums / unit)


def partition(edges: Edges) -> Int64Array:
    """Return the community of each vertex; ``NO_COMMUNITY`` for a vertex without edges.

    Communities are numbered from 0 by falling size, then by their smallest vertex.
    """
    membership = np.full(edges.vertex_count, NO_COMMUNITY, dtype=np.int64)
    joined = _joined_vertices(edges)
    if not len(joined):
        return membership
    graph = _graph(edges, joined)
    seed_count = min(_SEEDS_MAX, max(1, _WORK_MAX // (len(edges.first) + len(joined))))
    candidates = [_leiden(graph, edges.weights, seed) for seed in range(seed_count)]
    best = candidates[0]
    if seed_count > 1:
        # leidenalg's own ``modularity`` ignores the weights. Of equals ``max`` takes the first.
        best = max(candidates, key=lambda each: graph.modularity(each, weights=edges.weights))
    membership[joined] = _renumbered(np.array(best, dtype=np.int64))
    return membership


def _leiden(graph: igraph.Graph, weights: Float64Array, seed: int) -> list[int]:
    # This is leidenalg.find_partition, which would keep its list of weights until it returns.
    result = leidenalg.ModularityVertexPartition(graph, weights=_sharing_equals(weights))
    optimiser = leidenalg.Optimiser()
    optimiser.set_rng_seed(seed)
    optimiser.optimise_partition(result, n_iterations=_ITERATIONS)
    membership: list[int] = result.membership
    return membership


def _sharing_equals(numbers: Float64Array) -> list[float]:
    """Return numbers as a list in which equal numbers are one object.

    leidenalg copies the list. Most weights are equal, so one object each would take four times the
    memory.
    """
    objects: dict[float, float] = {}
    shared: list[float] = []
    for first in range(0, len(numbers), _PORTION_EDGES):
        distinct, indexes = np.unique(numbers[first : first + _PORTION_EDGES], return_inverse=True)
        used = [objects.setdefault(number, number) for number in distinct.tolist()]
        shared += np.array(used, dtype=object)[indexes].tolist()
    return shared


def modularity(edges: Edges, membership: Int64Array) -> float:
    """Return the weighted modularity of a partition, -0.5 .. 1; 0 if there are no edges."""
    if not len(edges.first):
        return 0.0
    inside, beyond = strengths(edges, membership)
    joined = _joined_vertices(edges)
    by_community = np.bincount(membership[joined], (inside + beyond)[joined])
    doubled = 2 * edges.weights.sum()
    return float(inside.sum() / doubled - ((by_community / doubled) ** 2).sum())


def _joined_vertices(edges: Edges) -> Int64Array:
    """Return the vertices that have edges, rising."""
    degrees = np.bincount(edges.first, minlength=edges.vertex_count)
    degrees += np.bincount(edges.second, minlength=edges.vertex_count)
    return np.flatnonzero(degrees)


def _graph(edges: Edges, joined: Int64Array) -> igraph.Graph:
    numbers = np.zeros(edges.vertex_count, np.int64)
    numbers[joined] = np.arange(len(joined))
    ends = np.empty((len(edges.first), 2), np.int64)
    ends[:, 0], ends[:, 1] = numbers[edges.first], numbers[edges.second]
    graph = igraph.Graph(n=len(joined))
    graph.add_edges(ends)  # the constructor would take three times the memory for them
    return graph


def _renumbered(membership: Int64Array) -> Int64Array:
    """Return communities numbered by falling size, then by their smallest vertex."""
    _, smallest, communities, sizes = np.unique(
        membership, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.lexsort((smallest, -sizes))
    numbers = np.empty_like(order)
    numbers[order] = np.arange(len(order))
    return numbers[communities].astype(np.int64)


def strengths(edges: Edges, membership: Int64Array) -> tuple[Float64Array, Float64Array]:
    """Return the summed edge weight of each vertex to its own community, and to others; by vertex.

    The first is the within-module degree of Guimera and Amaral 2005, doi:10.1038/nature03288,
    not yet normalized to a z-score.
    """
    is_inside = membership[edges.first] == membership[edges.second]
    return _degrees(edges, is_inside), _degrees(edges, ~is_inside)


def _degrees(edges: Edges, chosen: BoolArray) -> Float64Array:
    """Return the summed weight of each vertex's chosen edges."""
    weights = edges.weights * chosen
    degrees = np.zeros(edges.vertex_count)
    for end in (edges.first, edges.second):
        degrees += np.bincount(end, weights, edges.vertex_count)
    return degrees


def carry_over_ids(
    membership: Int64Array, before: Int64Array, sizes: Mapping[int, int], next_id: int
) -> list[int]:
    """Return an id for each new community: the id of the most similar earlier one, or a new id.

    ``before``: the earlier community id of each vertex, 0 for none; ``sizes``: the sizes of the
    earlier communities by id, deleted members included. Pairs are matched by falling Jaccard index,
    down to ``CARRY_JACCARD_MIN``, each id once. New ids begin at ``next_id``.
    """
    counts = np.bincount(membership[membership >= 0])
    ids: dict[int, int] = {}  # new community -> its id
    taken: set[int] = set()
    for similarity, old_id, community in _similar_communities(membership, before, sizes, counts):
        is_free = community not in ids and old_id not in taken
        if similarity >= CARRY_JACCARD_MIN and is_free:
            ids[community] = old_id
            taken.add(old_id)
    new_ids = count(next_id)
    return [ids[number] if number in ids else next(new_ids) for number in range(len(counts))]


def _similar_communities(
    membership: Int64Array, before: Int64Array, sizes: Mapping[int, int], counts: Int64Array
) -> list[tuple[float, int, int]]:
    """Return the Jaccard index, earlier id and new community of all pairs that share a vertex.

    Sorted by falling index, then by earlier id and community.
    """
    in_both = np.flatnonzero((membership >= 0) & (before > 0))
    pairs, shared_counts = np.unique(
        np.stack([before[in_both], membership[in_both]], axis=1), axis=0, return_counts=True
    )
    rows = zip(pairs.tolist(), shared_counts.tolist(), strict=True)
    similar = [
        (shared / (sizes[old_id] + int(counts[community]) - shared), old_id, community)
        for (old_id, community), shared in rows
    ]
    return sorted(similar, key=lambda row: (-row[0], row[1], row[2]))
