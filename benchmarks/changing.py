"""From a served vault to what it costs at rest, and how soon it knows of a change.

The figures of changes write into the vault, so they come last.
"""

import os
import resource
import time
from collections.abc import Iterator
from random import Random
from statistics import median

from benchmarks.figures import Figure, figure, percentile, rounded
from benchmarks.indexing import note_paths
from benchmarks.served import Served, cpu_s, result

POLL_S = 0.002

_SETTLE_S = 2.0
# Longer than the daemon waits for its second look, so that one change does not meet the last one.
_PAUSE_S = 0.4
_SHOWN_SECONDS_MAX = 20.0
_NOTE_BYTES_MAX = 8_000
_MENTIONS = range(2, 6)


def at_rest(server: Served, rest_s: float) -> Iterator[Figure]:
    """Yield memory, in MB, and CPU of a daemon with nothing to do for ``rest_s`` seconds."""
    time.sleep(_SETTLE_S)
    yield figure("rss_mb", _rss_mb(server.pid), "MB")
    began_s, began_cpu_s = time.monotonic(), cpu_s(server.pid)
    time.sleep(rest_s)
    busy_s, passed_s = cpu_s(server.pid) - began_cpu_s, time.monotonic() - began_s
    yield figure("idle_cpu_percent", 100 * busy_s / passed_s, "%", seconds=rounded(passed_s))


def one_change(server: Served, repeats: int) -> Iterator[Figure]:
    """Yield how long a ``sync`` that finds one changed note takes, by its own count."""
    took_ms = []
    for number, path in enumerate(_notes(server, repeats)):
        _append(path, f"Changed {number}.")
        took_ms.append(float(result(server.peer, "sync")["tookMs"]))
        time.sleep(_PAUSE_S)
    most = rounded(max(took_ms))
    yield figure("one_change_ms", median(took_ms), "ms", max=most, changes=repeats)


def save_to_queryable(server: Served, repeats: int) -> Iterator[Figure]:
    """Yield how long after a save, with nobody asking for a sync, a query shows what it says."""
    rows = result(server.peer, "concepts", limit=100_000)["concepts"]
    names = [row["name"] for row in rows if row["mentionCount"] in _MENTIONS][-repeats:]
    shown_ms = []
    for number, (name, path) in enumerate(zip(names, _notes(server, repeats), strict=True)):
        shown_ms.append(_shown_after_ms(server, path, name, f"bench-{number}"))
        time.sleep(_PAUSE_S)
    for label, value in (("p50", median(shown_ms)), ("p99", percentile(shown_ms, 0.99))):
        yield figure(f"save_to_queryable_{label}_ms", value, "ms", saves=repeats)


def _shown_after_ms(server: Served, path: str, name: str, neighbour: str) -> float:
    """Link ``name`` and ``neighbour`` in a note; return when they are known to go together."""
    _append(path, f"Saved with [[{name}]] and [[{neighbour}]].")
    began_s = time.perf_counter()
    while time.perf_counter() - began_s < _SHOWN_SECONDS_MAX:
        reply = result(server.peer, "concept", conceptName=name, depth=1, maxEntities=1000)
        if any(row["name"] == neighbour for row in reply["directRelations"]):
            return (time.perf_counter() - began_s) * 1000
        time.sleep(POLL_S)
    raise RuntimeError(f"{neighbour} never showed beside {name}")


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
