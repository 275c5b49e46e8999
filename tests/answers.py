"""The parts of search results that must be equal for equal notes."""

from collections.abc import Callable, Iterable
from datetime import UTC

import numpy as np

from clew.embed.encoder import Encoder
from clew.engine.snapshot import Snapshot
from clew.query.search.finding.setting import Setting
from clew.query.search.search_config import SearchConfig
from clew.query.search.search_notes import search
from clew.query.slices import finished
from clew.values.arrays import Int8Array
from clew.values.requests import Search
from clew.values.search_replies import SearchResult
from tests.vaults import NOW_S

MODES = ("hybrid", "keyword", "semantic", "graph")


def encoding(encoder: Encoder) -> Callable[[str], Int8Array]:
    """Return the function that makes the vector of a query."""
    return lambda text: np.ascontiguousarray(encoder.encode([text]).rows[0])


def setting_of(encoder: Encoder | None) -> Setting:
    """Return the default settings of a query, at a fixed moment."""
    return Setting(NOW_S, UTC, SearchConfig(), encoding(encoder) if encoder else None)


def found(
    snapshot: Snapshot, queries: Iterable[str], setting: Setting, most: int = 20
) -> dict[tuple[str, str], tuple[SearchResult, ...]]:
    """Return the best results of each query in every mode, with all their fields."""
    return {
        (mode, query): finished(
            search(snapshot, Search(query=query, mode=mode, limit=most), setting)  # type: ignore[arg-type]
        ).results
        for mode in MODES
        for query in queries
    }
