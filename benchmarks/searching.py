"""From a served vault to what it costs to search it: at rest, and while all is read anew.

Queries are a few words as they stand in some note, none asked twice.
"""

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from random import Random
from statistics import median

from benchmarks.figures import Figure, figure, percentile, rounded
from benchmarks.indexing import note_paths
from benchmarks.served import Served, ask, request, result

P50_MS_MAX = 5.0
P99_MS_MAX = 25.0
REINDEX_P50_RATIO_MAX = 1.5
WARM_UP = 50

_WORDS = range(2, 9)  # of a query
_PAUSE_S = 0.002  # questions all the time would take the other core for themselves
_WAIT_SECONDS_MAX = 600.0
_WRITE = (
    "import sys\nfor path in sys.stdin.read().split('\\n'):\n open(path, 'a').write('\\nMore.\\n')"
)


def wait_for_vectors(server: Served) -> float:
    """Return when every note has its vectors; return the seconds waited."""
    began_s = time.perf_counter()
    while not result(server.peer, "status")["stages"]["vectors"]["ready"]:
        if time.perf_counter() - began_s > _WAIT_SECONDS_MAX:
            raise RuntimeError("vectors were never made")
        time.sleep(0.02)
    return time.perf_counter() - began_s


def queries(vault: str, count: int) -> list[str]:
    """Return ``count`` queries, each a few words that follow one another in a note."""
    rng = Random(3)  # noqa: S311 - the same every time is what is wanted
    paths = note_paths(vault)
    found: dict[str, None] = {}
    while len(found) < count:
        with open(rng.choice(paths), encoding="utf-8") as file:
            words = file.read().partition("\n---\n")[2].split()
        at = rng.randrange(max(1, len(words) - max(_WORDS)))
        query = " ".join(words[at : at + rng.choice(_WORDS)])
        if any(character.isalpha() for character in query):
            found[query] = None
    return list(found)


def search_latency(server: Served, count: int) -> Iterator[Figure]:
    """Yield how long a client waits for a search, in milliseconds."""
    wait_for_vectors(server)
    asked = queries(server.vault, count + WARM_UP)
    for query in asked[:WARM_UP]:
        _latency_ms(server, query)
    asked = asked[WARM_UP:]
    hybrid_ms = [_latency_ms(server, query) for query in asked]
    yield figure("search_p50_ms", median(hybrid_ms), "ms", P50_MS_MAX, queries=len(asked))
    p99_ms = percentile(hybrid_ms, 0.99)
    yield figure("search_p99_ms", p99_ms, "ms", P99_MS_MAX, queries=len(asked))
    for mode in ("keyword", "semantic", "graph"):
        took_ms = [_latency_ms(server, query, mode) for query in asked[: len(asked) // 4]]
        p99_ms = rounded(percentile(took_ms, 0.99))
        yield figure(f"search_{mode}_p50_ms", median(took_ms), "ms", p99=p99_ms)


def search_while_reindexing(server: Served, count: int) -> Iterator[Figure]:
    """Yield how much longer a search takes while every note of the vault is read anew."""
    wait_for_vectors(server)
    asked = queries(server.vault, count)
    half = len(asked) // 2
    idle_ms = _spread_out(server, asked[:half])
    revision = result(server.peer, "hello", protocol=1)["revision"]
    paths = "\n".join(note_paths(server.vault))
    subprocess.run([sys.executable, "-c", _WRITE], input=paths, text=True, check=True)
    busy_ms: list[float] = []
    for query in asked[half:]:
        if result(server.peer, "hello", protocol=1)["revision"] != revision:
            break
        busy_ms += _spread_out(server, [query])
    ratio = median(busy_ms) / median(idle_ms)
    more = {"idle_ms": rounded(median(idle_ms)), "busy_ms": rounded(median(busy_ms))}
    more |= {"busy_p99_ms": rounded(percentile(busy_ms, 0.99)), "queries": len(busy_ms)}
    yield figure("search_reindex_p50_ratio", ratio, "ratio", REINDEX_P50_RATIO_MAX, **more)


def _spread_out(server: Served, asked: Sequence[str]) -> list[float]:
    took_ms = []
    for query in asked:
        took_ms.append(_latency_ms(server, query))
        time.sleep(_PAUSE_S)
    return took_ms


def _latency_ms(server: Served, query: str, mode: str = "hybrid") -> float:
    line = request("search", query=query, mode=mode)
    began_ns = time.perf_counter_ns()
    ask(server.peer, line)
    return (time.perf_counter_ns() - began_ns) / 1e6
