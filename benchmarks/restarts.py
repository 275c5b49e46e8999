"""Measure restarts of the daemon, and query latency while all notes are indexed again."""

import os
import shutil
import time
from collections.abc import Iterator
from statistics import median

from benchmarks.communities import wait_for_communities
from benchmarks.concept_queries import ConceptNames, latency_ms
from benchmarks.daemon import Served, result, served
from benchmarks.figures import Figure, figure, percentile, rounded
from benchmarks.indexing import change_all_notes
from benchmarks.searches import wait_for_vectors
from clew.surface.paths import state_folder

RESTART_RATIO_MAX = 0.1
REINDEX_P50_RATIO_MAX = 1.3


def starts(vault: str, repeats: int) -> Iterator[Figure]:
    """Yield the time from the start command to the first reply, without and with saved state."""
    shutil.rmtree(os.path.join(state_folder(vault), "index"), ignore_errors=True)
    first_s = _seconds_to_ready(vault)
    again_s = [_seconds_to_ready(vault) for _ in range(repeats)]
    yield figure("first_ready_s", first_s, "s")
    yield figure(
        "again_ready_s", median(again_s), "s", all=[rounded(seconds) for seconds in again_s]
    )
    ratio = median(again_s) / first_s
    yield figure("restart_ratio", ratio, "ratio", RESTART_RATIO_MAX)


def _seconds_to_ready(vault: str) -> float:
    began_s = time.perf_counter()
    with served(vault) as server:
        took_s = time.perf_counter() - began_s
        # A user does not wait until the state is saved, but the next start needs it.
        while not result(server.peer, "status")["persist"]["ok"]:
            time.sleep(0.1)
        wait_for_communities(server)
        time.sleep(1.0)
    return took_s


def concepts_while_reindexing(server: Served, names: ConceptNames) -> Iterator[Figure]:
    """Yield the latency of ``concept`` while all notes are indexed again, divided by that at rest.

    Half of the queries run at rest, the others from the moment all notes have changed until their
    revision is published.
    """
    wait_for_vectors(server)
    half = len(names.others) // 2
    idle_ms = [latency_ms(server, name) for name in names.others[:half]]
    revision = result(server.peer, "hello", protocol=1)["revision"]
    change_all_notes(server.vault)
    busy_ms: list[float] = []
    unused_names = iter(names.others[half:])
    while result(server.peer, "hello", protocol=1)["revision"] == revision:
        name = next(unused_names, None)
        if name is None:
            break
        busy_ms.append(latency_ms(server, name))
        time.sleep(0.002)  # without a pause the queries would keep one core busy
    ratio = median(busy_ms) / median(idle_ms)
    more = {"idle_ms": rounded(median(idle_ms)), "busy_ms": rounded(median(busy_ms))}
    more |= {"busy_p99_ms": rounded(percentile(busy_ms, 0.99)), "queries": len(busy_ms)}
    yield figure("reindex_p50_ratio", ratio, "ratio", REINDEX_P50_RATIO_MAX, **more)
