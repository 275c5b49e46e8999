"""From a served vault to what it costs at rest, and how soon it knows of a change.

The figures of changes write into the vault, so they come last.
"""

import os
import resource
import time
from collections.abc import Iterator
from random import Random
from statistics import median
from urllib.parse import quote

from benchmarks.figures import Figure, figure, percentile, rounded
from benchmarks.indexing import note_paths
from benchmarks.served import Served, cpu_s, result

POLL_S = 0.002
ONE_CHANGE_CPU_MS_MAX = 20.0
SHOWN_P50_MS_MAX = 60.0
SHOWN_P99_MS_MAX = 250.0

_SETTLE_S = 2.0
# Longer than the daemon waits for its second look, so that one change does not meet the last one.
_PAUSE_S = 0.4
_SHOWN_SECONDS_MAX = 20.0
_NOTE_BYTES_MAX = 8_000
_MENTIONS = range(2, 6)


def at_rest(server: Served, rest_s: float) -> Iterator[Figure]:
    """Yield memory, in MB, and CPU of a daemon with nothing to do for ``rest_s`` seconds."""
    time.sleep(_SETTLE_S)
    yield figure("server_rss_mb", _rss_mb(server.pid), "MB")
    yield figure("indexer_rss_mb", _rss_mb(server.indexer_pid), "MB")
    busy_share, passed_s = _busy_share(server, rest_s)
    yield figure("idle_cpu_percent", 100 * busy_share, "%", seconds=rounded(passed_s))


def _busy_share(server: Served, rest_s: float) -> tuple[float, float]:
    """Return the share of a core that both processes take at rest, and how long that was."""
    began_s, began_cpu_s = time.monotonic(), _cpu_s(server)
    time.sleep(rest_s)
    passed_s = time.monotonic() - began_s
    return (_cpu_s(server) - began_cpu_s) / passed_s, passed_s


def _cpu_s(server: Served) -> float:
    return cpu_s(server.pid) + cpu_s(server.indexer_pid)


def one_change(server: Served, repeats: int, rest_s: float) -> Iterator[Figure]:
    """Yield the CPU that one changed note takes, in both processes together, beyond their rest.

    Nobody asks for a look: each change is heard of, read, published and saved.
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
    """Yield how long after a save, with nobody asking for a sync, a query shows what it says."""
    rows = result(server.peer, "concepts", limit=100_000)["concepts"]
    names = [row["name"] for row in rows if row["mentionCount"] in _MENTIONS][-repeats:]
    shown_ms = []
    for number, (name, path) in enumerate(zip(names, _notes(server, repeats), strict=True)):
        shown_ms.append(_shown_after_ms(server, path, name, f"bench-{number}"))
        time.sleep(_PAUSE_S)
    p50_ms, p99_ms = median(shown_ms), percentile(shown_ms, 0.99)
    yield figure("save_to_queryable_p50_ms", p50_ms, "ms", SHOWN_P50_MS_MAX, saves=repeats)
    yield figure("save_to_queryable_p99_ms", p99_ms, "ms", SHOWN_P99_MS_MAX, saves=repeats)


def _shown_after_ms(server: Served, path: str, name: str, neighbour: str) -> float:
    """Link ``name`` and ``neighbour`` in a note; return when all ways to find it know of that."""
    # A section of its own, for the meaning of a long passage is that of its other words.
    said = "The lid of the gauge in the harbour was broken by the storm"
    _append(path, f"## The storm\n\n{said}, says [[{name}]] of [[{neighbour}]].")
    began_s = time.perf_counter()
    while time.perf_counter() - began_s < _SHOWN_SECONDS_MAX:
        if _is_related(server, name, neighbour) and all(
            _is_found(server, path, query, mode)
            for query, mode in ((neighbour, "keyword"), (said, "semantic"))
        ):
            return (time.perf_counter() - began_s) * 1000
        time.sleep(POLL_S)
    raise RuntimeError(f"{neighbour} never showed beside {name}")


def _is_related(server: Served, name: str, neighbour: str) -> bool:
    reply = result(server.peer, "concept", conceptName=name, depth=1, maxEntities=1000)
    return any(row["name"] == neighbour for row in reply["directRelations"])


def _is_found(server: Served, path: str, query: str, mode: str) -> bool:
    """Tell whether a search finds the passage of a note that was just now written."""
    rows = result(server.peer, "search", query=query, mode=mode, limit=200)["results"]
    name = quote(os.path.relpath(path, server.vault))
    return any(row["uri"].endswith(name) and "storm" in row["snippet"] for row in rows)


def _notes(server: Served, count: int) -> list[str]:
    """Return the paths of ``count`` notes of ordinary size."""
    usual = [path for path in note_paths(server.vault) if os.path.getsize(path) < _NOTE_BYTES_MAX]
    return Random(count).sample(usual, count)  # noqa: S311 - the same every time is wanted


def _append(path: str, text: str) -> None:
    with open(path, "a", encoding="utf-8") as file:
        file.write(f"\n{text}\n")


def _rss_mb(pid: int) -> float:
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6
