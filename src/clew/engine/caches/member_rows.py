"""Cache of the rows that mention a community's members, as arrays; for the rows of one graph.

``query/graph/siblings.py`` uses them to bound, in one pass, how much weight each member of a
community can share with a concept.
"""

from dataclasses import dataclass

import numpy as np

from clew.engine.caches.siblings import SiblingCache
from clew.engine.communities.current import NO_COMMUNITIES, Communities
from clew.index.graph import ConceptGraph
from clew.index.graph_rows import incidence
from clew.index.structures.lru import CacheCounts, LruCache
from clew.values.arrays import Float64Array, Int32Array, Int64Array, IntegerArray
from clew.values.communities import Community

CELLS_MAX = 2_000_000  # in all cached communities; each cell takes about 12 bytes


@dataclass(frozen=True, slots=True)
class MemberRows:
    """The members of one community, by rising weight, and the rows of the notes they occur in.

    A pair is a member and a note that mentions it. Pairs are sorted by member. A row holds the
    concepts of one note; each row is stored once, sorted by the first member that occurs in it.
    So the pairs and rows of the n lightest members are the first ones of each array.
    """

    concepts: Int32Array  # by member: its concept id; members without notes are left out
    weights: Float64Array  # by member: the summed note counts of its edges
    cell_counts: Float64Array  # by member: the summed lengths of its notes' rows
    pair_ends: Int64Array  # by member: the end of its pairs in the arrays by pair
    row_ends: Int64Array  # by member: the end of its rows and those of all lighter members
    member_by_pair: Int64Array  # indexes into ``concepts``
    row_by_pair: Int64Array  # indexes into ``cell_ends``
    cells: Int64Array  # concept ids, row after row; int64 since ``take`` would convert int32
    cell_ends: Int64Array  # by row: the end of its cells


class MemberRowsCache:
    """The rows of the most recently used communities, at most ``CELLS_MAX`` cells in all.

    A changed graph gets a new cache; other communities clear it.
    """

    def __init__(self, graph: ConceptGraph, counts: CacheCounts) -> None:
        self._graph = graph
        self._communities = NO_COMMUNITIES
        self.lru: LruCache[int, MemberRows] = LruCache(
            CELLS_MAX, lambda rows: len(rows.cells) + 1, counts
        )
        self.siblings = SiblingCache(counts)

    def get(self, communities: Communities, community_id: int) -> MemberRows:
        """Return the rows of the community ``community_id``, which must be in ``communities``."""
        if communities is not self._communities:
            self.lru.clear()
            self._communities = communities
        rows = self.lru.get(community_id)
        if rows is None:
            rows = member_rows(self._graph, communities.by_id[community_id])
            self.lru.put(community_id, rows)
        return rows


def member_rows(graph: ConceptGraph, community: Community) -> MemberRows:
    """Return the rows of the notes that mention the members of ``community``."""
    concepts, weights = _by_rising_weight(graph, community)
    members, notes = incidence(graph, concepts.tolist())
    distinct_notes, first_pairs, note_by_pair = np.unique(
        notes, return_index=True, return_inverse=True
    )
    order = np.argsort(first_pairs)
    cells, lengths = graph.concepts_of_notes(distinct_notes[order])
    pair_ends = np.cumsum(np.bincount(members, minlength=len(concepts)))
    return MemberRows(
        concepts=concepts,
        weights=weights,
        cell_counts=_sum_by_member(members, graph.row_lengths(notes), len(concepts)),
        pair_ends=pair_ends,
        row_ends=np.searchsorted(first_pairs[order], pair_ends),
        member_by_pair=members,
        row_by_pair=np.argsort(order)[note_by_pair],
        cells=cells.astype(np.int64),
        cell_ends=np.cumsum(lengths),
    )


def _by_rising_weight(graph: ConceptGraph, community: Community) -> tuple[Int32Array, Float64Array]:
    """Return the concept ids and the weights of the members that occur in notes."""
    ids = (graph.concept_id(name) for name in community.members)
    concepts = np.array([concept for concept in ids if concept is not None], dtype=np.int32)
    members, notes = incidence(graph, concepts.tolist())
    weights = _sum_by_member(members, graph.row_lengths(notes) - 1, len(concepts))
    order = np.argsort(weights, kind="stable")
    return concepts[order], weights[order]


def _sum_by_member(members: Int64Array, values: IntegerArray, count: int) -> Float64Array:
    """Return the sum of ``values`` for each member; there is one value for each pair."""
    return np.bincount(members, values, count).astype(np.float64)
