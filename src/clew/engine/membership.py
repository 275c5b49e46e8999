"""The notes of a community's members as arrays, made once a revision and kept while it lasts."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.index.graph import ConceptGraph, FloatArray, IntArray
from clew.values.communities import Community

CELLS_MAX = 2_000_000  # over all kept communities; each takes about 12 bytes

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Membership:
    """Who of a community stands in which note, and who else does.

    ``owners`` and ``places`` are the pairs of a member and a note, as places in ``concepts`` and
    ``starts``; ``cells`` are the rows of the notes, each once, one after the other.
    """

    concepts: IntArray  # ids of the members that some note mentions
    owners: Ints
    places: Ints
    cells: Ints  # concept ids, as wide as what numpy takes them by
    starts: Ints  # of each note's row
    weights: FloatArray  # by member: the sum over its edges of the notes that hold both
    sizes: FloatArray  # by member: the cells of its notes


class MembershipCache:
    """The most recently used communities of one revision."""

    def __init__(self, graph: ConceptGraph) -> None:
        self._graph = graph
        self._kept: dict[int, tuple[Community, Membership]] = {}  # least recently used first
        self._size = 0
        self.answers: dict[str, tuple[Any, ...]] = {}  # what was found in it, by concept

    def clear(self) -> None:
        """Forget everything, since the graph has changed."""
        self._kept.clear()
        self._size = 0
        self.answers.clear()

    def get(self, community: Community) -> Membership:
        """Return the membership of ``community``."""
        known, found = self._kept.pop(community.id, (None, None))
        if found is None or known is not community:
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
    owners, notes = graph.incidence(concepts)
    distinct, places = np.unique(notes, return_inverse=True)
    cells, lengths = graph.cells_of(distinct)
    of_pairs = lengths[places].astype(np.float64)
    return Membership(
        concepts=np.array(concepts, dtype=np.int32),
        owners=owners,
        places=places,
        cells=cells.astype(np.int64),
        starts=np.cumsum(lengths) - lengths,
        weights=np.bincount(owners, of_pairs - 1, len(concepts)).astype(np.float64),
        sizes=np.bincount(owners, of_pairs, len(concepts)).astype(np.float64),
    )
