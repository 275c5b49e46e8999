"""Measure searches: latency at rest, and while all notes are indexed again.

Each query is a few consecutive words of some note, and is asked once.
"""

import time
from collections.abc import Iterator, Sequence
from random import Random
from statistics import median

from benchmarks.daemon import Served, ask, request, result
from benchmarks.figures import Figure, figure, percentile, rounded
from benchmarks.indexing import change_all_notes, note_paths

P50_MS_MAX = 5.0
P99_MS_MAX = 25.0
REINDEX_P50_RATIO_MAX = 1.5
WARM_UP = 50

_WORDS = range(2, 9)  # numbers of words in a query
_PAUSE_S = 0.002  # without a pause the queries would keep one core busy
_WAIT_SECONDS_MAX = 600.0


def wait_for_vectors(server: Served, seconds_max: float = _WAIT_SECONDS_MAX) -> float:
    """Wait until all notes have vectors; return the seconds waited."""
    began_s = time.perf_counter()
    while not result(server.peer, "status")["stages"]["vectors"]["ready"]:
        if time.perf_counter() - began_s > seconds_max:
            raise RuntimeError("the vectors never became ready")
        time.sleep(0.02)
    return time.perf_counter() - began_s


def queries(vault: str, count: int) -> list[str]:
    """Return ``count`` queries of consecutive words of random notes."""
    rng = Random(3)  # noqa: S311 - every run must be the same
    paths = note_paths(vault)
    distinct: dict[str, None] = {}
    while len(distinct) < count:
        with open(rng.choice(paths), encoding="utf-8") as file:
            words = file.read().partition("\n---\n")[2].split()
        at = rng.randrange(max(1, len(words) - max(_WORDS)))
        query = " ".join(words[at : at + rng.choice(_WORDS)])
        if any(character.isalpha() for character in query):
            distinct[query] = None
    return list(distinct)


def search_latency(server: Served, count: int) -> Iterator[Figure]:
    """Yield the latency of searches, hybrid and by single legs."""
    wait_for_vectors(server)
    texts = queries(server.vault, count + WARM_UP)
    for query in texts[:WARM_UP]:
        _latency_ms(server, query)
    texts = texts[WARM_UP:]
    hybrid_ms = [_latency_ms(server, query) for query in texts]
    yield figure("search_p50_ms", median(hybrid_ms), "ms", P50_MS_MAX, queries=len(texts))
    p99_ms = percentile(hybrid_ms, 0.99)
    yield figure("search_p99_ms", p99_ms, "ms", P99_MS_MAX, queries=len(texts))
    for mode in ("keyword", "semantic", "graph"):
        took_ms = [_latency_ms(server, query, mode) for query in texts[: len(texts) // 4]]
        p99_ms = rounded(percentile(took_ms, 0.99))
        yield figure(f"search_{mode}_p50_ms", median(took_ms), "ms", p99=p99_ms)


def search_while_reindexing(server: Served, count: int) -> Iterator[Figure]:
    """Yield the latency of searches while all notes are indexed again, divided by that at rest."""
    wait_for_vectors(server)
    texts = queries(server.vault, count)
    half = len(texts) // 2
    idle_ms = _latencies_with_pauses_ms(server, texts[:half])
    revision = result(server.peer, "hello", protocol=1)["revision"]
    change_all_notes(server.vault)
    busy_ms: list[float] = []
    for query in texts[half:]:
        if result(server.peer, "hello", protocol=1)["revision"] != revision:
            break
        busy_ms += _latencies_with_pauses_ms(server, [query])
    ratio = median(busy_ms) / median(idle_ms)
    more = {"idle_ms": rounded(median(idle_ms)), "busy_ms": rounded(median(busy_ms))}
    more |= {"busy_p99_ms": rounded(percentile(busy_ms, 0.99)), "queries": len(busy_ms)}
    yield figure("search_reindex_p50_ratio", ratio, "ratio", REINDEX_P50_RATIO_MAX, **more)


def _latencies_with_pauses_ms(server: Served, texts: Sequence[str]) -> list[float]:
    took_ms = []
    for query in texts:
        took_ms.append(_latency_ms(server, query))
        time.sleep(_PAUSE_S)
    return took_ms


def _latency_ms(server: Served, query: str, mode: str = "hybrid") -> float:
    line = request("search", query=query, mode=mode)
    began_ns = time.perf_counter_ns()
    ask(server.peer, line)
    return (time.perf_counter_ns() - began_ns) / 1e6
