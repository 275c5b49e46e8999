"""Measure an idle daemon, and its handling of changes: CPU time and delay until they are found.

The measurements of changes write into the vault, so they come last.
"""

import os
import resource
import time
from collections.abc import Iterator
from random import Random
from statistics import median
from urllib.parse import quote

from benchmarks.daemon import Served, cpu_s, result
from benchmarks.figures import Figure, figure, percentile, rounded
from benchmarks.indexing import note_paths

POLL_S = 0.002
ONE_CHANGE_CPU_MS_MAX = 20.0
QUERYABLE_P50_MS_MAX = 60.0
QUERYABLE_P99_MS_MAX = 250.0

_SETTLE_S = 2.0
# The daemon checks a changed file again after 0.2 s; a longer pause keeps changes apart.
_PAUSE_S = 0.4
_QUERYABLE_SECONDS_MAX = 20.0
_NOTE_BYTES_MAX = 8_000
_MENTIONS = range(2, 6)


def idle_costs(server: Served, rest_s: float) -> Iterator[Figure]:
    """Yield the memory and the CPU time of a daemon that is idle for ``rest_s`` seconds."""
    time.sleep(_SETTLE_S)
    yield figure("server_rss_mb", _rss_mb(server.pid), "MB")
    yield figure("indexer_rss_mb", _rss_mb(server.indexer_pid), "MB")
    busy_share, passed_s = _busy_share(server, rest_s)
    yield figure("idle_cpu_percent", 100 * busy_share, "%", seconds=rounded(passed_s))


def _busy_share(server: Served, rest_s: float) -> tuple[float, float]:
    """Return the share of a core that both idle processes use, and the seconds measured."""
    began_s, began_cpu_s = time.monotonic(), _cpu_s(server)
    time.sleep(rest_s)
    passed_s = time.monotonic() - began_s
    return (_cpu_s(server) - began_cpu_s) / passed_s, passed_s


def _cpu_s(server: Served) -> float:
    return cpu_s(server.pid) + cpu_s(server.indexer_pid)


def cpu_per_change(server: Served, repeats: int, rest_s: float) -> Iterator[Figure]:
    """Yield the CPU time of both processes for one changed note, above their idle CPU time.

    No client asks for a sync: the watcher reports each change, which is read, published and saved.
    """
    time.sleep(_SETTLE_S)
    idle_share, _ = _busy_share(server, rest_s)
    began_s, began_cpu_s = time.monotonic(), _cpu_s(server)
    for number, path in enumerate(_notes(server, repeats)):
        _append(path, f"Changed {number}.")
        time.sleep(_PAUSE_S)
    idle_s = idle_share * (time.monotonic() - began_s)
    each_ms = 1000 * (_cpu_s(server) - began_cpu_s - idle_s) / repeats
    yield figure("one_change_cpu_ms", each_ms, "ms", ONE_CHANGE_CPU_MS_MAX, changes=repeats)


def save_to_queryable(server: Served, repeats: int) -> Iterator[Figure]:
    """Yield the delay from saving a note until queries find its new text, without a sync."""
    rows = result(server.peer, "concepts", limit=100_000)["concepts"]
    names = [row["name"] for row in rows if row["mentionCount"] in _MENTIONS][-repeats:]
    delays_ms = []
    for number, (name, path) in enumerate(zip(names, _notes(server, repeats), strict=True)):
        delays_ms.append(_delay_until_found_ms(server, path, name, f"bench-{number}"))
        time.sleep(_PAUSE_S)
    p50_ms, p99_ms = median(delays_ms), percentile(delays_ms, 0.99)
    yield figure("save_to_queryable_p50_ms", p50_ms, "ms", QUERYABLE_P50_MS_MAX, saves=repeats)
    yield figure("save_to_queryable_p99_ms", p99_ms, "ms", QUERYABLE_P99_MS_MAX, saves=repeats)


def _delay_until_found_ms(server: Served, path: str, name: str, neighbour: str) -> float:
    """Link ``name`` and ``neighbour`` in a note; return the time until queries find that note."""
    # The text is a section of its own: in a longer passage other words would change its vector.
    sentence = "The lid of the gauge in the harbour was broken by the storm"
    _append(path, f"## The storm\n\n{sentence}, says [[{name}]] of [[{neighbour}]].")
    began_s = time.perf_counter()
    while time.perf_counter() - began_s < _QUERYABLE_SECONDS_MAX:
        if _is_related(server, name, neighbour) and all(
            _is_found(server, path, query, mode)
            for query, mode in ((neighbour, "keyword"), (sentence, "semantic"))
        ):
            return (time.perf_counter() - began_s) * 1000
        time.sleep(POLL_S)
    raise RuntimeError(f"{neighbour} was never found beside {name}")


def _is_related(server: Served, name: str, neighbour: str) -> bool:
    reply = result(server.peer, "concept", conceptName=name, depth=1, maxEntities=1000)
    return any(row["name"] == neighbour for row in reply["directRelations"])


def _is_found(server: Served, path: str, query: str, mode: str) -> bool:
    """Return whether a search finds the new passage of the note at ``path``.

    It asks for this note alone: else many results are shown for each answer, which takes longer
    than it takes until the note is found.
    """
    name = os.path.relpath(path, server.vault)
    asked = f'path:"{name}" {query}'
    rows = result(server.peer, "search", query=asked, mode=mode, limit=5)["results"]
    return any(row["uri"].endswith(quote(name)) and "storm" in row["snippet"] for row in rows)


def _notes(server: Served, count: int) -> list[str]:
    """Return the paths of ``count`` notes of ordinary size."""
    ordinary = [
        path for path in note_paths(server.vault) if os.path.getsize(path) < _NOTE_BYTES_MAX
    ]
    return Random(count).sample(ordinary, count)  # noqa: S311 - every run must be the same


def _append(path: str, text: str) -> None:
    with open(path, "a", encoding="utf-8") as file:
        file.write(f"\n{text}\n")


def _rss_mb(pid: int) -> float:
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6
