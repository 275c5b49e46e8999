"""The notes of a community's members as arrays, made once a revision and kept while it lasts."""

from dataclasses import dataclass

import numpy as np

from clew.engine.caches.siblings import SiblingCache
from clew.index.graph import ConceptGraph
from clew.index.graph_rows import incidence
from clew.values.arrays import Float64Array, Int32Array, Int64Array
from clew.values.communities import Community

CELLS_MAX = 2_000_000  # over all kept communities; each takes about 12 bytes


@dataclass(frozen=True, slots=True)
class Membership:
    """Who of a community stands in which note, and who else does; the lightest members first.

    ``owners`` and ``places`` are the pairs of a member and a note, as places in ``concepts`` and
    ``ends``; ``cells`` are the rows of the notes, each once, one after the other. All are in the
    order of the members, so that some of the lightest have the first so many of each.
    """

    concepts: Int32Array  # ids of the members that some note mentions
    weights: Float64Array  # by member: the sum over its edges of the notes that hold both
    sizes: Float64Array  # by member: the cells of its notes
    pair_counts: Int64Array  # by member: the pairs of it and of all before it
    note_counts: Int64Array  # by member: the notes of it and of all before it
    owners: Int64Array
    places: Int64Array
    cells: Int64Array  # concept ids, as wide as what numpy takes them by
    ends: Int64Array  # of each note's row


class MembershipCache:
    """The most recently used communities of one revision."""

    def __init__(self, graph: ConceptGraph) -> None:
        self._graph = graph
        self._kept: dict[int, tuple[Community, Membership]] = {}  # least recently used first
        self._size = 0
        self.hits = self.misses = 0
        self.siblings = SiblingCache()  # what was found in them

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        """Forget everything, since the graph has changed."""
        self._kept.clear()
        self._size = 0
        self.siblings.clear()

    def get(self, community: Community) -> Membership:
        """Return the membership of ``community``."""
        known, found = self._kept.pop(community.id, (None, None))
        if found is not None and known is community:
            self.hits += 1
        else:
            self.misses += 1
            self._size -= len(found.cells) if found else 0
            found = membership(self._graph, community)
            self._size += len(found.cells)
        self._kept[community.id] = community, found
        while self._size > CELLS_MAX and len(self._kept) > 1:
            _, oldest = self._kept.pop(next(iter(self._kept)))
            self._size -= len(oldest.cells)
        return found


def membership(graph: ConceptGraph, community: Community) -> Membership:
    """Return the notes of a community's members."""
    known = (graph.concept_id(member) for member in community.members)
    concepts = [concept for concept in known if concept is not None]
    owners, notes = incidence(graph, concepts)
    weights = np.bincount(owners, graph.row_lengths(notes) - 1, len(concepts))
    order = np.argsort(weights, kind="stable")
    concepts = [concepts[place] for place in order.tolist()]
    owners, notes = incidence(graph, concepts)
    distinct, firsts, places = np.unique(notes, return_index=True, return_inverse=True)
    rank = np.argsort(firsts)
    cells, lengths = graph.concepts_of_notes(distinct[rank])
    pair_counts = np.cumsum(np.bincount(owners, minlength=len(concepts)))
    return Membership(
        concepts=np.array(concepts, dtype=np.int32),
        weights=weights[order].astype(np.float64),
        sizes=np.bincount(owners, graph.row_lengths(notes), len(concepts)).astype(np.float64),
        pair_counts=pair_counts,
        note_counts=np.searchsorted(firsts[rank], pair_counts),
        owners=owners,
        places=np.argsort(rank)[places],
        cells=cells.astype(np.int64),
        ends=np.cumsum(lengths),
    )
