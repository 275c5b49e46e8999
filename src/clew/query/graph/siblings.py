"""Siblings of a concept: members of its community that share neighbours with it, but no note.

With w(a, b) the number of notes that hold both a and b, the overlap of a member s with the concept
q is

    sum over their shared neighbours n of min(w(q, n), w(s, n)) / sum over all n of w(s, n)

in 0..1. The age of notes plays no part. Measuring each member of a large community would take too
long, so the search goes in three steps:

1. Bound: min(w(q, n), w(s, n)) is at most w(s, n). So the overlap of s is at most the share of its
   weight that goes to neighbours of q. One pass over the rows of the community counts this for all
   members at once (``_shared_weight_max``).
2. Select: a candidate shares no note with q, and its bound reaches ``rules.min_overlap``.
3. Measure: candidates are measured in batches, by falling bound, until no bound left can reach the
   overlap of the last of the ``rules.max_siblings`` best. A bound equal to it does not end the
   search, since equal overlaps are sorted by name.

The result is exact, except that at most about ``CELLS_READ_MAX`` cells of rows are read.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from clew.engine.caches.member_rows import MemberRows
from clew.engine.settings import SiblingConfig
from clew.engine.snapshot import Snapshot
from clew.index.graph import ConceptGraph, Neighbours
from clew.index.graph_rows import incidence
from clew.values.arrays import BoolArray, Float64Array, Int32Array
from clew.values.communities import Community
from clew.values.replies import CommunitySibling, rounded

# Cells of rows in one batch. Small at first, since the first few candidates often are the best.
FIRST_BATCH_CELLS = 300
BATCH_CELLS_MAX = 20_000
# Cells read for one query; takes about 20 ms. Only reached where thousands of members of a graph
# with huge rows have equal bounds; then the siblings are the best of those measured.
CELLS_READ_MAX = 300_000


class Sibling(NamedTuple):
    """A concept and its overlap with the concept of the query."""

    concept: int
    shared_count: int  # neighbours in common
    overlap: float  # 0..1


class _Target(NamedTuple):
    """The concept of the query."""

    concept: int
    neighbours: Neighbours
    neighbour_index_by_concept: Int32Array  # -1 for concepts that are not neighbours


class _Candidates(NamedTuple):
    """Members that may be siblings, by falling bound."""

    concepts: Int32Array
    weights: Float64Array  # by candidate: the sum of the counts of its edges
    bounds: Float64Array  # by candidate: an upper bound of its overlap
    cell_ends: Float64Array  # by candidate: the cells of its rows and of all rows before


def community_siblings(
    snapshot: Snapshot, name: str, neighbours: Neighbours, rules: SiblingConfig
) -> tuple[CommunitySibling, ...]:
    """Return the siblings of the concept ``name``, whose neighbours are given, best first."""
    communities = snapshot.communities
    community = communities.by_id.get(snapshot.community_id(name) or 0)
    concept = snapshot.graph.concept_id(name)
    if community is None or concept is None:
        return ()
    return snapshot.member_rows.siblings.get(
        name,
        communities,
        rules,
        lambda: _find(snapshot, community, concept, neighbours, rules),
    )


def _find(
    snapshot: Snapshot,
    community: Community,
    concept: int,
    neighbours: Neighbours,
    rules: SiblingConfig,
) -> tuple[CommunitySibling, ...]:
    members = snapshot.member_rows.get(snapshot.communities, community.id)
    return tuple(
        CommunitySibling(
            name=snapshot.graph.name(sibling.concept),
            community_id=community.id,
            shared_neighbor_count=sibling.shared_count,
            normalized_overlap=rounded(sibling.overlap),
        )
        for sibling in siblings(snapshot.graph, concept, neighbours, members, rules)
    )


def siblings(
    graph: ConceptGraph,
    concept: int,
    neighbours: Neighbours,
    members: MemberRows,
    rules: SiblingConfig,
) -> list[Sibling]:
    """Return the members that are siblings of ``concept``, by falling overlap, then by name."""
    if rules.max_siblings == 0 or len(neighbours.ids) < rules.min_shared:
        return []
    index_by_concept = np.full(graph.concept_slots, -1, dtype=np.int32)
    index_by_concept[neighbours.ids] = np.arange(len(neighbours.ids))
    target = _Target(concept, neighbours, index_by_concept)
    candidates = _select(target, members, rules)
    best: list[Sibling] = []
    for batch in _batches(candidates.cell_ends):
        is_full = len(best) == rules.max_siblings
        if is_full and candidates.bounds[batch.start] < best[-1].overlap:
            break
        best += _measure(graph, target, candidates, batch, rules)
        best = _best(graph, best, rules.max_siblings)
    return best


def _batches(cell_ends: Float64Array) -> Iterator[slice]:
    """Yield slices of candidates, each with up to twice as many cells as the one before."""
    start, cells_read, batch_cells = 0, 0.0, FIRST_BATCH_CELLS
    while start < len(cell_ends) and cells_read <= CELLS_READ_MAX:
        end = int(np.searchsorted(cell_ends, cells_read + batch_cells, "right"))
        end = max(start + 1, end)
        yield slice(start, end)
        start, cells_read = end, float(cell_ends[end - 1])
        batch_cells = min(2 * batch_cells, BATCH_CELLS_MAX)


def _select(target: _Target, members: MemberRows, rules: SiblingConfig) -> _Candidates:
    """Return the members that share no note with the target and can reach ``rules.min_overlap``."""
    # The factor allows for rounding, so that a bound never excludes a member that qualifies.
    needed = rules.min_overlap * (1 - 1e-12) * members.weights
    # A member shares at most the target's whole weight, so the heaviest members are ruled out.
    count = int(np.searchsorted(needed, target.neighbours.counts.sum(), "right"))
    concepts = members.concepts[:count]
    is_neighbour = target.neighbour_index_by_concept >= 0
    shared_max = _shared_weight_max(is_neighbour, members, count)
    can_qualify = shared_max >= np.maximum(max(rules.min_shared, 1), needed[:count])
    chosen = np.flatnonzero(~is_neighbour[concepts] & (concepts != target.concept) & can_qualify)
    bounds = shared_max[chosen] / members.weights[chosen]
    order = np.argsort(-bounds, kind="stable")
    chosen = chosen[order]
    return _Candidates(
        concepts=concepts[chosen],
        weights=members.weights[chosen],
        bounds=bounds[order],
        cell_ends=np.cumsum(members.cell_counts[chosen]),
    )


def _shared_weight_max(is_neighbour: BoolArray, members: MemberRows, count: int) -> Float64Array:
    """Return an upper bound of the weight that each of the first ``count`` members can share.

    The bound is the weight of the member's edges to neighbours of the target: the number of
    neighbours in the member's notes. ``is_neighbour``: by concept id.
    """
    if not count:
        return np.zeros(0)
    last_cells = members.cell_ends[: members.row_ends[count - 1]] - 1
    pairs = slice(members.pair_ends[count - 1])
    # All ids are in range; "clip" only skips the check of each. Differences of running sums take
    # half the time of a sum for each row, and int8 and int32 keep the arrays in the CPU's caches.
    hits = is_neighbour.view(np.int8).take(members.cells[: last_cells[-1] + 1], mode="clip")
    hits_by_row = np.cumsum(hits, dtype=np.int32).take(last_cells, mode="clip")
    hits_by_row[1:] -= hits_by_row[:-1].copy()
    hits_by_pair = hits_by_row.take(members.row_by_pair[pairs], mode="clip")
    return np.bincount(members.member_by_pair[pairs], hits_by_pair, count).astype(np.float64)


def _measure(
    graph: ConceptGraph,
    target: _Target,
    candidates: _Candidates,
    batch: slice,
    rules: SiblingConfig,
) -> list[Sibling]:
    """Return the candidates of a batch that are siblings, with their exact overlaps."""
    concepts, weights = candidates.concepts[batch], candidates.weights[batch]
    count, neighbour_count = len(concepts), len(target.neighbours.ids)
    candidate_by_row, notes = incidence(graph, concepts.tolist())
    cells, lengths = graph.concepts_of_notes(notes)
    candidate_by_cell = np.repeat(candidate_by_row, lengths)
    neighbour_by_cell = target.neighbour_index_by_concept[cells]
    hits = np.flatnonzero(neighbour_by_cell >= 0)
    # Each edge from a candidate to a neighbour of the target, with the number of notes it has.
    edges, edge_counts = np.unique(
        candidate_by_cell[hits] * neighbour_count + neighbour_by_cell[hits], return_counts=True
    )
    candidate_by_edge, neighbour_by_edge = np.divmod(edges, neighbour_count)
    shared = np.bincount(candidate_by_edge, minlength=count)
    smaller_counts = np.minimum(edge_counts, target.neighbours.counts[neighbour_by_edge])
    overlaps = np.bincount(candidate_by_edge, smaller_counts, count) / weights
    chosen = np.flatnonzero((shared >= rules.min_shared) & (overlaps >= rules.min_overlap))
    return list(
        map(Sibling, concepts[chosen].tolist(), shared[chosen].tolist(), overlaps[chosen].tolist())
    )


def _best(graph: ConceptGraph, measured: Sequence[Sibling], count: int) -> list[Sibling]:
    return sorted(measured, key=lambda row: (-row.overlap, graph.name(row.concept)))[:count]
