"""Neighbourhoods of the present revision, kept while they are asked for.

Whatever is asked, the same few hubs stand next to it, and a hub's neighbourhood costs most to
count. Kept for one moment (``now``) and one revision: a change or another minute empties it, so
nothing stale can be served.
"""

from clew.index.graph import ConceptGraph, Neighbours
from clew.values.arrays import Float64Array

NEIGHBOURS_MAX = 2_000_000  # over all kept neighbourhoods; each takes 24 bytes


class NeighbourCache:
    """The most recently used neighbourhoods, at most ``NEIGHBOURS_MAX`` neighbours in all."""

    def __init__(self, graph: ConceptGraph) -> None:
        self._graph = graph
        self._now_s = 0.0
        self._kept: dict[int, Neighbours] = {}  # least recently used first
        self._size = 0
        self.hits = self.misses = 0

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        """Forget everything, since the graph has changed."""
        self._kept.clear()
        self._size = 0

    def get(self, concept: int, now_s: float, weights: Float64Array) -> Neighbours:
        """Return the neighbours of ``concept``; ``weights`` are the notes' at ``now_s``."""
        if now_s != self._now_s:
            self.clear()
            self._now_s = now_s
        found = self._kept.pop(concept, None)
        if found is not None:
            self.hits += 1
        else:
            self.misses += 1
            found = self._graph.neighbours(concept, weights)
            self._size += len(found.ids)
        self._kept[concept] = found
        while self._size > NEIGHBOURS_MAX and len(self._kept) > 1:
            oldest = next(iter(self._kept))
            self._size -= len(self._kept.pop(oldest).ids)
        return found
