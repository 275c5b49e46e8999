"""The caches of the latest snapshot; the caches of the next one take over valid values."""

from clew.engine.caches.neighbours import NeighbourCache
from clew.engine.caches.siblings import SiblingCache
from clew.index.graph import ConceptGraph
from clew.index.notes.ages import NoteAges
from clew.index.structures.lru import CacheCounts


class LatestCaches:
    """The caches of neighbours and siblings, and the counts of all such caches."""

    def __init__(self, broad_from: int) -> None:
        """``broad_from``: see ``formulas.breadth``."""
        self._broad_from = broad_from
        self.counts = CacheCounts()
        self._neighbours: NeighbourCache | None = None
        self._siblings: SiblingCache | None = None
        self._are_neighbours_current = self._are_siblings_current = False

    def neighbours(self, graph: ConceptGraph, ages: NoteAges) -> NeighbourCache:
        """Return the cache of neighbours for the present rows and weights."""
        if self._neighbours is None or not self._are_neighbours_current:
            self._neighbours = NeighbourCache(
                graph, ages, self._broad_from, self.counts, self._neighbours
            )
            self._are_neighbours_current = True
        return self._neighbours

    def siblings(self, graph: ConceptGraph) -> SiblingCache:
        """Return the cache of siblings for the present rows."""
        if self._siblings is None or not self._are_siblings_current:
            self._siblings = SiblingCache(graph, self.counts, self._siblings)
            self._are_siblings_current = True
        return self._siblings

    def change(self, *, rows: bool, weights: bool) -> None:
        """Have new caches begun if rows or weights changed."""
        self._are_siblings_current &= not rows
        self._are_neighbours_current &= not (rows or weights)

    def clear(self) -> None:
        """Forget all values."""
        self._neighbours = self._siblings = None
