"""Measure one large vault from its first index to thousands of changes.

Run as ``python -m benchmarks.scale --notes 100000``; prints one JSON object per line. The vault and
all state are below ``--folder``, which a later run uses again if it is there: then the first index
is left out. Latencies are measured at rest (``rest_...``), and while notes are edited
(``edits_...``).
"""

import argparse
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from random import Random
from statistics import fmean, median
from typing import Any

from benchmarks.changes import save_to_queryable
from benchmarks.communities import wait_for_communities
from benchmarks.concept_queries import ConceptNames, choose_concepts
from benchmarks.contexts import context_latency
from benchmarks.daemon import Served, ask, cpu_s, latency_ms, move_home, request, result, started
from benchmarks.figures import Figure, by_name, figure, percentile, rounded
from benchmarks.generate import generate
from benchmarks.indexing import note_paths
from benchmarks.processes import memory, tree_cpu_s, watched
from benchmarks.searches import queries, wait_for_vectors
from benchmarks.waits import others_wait
from benchmarks.windows import assemble_latency
from clew.surface.paths import state_folder

SEED = 1
_SETTLE_S = 3.0
_EDIT_PAUSE_S = 0.5
_CHANGES_PAUSE_S = 0.4  # the daemon checks a changed file again after 0.2 s
_QUERY_PAUSE_S = 0.002
_POLL_S = 0.05  # each answer takes CPU time that is measured too
_WHOLE_SECONDS_MAX = 3_600.0
_NO_BOUNDS = (None, None)  # theirs are for 10,000 notes


