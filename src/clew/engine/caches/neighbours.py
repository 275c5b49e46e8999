"""Cache of the neighbours of concepts, valid for one revision and one ``now``.

A few hubs are next to almost every concept, so nearly all queries need their neighbours, and these
take longest to find. The engine clears the cache when the graph changes, and another ``now`` clears
it too, since weights decay: no stale neighbours are returned.
"""

from clew.engine.caches.lru import LruCache
from clew.index.graph import ConceptGraph, Neighbours
from clew.values.arrays import Float64Array

NEIGHBOURS_MAX = 2_000_000  # of all cached concepts together; each neighbour takes 24 bytes


class NeighbourCache:
    """The neighbours of the most recently used concepts, at most ``NEIGHBOURS_MAX`` in all."""

    def __init__(self, graph: ConceptGraph) -> None:
        self._graph = graph
        self._now_s = 0.0
        self.lru: LruCache[int, Neighbours] = LruCache(
            NEIGHBOURS_MAX,
            # Adding 1 bounds the number of concepts without neighbours too.
            lambda neighbours: len(neighbours.ids) + 1,
        )

    def clear(self) -> None:
        """Remove all neighbours, since the graph has changed."""
        self.lru.clear()

    def get(self, concept: int, now_s: float, weights: Float64Array) -> Neighbours:
        """Return the neighbours of ``concept``; ``weights`` are the notes' weights at ``now_s``."""
        if now_s != self._now_s:
            self.clear()
            self._now_s = now_s
        neighbours = self.lru.get(concept)
        if neighbours is None:
            neighbours = self._graph.neighbours(concept, weights)
            self.lru.put(concept, neighbours)
        return neighbours
