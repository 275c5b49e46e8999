"""Siblings of a concept: members of its community that share neighbours with it, but no note.

With w(a, b) the number of notes that hold both a and b, the overlap of a member s with the concept
q is

    sum over their shared neighbours n of min(w(q, n), w(s, n)) / sum over all n of w(s, n)

in 0..1. The age of notes plays no part. Measuring each member of a large community would take too
long, so the search goes in three steps:

1. Count how many neighbours of q each note of a member has: in the rows of these notes, which stay
   in the cache (``MemberNotes``), or for a large community, whose rows are half of all rows, by the
   bits of hubs and the postings of other neighbours (``HubNotes``).
2. Bound: min(w(q, n), w(s, n)) is at most w(s, n), so the overlap of s is at most the share of its
   weight that goes to neighbours of q.
3. Measure: candidates are measured in batches, by falling bound, until no bound left can reach the
   overlap of the last of the ``rules.max_siblings`` best. A bound equal to it does not end the
   search, since equal overlaps are sorted by name.

The result is exact, except that at most about ``CELLS_READ_MAX`` cells of rows are measured.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from clew.engine.caches.hub_notes import HubNotes
from clew.engine.caches.member_notes import MemberNotes, member_notes, sums_between
from clew.engine.caches.siblings import MEMBERS_BYTES_MAX
from clew.engine.settings import SiblingConfig
from clew.engine.snapshot import Snapshot
from clew.index.graph import ConceptGraph
from clew.index.graph_rows import Neighbours, incidence
from clew.index.structures.id_sums import begins_run
from clew.query.slices import PAUSE, Slices
from clew.values.arrays import Float64Array, Int32Array, IntegerArray
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
) -> Slices[tuple[CommunitySibling, ...]]:
    """Return the siblings of the concept ``name``, best first; ``neighbours``: of this concept."""
    communities = snapshot.communities
    community = communities.by_id.get(snapshot.community_id(name) or 0)
    concept = snapshot.graph.concept_id(name)
    if community is None or concept is None:
        return ()
    rows = snapshot.siblings.valid_for(communities, rules).lru.get(name)
    if rows is None:
        members = yield from _members(snapshot, community, rules)
        best_siblings = yield from siblings(
            snapshot.graph, concept, neighbours, members, snapshot.siblings.hub_notes, rules
        )
        rows = tuple(
            CommunitySibling(
                name=(other := snapshot.graph.name(sibling.concept)),
                display_name=snapshot.display(other),
                community_id=community.id,
                shared_neighbor_count=sibling.shared_count,
                normalized_overlap=rounded(sibling.overlap),
            )
            for sibling in best_siblings
        )
        snapshot.siblings.valid_for(communities, rules).lru.put(name, rows)
        return rows
    # A display name may change while the siblings stay in the cache.
    return tuple(replace(row, display_name=snapshot.display(row.name)) for row in rows)


def _members(snapshot: Snapshot, community: Community, rules: SiblingConfig) -> Slices[MemberNotes]:
    """Return the members of a community, and their notes."""
    communities = snapshot.communities
    members = snapshot.siblings.valid_for(communities, rules).members.get(community.id)
    if members is None:
        ids = yield from snapshot.member_ids.get(snapshot.graph, communities, community.id)
        yield PAUSE
        members = member_notes(snapshot.graph, ids)
        if members.nbytes <= MEMBERS_BYTES_MAX:
            snapshot.siblings.valid_for(communities, rules).members.put(community.id, members)
        yield PAUSE
    return members


def siblings(
    graph: ConceptGraph,
    concept: int,
    neighbours: Neighbours,
    members: MemberNotes,
    hub_notes: HubNotes,
    rules: SiblingConfig,
) -> Slices[list[Sibling]]:
    """Return the members that are siblings of ``concept``, by falling overlap, then by name.

    ``members``: of its community, with their notes.
    """
    if rules.max_siblings == 0 or len(neighbours.ids) < rules.min_shared:
        return []
    index_by_concept = np.empty(graph.concept_slots, np.int32)
    index_by_concept.fill(-1)
    index_by_concept[neighbours.ids] = np.arange(len(neighbours.ids))
    target = _Target(concept, neighbours, index_by_concept)
    candidates = yield from _bounded(graph, target, members, hub_notes, rules)
    yield PAUSE
    best: list[Sibling] = []
    for batch in _batches(candidates.cell_ends):
        is_full = len(best) == rules.max_siblings
        if is_full and candidates.bounds[batch.start] < best[-1].overlap:
            break
        best += _measure(graph, target, candidates, batch, rules)
        best = _best(graph, best, rules.max_siblings)
        yield PAUSE
    return best


def _batches(cell_ends: Float64Array) -> Iterator[slice]:
    """Yield slices of candidates, each with up to twice as many cells as the one before."""
    start, cells_read, batch_cells = 0, 0.0, FIRST_BATCH_CELLS
    while start < len(cell_ends) and cells_read <= CELLS_READ_MAX:
        end = int(cell_ends.searchsorted(cells_read + batch_cells, "right"))
        end = max(start + 1, end)
        yield slice(start, end)
        start, cells_read = end, float(cell_ends[end - 1])
        batch_cells = min(2 * batch_cells, BATCH_CELLS_MAX)


def _bounded(
    graph: ConceptGraph,
    target: _Target,
    members: MemberNotes,
    hub_notes: HubNotes,
    rules: SiblingConfig,
) -> Slices[_Candidates]:
    """Return the members that share no note with the target and can reach ``rules.min_overlap``."""
    is_neighbour = target.neighbour_index_by_concept >= 0
    if (rows := members.rows) is not None:
        by_row = sums_between(is_neighbour.take(rows.cells), rows.row_bounds)
        by_pair: IntegerArray = by_row.take(rows.row_by_pair)
    else:
        by_note = yield from hub_notes.counts_by_note(graph, target.neighbours.ids)
        by_pair = by_note.take(members.note_by_pair)
    shared_max = sums_between(by_pair, members.pair_bounds)
    pair_counts = members.pair_bounds[1:] - members.pair_bounds[:-1]
    weights = members.cell_counts - pair_counts
    # The factor allows for rounding, so that a bound never excludes a member that qualifies.
    needed = np.maximum(max(rules.min_shared, 1), rules.min_overlap * (1 - 1e-12) * weights)
    is_neighbour[target.concept] = True
    chosen = (shared_max >= needed).nonzero()[0]
    chosen = chosen[~is_neighbour.take(members.members.take(chosen))]
    bounds = shared_max[chosen] / weights[chosen]
    order = (-bounds).argsort(kind="stable")
    chosen = chosen[order]
    return _Candidates(
        concepts=members.members[chosen].astype(np.int32),
        weights=weights[chosen].astype(np.float64),
        bounds=bounds[order],
        cell_ends=members.cell_counts[chosen].cumsum().astype(np.float64),
    )


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
    candidate_by_row, notes = incidence(graph, concepts)
    cells, lengths = graph.concepts_of_notes(notes)
    candidate_by_cell = candidate_by_row.repeat(lengths)
    neighbour_by_cell = target.neighbour_index_by_concept[cells]
    shared_cells = (neighbour_by_cell >= 0).nonzero()[0]
    # Each edge from a candidate to a neighbour of the target, with the number of notes it has.
    edges = candidate_by_cell[shared_cells] * neighbour_count + neighbour_by_cell[shared_cells]
    edges.sort()
    is_first = begins_run(edges)
    edge_counts = np.bincount(is_first.cumsum() - 1)
    candidate_by_edge, neighbour_by_edge = np.divmod(edges[is_first], neighbour_count)
    shared = np.bincount(candidate_by_edge, minlength=count)
    smaller_counts = np.minimum(edge_counts, target.neighbours.counts[neighbour_by_edge])
    overlaps = np.bincount(candidate_by_edge, smaller_counts, count) / weights
    chosen = ((shared >= rules.min_shared) & (overlaps >= rules.min_overlap)).nonzero()[0]
    return list(
        map(Sibling, concepts[chosen].tolist(), shared[chosen].tolist(), overlaps[chosen].tolist())
    )


def _best(graph: ConceptGraph, measured: Sequence[Sibling], count: int) -> list[Sibling]:
    """Return the best siblings; only those that can be among them are named."""
    ranked = sorted(measured, key=lambda row: -row.overlap)
    if len(ranked) > count:
        ranked = [row for row in ranked if row.overlap >= ranked[count - 1].overlap]
    return sorted(ranked, key=lambda row: (-row.overlap, graph.name(row.concept)))[:count]