def figures(vault: str, arguments: argparse.Namespace) -> Iterator[Figure]:
    """Yield the figures of one vault."""
    if not os.path.isdir(os.path.join(state_folder(vault), "index")):
        yield from _first_index(vault)
    yield from _restart(vault)
    with started(vault) as server:
        _wait_until_done(server)
        count = arguments.queries
        names = choose_concepts(server, 2 * count, 0)
        texts = queries(server.vault, 2 * count + 50)
        for text in texts[2 * count :]:
            latency_ms(server, "search", query=text)
        yield from _changes_cpu(server, arguments.changes)
        yield from save_to_queryable(server, arguments.saves)
        yield from _latencies("rest", server, names.others[:count], texts[:count])
        yield from context_latency(server, count // 4, _NO_BOUNDS)
        yield from assemble_latency(server, count // 4, _NO_BOUNDS)
        with _edits(server.vault):
            others = names.others[count : 2 * count]
            yield from _latencies("edits", server, others, texts[count : 2 * count])
        yield from others_wait(server, names)
        yield from _many_changes(server, names, arguments.at_once)


def _first_index(vault: str) -> Iterator[Figure]:
    began_s = time.perf_counter()

    def passed_s() -> float:
        return time.perf_counter() - began_s

    with started(vault) as server, watched(server.pid) as usage:
        _wait_until(lambda: _answers(server))
        yield figure("first_answer_s", passed_s(), "s")
        _wait_until(lambda: result(server.peer, "status").get("indexing") is None)
        yield figure("first_whole_s", passed_s(), "s", cpu_s=rounded(usage.cpu_s))
        yield figure(
            "first_whole_peak_mb", usage.peak_pss_mb, "MB", by=by_name(usage.peak_by_command)
        )
        wait_for_vectors(server, _WHOLE_SECONDS_MAX)
        yield figure("first_vectors_s", passed_s(), "s", cpu_s=rounded(usage.cpu_s))
        wait_for_communities(server, _WHOLE_SECONDS_MAX)
        _wait_until_done(server)
        yield figure("first_all_s", passed_s(), "s", cpu_s=rounded(usage.cpu_s))
        yield figure("first_peak_mb", usage.peak_pss_mb, "MB", by=by_name(usage.peak_by_command))
        yield _memory_figure("memory_after_first_index", server)
        _call_every_method(server)
        yield _memory_figure("memory_after_every_method", server)


def _restart(vault: str) -> Iterator[Figure]:
    began_s = time.perf_counter()
    with started(vault) as server:
        _wait_until(lambda: _answers(server))
        yield figure("restart_s", time.perf_counter() - began_s, "s")
        _wait_until_done(server)
        yield _memory_figure("memory_after_restart", server)
        took_ms = _call_every_method(server)
        yield figure("slowest_first_call_ms", max(took_ms.values()), "ms", all=by_name(took_ms))
        time.sleep(_SETTLE_S)
        yield _memory_figure("memory_after_restart_and_every_method", server)


def _answers(server: Served) -> bool:
    reply = json.loads(ask(server.peer, request("search", query="harbour")))
    return "result" in reply


def _wait_until(is_true: Callable[[], bool]) -> None:
    deadline_s = time.perf_counter() + _WHOLE_SECONDS_MAX
    while not is_true():
        if time.perf_counter() > deadline_s:
            raise RuntimeError("waited in vain")
        time.sleep(_POLL_S)


def _wait_until_done(server: Served) -> None:
    """Wait until nothing is computed any more: the processes use next to no CPU time."""
    wait_for_vectors(server, _WHOLE_SECONDS_MAX)
    wait_for_communities(server, _WHOLE_SECONDS_MAX)
    before_s = tree_cpu_s(server.pid)
    while True:
        time.sleep(_SETTLE_S)
        now_s = tree_cpu_s(server.pid)
        if now_s - before_s < 0.1 * _SETTLE_S:
            return
        before_s = now_s


def _memory_figure(name: str, server: Served) -> Figure:
    used = memory(server.pid)
    return figure(f"{name}_mb", used.pss_mb, "MB", private=rounded(used.private_mb))


def _call_every_method(server: Served) -> dict[str, float]:
    """Call every method that reads, once; return how long each took in ms."""
    rows = result(server.peer, "concepts", limit=60)["concepts"]
    names = [row["name"] for row in rows]
    uri = result(server.peer, "recent", limit=1)["notes"][0]["uri"]
    params: dict[str, dict[str, Any]] = {
        "hello": {"protocol": 1},
        "status": {},
        "concept": {"conceptName": names[3]},
        "concepts": {"sort": "recent"},
        "communities": {},
        "similar": {"conceptName": names[5]},
        "path": {"from": names[11], "to": names[47]},
        "graph": {"conceptName": names[7], "maxNodes": 200},
        "search": {"query": "why do the clcks drift"},
        "rank": {"query": "harbour"},
        "links": {"uri": uri},
        "backlinks": {"uri": uri},
        "unresolved": {},
        "orphans": {},
        "tags": {},
        "recent": {},
        "read": {"uri": uri},
        "why": {"uri": uri},
        "doctor": {},
        "sync": {},
    }
    return {method: latency_ms(server, method, **each) for method, each in params.items()}


def _changes_cpu(server: Served, count: int) -> Iterator[Figure]:
    """Yield the mean CPU time of a changed note, and that of the communities meanwhile."""
    paths = _some_notes(server.vault, count, seed=4)
    if not paths:
        return
    began_s, idle_s = time.perf_counter(), _own_cpu_s(server)
    time.sleep(_SETTLE_S)
    idle_share = (_own_cpu_s(server) - idle_s) / (time.perf_counter() - began_s)
    began_s, before_s, all_before_s = time.perf_counter(), _own_cpu_s(server), _all_cpu_s(server)
    for number, path in enumerate(paths):
        _append(path, f"Changed {number}.")
        time.sleep(_CHANGES_PAUSE_S)
    time.sleep(_SETTLE_S)
    own_s, all_s = _own_cpu_s(server) - before_s, _all_cpu_s(server) - all_before_s
    used_s = own_s - idle_share * (time.perf_counter() - began_s)
    more = {"changes": len(paths), "other_processes_s": rounded(all_s - own_s)}
    yield figure("one_change_cpu_ms", 1000 * used_s / len(paths), "ms", **more)


def _own_cpu_s(server: Served) -> float:
    """Return the CPU time of the server and the indexer, without that of other processes."""
    return cpu_s(server.pid) + cpu_s(server.indexer_pid)


def _all_cpu_s(server: Served) -> float:
    return tree_cpu_s(server.pid)


def _some_notes(vault: str, count: int, seed: int) -> list[str]:
    paths = note_paths(vault)
    return Random(seed).sample(paths, min(count, len(paths)))  # noqa: S311 - the same in each run


def _append(path: str, text: str) -> None:
    with open(path, "a", encoding="utf-8") as file:
        file.write(f"\n{text}\n")


@contextmanager
def _edits(vault: str) -> Iterator[None]:
    """Edit a note, with a new link, twice a second as long as the context lasts."""
    is_over = threading.Event()
    paths = _some_notes(vault, 2_000, seed=5)

    def edit() -> None:
        for number, path in enumerate(cycle(paths)):
            if is_over.wait(_EDIT_PAUSE_S):
                return
            _append(path, f"Edited {number}, see [[Edit {number % 50}]].")

    thread = threading.Thread(target=edit)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def _latencies(
    prefix: str, server: Served, names: Sequence[str], texts: Sequence[str]
) -> Iterator[Figure]:
    """Yield the latencies of queries, none of which was asked before."""
    few = len(names) // 4
    pairs = list(zip(names[::2], names[1::2], strict=False))
    calls: dict[str, Sequence[dict[str, Any]]] = {
        "concept": [{"conceptName": name} for name in names],
        "search": [{"query": text} for text in texts],
        "path": [{"from": one, "to": other} for one, other in pairs[:few]],
        "rank": [{"query": name} for name in names[:few]],
    }
    for method, params in calls.items():
        took_ms = []
        for each in params:
            took_ms.append(latency_ms(server, method, **each))
            time.sleep(_QUERY_PAUSE_S)
        yield from _percentiles(f"{prefix}_{method}", took_ms)


def _percentiles(name: str, took_ms: Sequence[float]) -> Iterator[Figure]:
    more = {"mean": rounded(fmean(took_ms)), "max": rounded(max(took_ms)), "calls": len(took_ms)}
    yield figure(f"{name}_p50_ms", median(took_ms), "ms", **more)
    yield figure(f"{name}_p99_ms", percentile(took_ms, 0.99), "ms")


def _many_changes(server: Served, names: ConceptNames, count: int) -> Iterator[Figure]:
    """Yield how long ``count`` changes at once take, alone and while queries are answered.

    The times alone, until graph and words are whole and until vectors are, are to be compared with
    those of a first index, which is measured alone too. Last come the latencies of the queries.
    """
    if not count:
        return
    paths = _some_notes(server.vault, count, seed=6)
    began_s = time.perf_counter()
    alone_s = _changes_at_once(server, paths, lambda: time.sleep(_POLL_S))
    yield figure("many_changes_alone_s", alone_s, "s", changes=len(paths))
    wait_for_vectors(server, _WHOLE_SECONDS_MAX)
    vectors_s = time.perf_counter() - began_s
    yield figure("many_changes_alone_vectors_s", vectors_s, "s", changes=len(paths))
    _wait_until_done(server)
    took_ms: list[float] = []
    calls = cycle(
        [("concept", {"conceptName": name}) for name in names.others[:200]]
        + [("search", {"query": text}) for text in queries(server.vault, 100)]
    )

    def ask_some() -> None:
        for method, params in (next(calls) for _ in range(10)):
            took_ms.append(latency_ms(server, method, **params))
            time.sleep(_QUERY_PAUSE_S)

    beside_s = _changes_at_once(server, paths, ask_some)
    yield figure("many_changes_s", beside_s, "s", changes=len(paths))
    yield from _percentiles("many_changes_others", took_ms)


def _changes_at_once(server: Served, paths: Sequence[str], meanwhile: Callable[[], None]) -> float:
    """Change these notes; call ``meanwhile`` until all changes are there; return the time."""
    # An earlier run on this vault has left its name in the notes.
    number = next(n for n in range(1, 1_000) if not _mentions(server, f"changed-at-once-{n}"))
    began_s = time.perf_counter()
    for path in paths:
        _append(path, f"All of these changed, see [[Changed at once {number}]].")
    while _mentions(server, f"changed-at-once-{number}") < len(paths):
        meanwhile()
        if time.perf_counter() - began_s > _WHOLE_SECONDS_MAX:
            raise RuntimeError("the changes were never all there")
    return time.perf_counter() - began_s


def _mentions(server: Served, name: str) -> int:
    rows = result(server.peer, "concepts", prefix=name, limit=1)["concepts"]
    return int(rows[0]["mentionCount"]) if rows else 0


def main() -> int:
    """Print all figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--folder", help="keep the vault and the state here")
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--changes", type=int, default=1_000, help="notes changed one by one")
    parser.add_argument("--saves", type=int, default=100)
    parser.add_argument("--at-once", type=int, default=5_000, help="notes changed at once")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clew-") as temporary:
        folder = os.path.realpath(arguments.folder or temporary)
        vault = os.path.join(folder, "vault")
        move_home(folder)
        if not os.path.isdir(vault):
            generate(vault, arguments.notes, SEED)
        for measured in figures(vault, arguments):
            print(json.dumps(measured), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
