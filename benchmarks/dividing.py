"""From a changed note to new communities: what asking costs while they are found."""

import os
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from statistics import median
from typing import Any

from benchmarks.asking import Asked
from benchmarks.figures import Figure, figure, percentile, rounded
from benchmarks.served import Served, ask, request, result

P99_MS_MAX = 10.0
_WAIT_SECONDS_MAX = 600.0
_PAUSE_S = 0.002  # questions all the time would take the other core for themselves


def wait_for_communities(server: Served) -> float:
    """Return when the communities are those of the present revision; return the seconds waited."""
    began_s = time.perf_counter()
    while not _are_found(server):
        if time.perf_counter() - began_s > _WAIT_SECONDS_MAX:
            raise RuntimeError("communities were never found")
        time.sleep(0.02)
    return time.perf_counter() - began_s


def _are_found(server: Served) -> bool:
    return bool(result(server.peer, "status")["stages"]["communities"]["ready"])


def while_dividing(server: Served, asked: Asked) -> Iterator[Figure]:
    """Yield how long each kind of question takes while communities are found anew.

    The kinds take turns, no concept is asked for twice; the slowest kind makes the figure.
    """
    wait_for_communities(server)
    names = iter(asked.others)
    kinds = cycle(_KINDS)
    before = result(server.peer, "communities")["communityRevision"]
    _new_edges(server, asked)
    taken_ms: dict[str, list[float]] = {}
    began_s = time.perf_counter()
    while result(server.peer, "communities")["communityRevision"] == before:
        kind = next(kinds)
        name = next(names, None)
        if name is None or time.perf_counter() - began_s > _WAIT_SECONDS_MAX:
            break
        line = request(kind, **_KINDS[kind](name))
        asked_s = time.perf_counter()
        ask(server.peer, line)
        taken_ms.setdefault(kind, []).append(1000 * (time.perf_counter() - asked_s))
        time.sleep(_PAUSE_S)
    slowest = {kind: percentile(each, 0.99) for kind, each in taken_ms.items()}
    yield figure(
        "dividing_p99_ms",
        max(slowest.values()),
        "ms",
        P99_MS_MAX,
        p99_ms={kind: rounded(value) for kind, value in slowest.items()},
        p50_ms={kind: rounded(median(each)) for kind, each in taken_ms.items()},
        queries=sum(map(len, taken_ms.values())),
        edges=result(server.peer, "status")["edges"],
        took_s=rounded(time.perf_counter() - began_s),
    )


def _new_edges(server: Served, asked: Asked) -> None:
    """Write a note that brings concepts together which no note had together."""
    links = " ".join(f"[[{name}]]" for name in asked.others[-9::3])
    with open(os.path.join(server.vault, "brought together.md"), "w", encoding="utf-8") as file:
        file.write(f"{links} {time.time_ns()}\n")


def _of_concept(name: str) -> dict[str, Any]:
    return {"conceptName": name}


_KINDS: dict[str, Callable[[str], dict[str, Any]]] = {
    "concept": _of_concept,
    "graph": _of_concept,
    "backlinks": _of_concept,
    "path": lambda name: {"from": name, "to": name[::-1]},
    "concepts": lambda name: {"prefix": name[:2]},
    "communities": lambda _: {},
    "recent": lambda _: {},
    "tags": lambda _: {},
}
