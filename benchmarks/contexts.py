"""Measure the method ``context``: packs that are made, and packs from the cache.

Each query is a few consecutive words of some note; it is asked for once, and then again.
"""

import time
from collections.abc import Iterator
from statistics import median

from benchmarks.daemon import Served, ask, request
from benchmarks.figures import Figure, figure, percentile
from benchmarks.searches import WARM_UP, queries

BUDGET = 4_000
BOUNDS_MS = (15.0, 60.0)  # p50 and p99 at 10,000 notes
HIT_RATIO_MAX = 0.05


def context_latency(
    server: Served, count: int, bounds_ms: tuple[float | None, float | None] = BOUNDS_MS
) -> Iterator[Figure]:
    """Yield the latency of packs of 4,000 tokens, and that of a hit of the cache over a miss."""
    texts = queries(server.vault, count + WARM_UP)
    for query in texts[count:]:
        _latency_ms(server, query)
    made_ms, hit_ms = [], []
    for query in texts[:count]:
        made_ms.append(_latency_ms(server, query))
        hit_ms.append(_latency_ms(server, query))
    p50_ms = median(made_ms)
    yield figure("context_p50_ms", p50_ms, "ms", bounds_ms[0], queries=count)
    yield figure("context_p99_ms", percentile(made_ms, 0.99), "ms", bounds_ms[1])
    yield figure("context_hit_ratio", median(hit_ms) / p50_ms, "ratio", HIT_RATIO_MAX)


def _latency_ms(server: Served, query: str) -> float:
    # The moment is a part of the cache's key, so it is given.
    line = request("context", query=query, tokenBudget=BUDGET, asOf="2026-01-01")
    began_s = time.perf_counter()
    ask(server.peer, line)
    return 1000 * (time.perf_counter() - began_s)
