"""Shares of the token budget by source: memories (rag), code (kag) and concepts (graphrag)."""

from collections.abc import Mapping
from typing import Final

from clew.values.search_replies import ContextRoute, ContextSource

Shares = Mapping[ContextSource, float]

RAG: Final[ContextSource] = "rag"
KAG: Final[ContextSource] = "kag"
GRAPHRAG: Final[ContextSource] = "graphrag"
SOURCES: Final[tuple[ContextSource, ...]] = (RAG, KAG, GRAPHRAG)

_BY_ROUTE: Mapping[tuple[ContextRoute, bool, bool], tuple[float, float, float]] = {
    # (route, has code, has concepts): shares of rag, kag, graphrag
    ("memory", True, True): (0.75, 0.10, 0.15),
    ("hybrid", True, True): (0.55, 0.30, 0.15),
    ("code", True, True): (0.20, 0.65, 0.15),
    ("memory", True, False): (0.90, 0.10, 0.0),
    ("hybrid", True, False): (0.70, 0.30, 0.0),
    ("code", True, False): (0.25, 0.75, 0.0),
    ("memory", False, True): (0.85, 0.0, 0.15),
    ("hybrid", False, True): (0.80, 0.0, 0.20),
    ("code", False, True): (0.80, 0.0, 0.20),
}


def shares_of(
    route: ContextRoute, *, has_code: bool, has_graph: bool, has_memories: bool = True
) -> Shares:
    """Return the share of each source, 0 to 1; they add up to 1 unless there is no source.

    Without memories, their share goes to the other sources in proportion.
    """
    rag, kag, graphrag = _BY_ROUTE.get((route, has_code, has_graph), (1.0, 0.0, 0.0))
    if not has_memories:
        others = kag + graphrag
        rag, kag, graphrag = 0.0, *(each / others if others else 0.0 for each in (kag, graphrag))
    return {RAG: rag, KAG: kag, GRAPHRAG: graphrag}
