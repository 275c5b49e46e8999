"""Communities of concepts: the Leiden partition of weighted edges, and stable community ids.

1. ``partition``: the Leiden algorithm maximizes modularity (``weighted_rows.modularity``).
   The algorithm is random; with fixed seeds, and vertices and edges in sorted order, its result is
   a function of the edges alone. It never starts from an earlier partition. In small graphs,
   several seeds are tried by leidenalg and the partition of the highest modularity wins. A large
   graph is given to igraph's version of the algorithm, which reaches the same modularity in a tenth
   of the time and two thirds of the memory, but can be seeded only for the whole process.
2. ``carry_over_ids``: people see community ids, so a new community keeps the id of the earlier
   community that it is most similar to (Jaccard index of members). Only ids depend on the past.

Source: Traag, Waltman and van Eck 2019, doi:10.1038/s41598-019-41695-z.
"""

from collections.abc import Mapping
from itertools import count
from random import Random

import igraph
import leidenalg
import numpy as np

from clew.index.formulas.community_edges import Edges
from clew.values.arrays import Float64Array, Int64Array

NO_COMMUNITY = -1  # for a vertex without edges
CARRY_JACCARD_MIN = 0.3  # least similarity at which a community keeps an earlier id
_ITERATIONS = 2
_SEEDS_MAX = 10
_WORK_MAX = 200_000  # edges and vertices, summed over all seeds
_LARGE_ITERATIONS = 4  # leidenalg reaches in two what igraph reaches in two to four
_PORTION_EDGES = 1_000_000


def partition(edges: Edges) -> Int64Array:
    """Return the community of each vertex; ``NO_COMMUNITY`` for a vertex without edges.

    Communities are numbered from 0 by falling size, then by their smallest vertex.
    """
    membership = np.full(edges.vertex_count, NO_COMMUNITY, dtype=np.int64)
    joined = _joined_vertices(edges)
    if not len(joined):
        return membership
    graph = _graph(edges, joined)
    weights = edges.weights
    seed_count = min(_SEEDS_MAX, _WORK_MAX // (len(weights) + len(joined)))
    del edges  # the search needs its memory, if the caller does not keep them
    if not seed_count:
        best = _leiden_of_large(graph, weights)
    else:
        candidates = [_leiden(graph, weights, seed) for seed in range(seed_count)]
        # leidenalg's own ``modularity`` ignores the weights. Of equals ``max`` takes the first.
        best = max(candidates, key=lambda each: graph.modularity(each, weights=weights))
    membership[joined] = _renumbered(np.array(best, dtype=np.int64))
    return membership


def _leiden(graph: igraph.Graph, weights: Float64Array, seed: int) -> list[int]:
    membership: list[int] = leidenalg.find_partition(
        graph,
        leidenalg.ModularityVertexPartition,
        weights=weights.tolist(),
        n_iterations=_ITERATIONS,
        seed=seed,
    ).membership
    return membership


def _leiden_of_large(graph: igraph.Graph, weights: Float64Array) -> list[int]:
    igraph.set_random_number_generator(Random(0))  # noqa: S311 - the same in each run
    membership: list[int] = graph.community_leiden(
        "modularity", weights=weights, n_iterations=_LARGE_ITERATIONS
    ).membership
    return membership


def _joined_vertices(edges: Edges) -> Int64Array:
    """Return the vertices that have edges, rising."""
    degrees = np.bincount(edges.first, minlength=edges.vertex_count)
    degrees += np.bincount(edges.second, minlength=edges.vertex_count)
    return np.flatnonzero(degrees)


def _graph(edges: Edges, joined: Int64Array) -> igraph.Graph:
    numbers = np.zeros(edges.vertex_count, np.int64)
    numbers[joined] = np.arange(len(joined))
    graph = igraph.Graph(n=len(joined))
    # The constructor would take three times the memory, and so would all edges at once.
    for begin in range(0, len(edges.first), _PORTION_EDGES):
        portion = slice(begin, begin + _PORTION_EDGES)
        ends = [numbers[edges.first[portion]], numbers[edges.second[portion]]]
        graph.add_edges(np.stack(ends, axis=1))
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
