"""Concepts of the same community that share no note: what edges alone miss.

A sibling stands with what the concept stands with, and never with the concept itself. Counts are
raw, over all neighbours; time plays no part. Exact, yet no graph is walked: how much of a member's
weight can be shared at most is counted over the community at once, and only those members that
this leaves are looked at one by one, the most promising first.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from clew.engine.caches.members import Membership
from clew.engine.settings import SiblingRules
from clew.engine.snapshot import Snapshot
from clew.index.graph import ConceptGraph, Neighbours
from clew.index.graph_rows import incidence
from clew.values.arrays import BoolArray, Float64Array, Int32Array
from clew.values.replies import CommunitySibling, rounded

# Cells of rows that are looked at in one go. Most often the first few members are the best.
CELLS_AT_FIRST = 300  # and twice as many each time
CELLS_AT_ONCE = 20_000
# What is looked at for one answer, some 20 ms of work. Where thousands tie for being siblings in a
# graph of huge rows, the ten that are told are the best of those looked at.
CELLS_MAX = 300_000


class Sibling(NamedTuple):
    """A concept and how much of its weight it shares."""

    concept: int
    shared: int  # neighbours in common
    overlap: float  # 0..1


class _Candidates(NamedTuple):
    """Members of a community that may be siblings, the most promising first."""

    concepts: Int32Array
    weights: Float64Array  # sums of the counts of their edges
    bounds: Float64Array  # how large their overlap can be at most
    ends: Float64Array  # of the cells of their notes, added up


def community_siblings(
    snapshot: Snapshot, name: str, around: Neighbours, rules: SiblingRules
) -> tuple[CommunitySibling, ...]:
    """Return the siblings of the concept ``name``, whose neighbours are ``around``."""
    community = snapshot.communities.by_id.get(snapshot.community_id(name) or 0)
    concept = snapshot.graph.concept_id(name)
    if community is None or concept is None:
        return ()
    known = snapshot.memberships.siblings.get(name, snapshot.communities, rules)
    if known is not None:
        return known
    members = snapshot.memberships.get(community)
    found = tuple(
        CommunitySibling(
            name=snapshot.graph.name(sibling.concept),
            community_id=community.id,
            shared_neighbor_count=sibling.shared,
            normalized_overlap=rounded(sibling.overlap),
        )
        for sibling in siblings(snapshot.graph, concept, around, members, rules)
    )
    snapshot.memberships.siblings.put(name, snapshot.communities, rules, found)
    return found


def siblings(
    graph: ConceptGraph, concept: int, around: Neighbours, members: Membership, rules: SiblingRules
) -> list[Sibling]:
    """Return those of ``members`` that are siblings of ``concept``, by falling overlap and name.

    The overlap of s with q is the sum over their shared neighbours n of min(w(q, n), w(s, n)),
    divided by the sum of w(s, .), where w counts the notes that hold both.
    """
    if rules.max_siblings == 0 or len(around.ids) < rules.min_shared:
        return []
    places = np.full(graph.concept_slots, -1, dtype=np.int32)  # among the neighbours, by concept
    places[around.ids] = np.arange(len(around.ids))
    candidates = _candidates(concept, around, places, members, rules)
    found: list[Sibling] = []
    at, cells_at_once = 0, CELLS_AT_FIRST
    while at < len(candidates.concepts):
        if len(found) >= rules.max_siblings:
            found = _best(graph, found, rules.max_siblings)
            if candidates.bounds[at] < found[-1].overlap:
                return found
        before = candidates.ends[at - 1] if at else 0.0
        if before > CELLS_MAX:
            break
        fit = int(np.searchsorted(candidates.ends, before + cells_at_once, "right"))
        end = max(at + 1, fit)
        found += _measured(graph, around, places, candidates, slice(at, end), rules)
        at, cells_at_once = end, min(2 * cells_at_once, CELLS_AT_ONCE)
    return _best(graph, found, rules.max_siblings)


def _candidates(
    concept: int, around: Neighbours, places: Int32Array, members: Membership, rules: SiblingRules
) -> _Candidates:
    """Return the members that share no note and can reach the overlap that is asked for."""
    least = rules.min_overlap * (1 - 1e-12) * members.weights
    # Nobody shares more than there is, so the heaviest members need not be looked at.
    count = int(np.searchsorted(least, around.counts.sum(), "right"))
    most = _most_shared(places >= 0, members, count)
    concepts = members.concepts[:count]
    is_stranger = (places[concepts] < 0) & (concepts != concept)
    able = is_stranger & (most >= np.maximum(max(rules.min_shared, 1), least[:count]))
    chosen = np.flatnonzero(able)
    bounds = most[chosen] / members.weights[chosen]
    order = np.argsort(-bounds, kind="stable")
    chosen, bounds = chosen[order], bounds[order]
    ends = np.cumsum(members.sizes[chosen])
    return _Candidates(concepts[chosen], members.weights[chosen], bounds, ends)


def _most_shared(is_near: BoolArray, members: Membership, count: int) -> Float64Array:
    """Return for each of the first ``count`` members how much of its weight can be shared.

    That is how many near concepts stand in its notes, added up: what its edges to them weigh, which
    the overlap's smaller counts cannot exceed.
    """
    if not count:
        return np.zeros(0)
    lasts = members.ends[: members.note_counts[count - 1]] - 1
    pairs = slice(members.pair_counts[count - 1])
    # Clipping spares a check of each id; they are all in range. Sums up to each row's end take half
    # the time of sums of each row, and small numbers fit into memory that is at hand.
    hits = is_near.view(np.int8).take(members.cells[: lasts[-1] + 1], mode="clip")
    by_note = np.cumsum(hits, dtype=np.int32).take(lasts, mode="clip")
    by_note[1:] -= by_note[:-1].copy()
    of_pairs = by_note.take(members.places[pairs], mode="clip")
    return np.bincount(members.owners[pairs], of_pairs, count).astype(np.float64)


def _measured(
    graph: ConceptGraph,
    around: Neighbours,
    places: Int32Array,
    candidates: _Candidates,
    batch: slice,
    rules: SiblingRules,
) -> list[Sibling]:
    """Return those of a batch that are siblings."""
    concepts, weights = candidates.concepts[batch], candidates.weights[batch]
    owners, notes = incidence(graph, concepts.tolist())
    cells, lengths = graph.concepts_of_notes(notes)
    columns, rows = places[cells], np.repeat(owners, lengths)
    hits = np.flatnonzero(columns >= 0)
    width, count = len(around.ids), len(concepts)
    distinct, held = np.unique(rows[hits] * width + columns[hits], return_counts=True)
    whose, neighbours = np.divmod(distinct, width)  # a member, a neighbour, and the notes with both
    shared = np.bincount(whose, minlength=count)
    overlaps = np.bincount(whose, np.minimum(held, around.counts[neighbours]), count) / weights
    chosen = np.flatnonzero((shared >= rules.min_shared) & (overlaps >= rules.min_overlap))
    return list(
        map(Sibling, concepts[chosen].tolist(), shared[chosen].tolist(), overlaps[chosen].tolist())
    )


def _best(graph: ConceptGraph, found: Sequence[Sibling], most: int) -> list[Sibling]:
    return sorted(found, key=lambda each: (-each.overlap, graph.name(each.concept)))[:most]
