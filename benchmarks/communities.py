"""Measure the search for communities: how long it takes, and the query latency meanwhile."""

import os
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from statistics import median
from typing import Any

from benchmarks.concept_queries import ConceptNames
from benchmarks.daemon import Served, ask, request, result
from benchmarks.figures import Figure, figure, percentile, rounded

P99_MS_MAX = 10.0
_WAIT_SECONDS_MAX = 600.0
_PAUSE_S = 0.002  # without a pause the queries would keep one core busy


def wait_for_communities(server: Served, seconds_max: float = _WAIT_SECONDS_MAX) -> float:
    """Wait until the communities are those of the latest revision; return the seconds waited."""
    began_s = time.perf_counter()
    while not _are_current(server):
        if time.perf_counter() - began_s > seconds_max:
            raise RuntimeError("the communities never became ready")
        time.sleep(0.02)
    return time.perf_counter() - began_s


def _are_current(server: Served) -> bool:
    return bool(result(server.peer, "status")["stages"]["communities"]["ready"])


def query_while_partitioning(server: Served, names: ConceptNames) -> Iterator[Figure]:
    """Yield the query latency of the slowest method while the communities are computed again.

    The methods are called in turn, and no concept is requested twice.
    """
    wait_for_communities(server)
    unused_names = iter(names.others)
    methods = cycle(_PARAMS_BY_METHOD)
    before = result(server.peer, "communities")["communityRevision"]
    _add_edges(server, names)
    latencies_ms: dict[str, list[float]] = {}
    began_s = time.perf_counter()
    while result(server.peer, "communities")["communityRevision"] == before:
        method = next(methods)
        name = next(unused_names, None)
        if name is None or time.perf_counter() - began_s > _WAIT_SECONDS_MAX:
            break
        line = request(method, **_PARAMS_BY_METHOD[method](name))
        sent_s = time.perf_counter()
        ask(server.peer, line)
        latencies_ms.setdefault(method, []).append(1000 * (time.perf_counter() - sent_s))
        time.sleep(_PAUSE_S)
    p99_ms = {method: percentile(times, 0.99) for method, times in latencies_ms.items()}
    yield figure(
        "partition_p99_ms",
        max(p99_ms.values()),
        "ms",
        P99_MS_MAX,
        p99_ms={method: rounded(value) for method, value in p99_ms.items()},
        p50_ms={method: rounded(median(times)) for method, times in latencies_ms.items()},
        queries=sum(map(len, latencies_ms.values())),
        edges=result(server.peer, "status")["edges"],
        took_s=rounded(time.perf_counter() - began_s),
    )


def _add_edges(server: Served, names: ConceptNames) -> None:
    """Write a note that links concepts which share no note yet."""
    links = " ".join(f"[[{name}]]" for name in names.others[-9::3])
    with open(os.path.join(server.vault, "brought together.md"), "w", encoding="utf-8") as file:
        file.write(f"{links} {time.time_ns()}\n")


def _concept_params(name: str) -> dict[str, Any]:
    return {"conceptName": name}


_PARAMS_BY_METHOD: dict[str, Callable[[str], dict[str, Any]]] = {
    "concept": _concept_params,
    "graph": _concept_params,
    "backlinks": _concept_params,
    "path": lambda name: {"from": name, "to": name[::-1]},
    "concepts": lambda name: {"prefix": name[:2]},
    "communities": lambda _: {},
    "recent": lambda _: {},
    "tags": lambda _: {},
}
