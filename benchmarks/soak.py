"""Let clients query a vault while notes change, and watch the daemon's memory and open files.

Run as ``python -m benchmarks.soak --minutes 60``; prints one JSON object a minute, and at the end
the growth since the fifth minute, and the memory after a rest, which tells what was kept of it.
Exits with 1 if memory or open files grew beyond their bounds.
"""

import argparse
import json
import os
import socket
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from random import Random
from statistics import fmean
from typing import Any

from benchmarks.daemon import Served, ask, move_home, request, result, served
from benchmarks.figures import Figure, figure, rounded
from benchmarks.generate import generate
from benchmarks.indexing import note_paths
from benchmarks.processes import Memory, memory, tree
from benchmarks.searches import queries, wait_for_vectors
from clew.surface.paths import socket_path
from clew.surface.server.daemon import GIVE_BACK_EVERY_S

MEMORY_GROWTH_MAX = 1.05
OPEN_FILES_GROWTH_MAX = 2.0
_CLIENT_PAUSE_S = 0.2
_EDIT_PAUSE_S = 0.5
_REQUESTS_A_CONNECTION = 100
_WARM_UP_SHARE = 1 / 12  # of the time: five minutes of an hour
_REST_S = GIVE_BACK_EVERY_S + 10.0


@dataclass(slots=True)
class Counts:
    """What the clients did."""

    requests: int = 0
    failures: list[str] = field(default_factory=list)
    slowest_ms: float = 0.0


def query(
    vault: str, seed: int, names: list[str], counts: Counts, is_over: threading.Event
) -> None:
    """Send random requests, on a new connection every hundred, until ``is_over``."""
    rng = Random(seed)  # noqa: S311 - every run must be the same
    texts = queries(vault, 200)
    while not is_over.is_set():
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
            peer.settimeout(60)
            peer.connect(socket_path(vault))
            for _ in range(_REQUESTS_A_CONNECTION):
                if is_over.wait(rng.uniform(0, 2 * _CLIENT_PAUSE_S)):
                    return
                method, params = _request(rng, names, texts)
                began_s = time.perf_counter()
                reply = json.loads(ask(peer, request(method, **params)))
                counts.slowest_ms = max(counts.slowest_ms, 1000 * (time.perf_counter() - began_s))
                counts.requests += 1
                if "error" in reply and reply["error"]["data"]["code"] != "notFound":
                    counts.failures.append(f"{method}: {reply['error']}")


def _request(rng: Random, names: list[str], texts: list[str]) -> tuple[str, dict[str, Any]]:
    name, other, text = rng.choice(names), rng.choice(names), rng.choice(texts)
    choices: list[tuple[str, dict[str, Any]]] = [
        ("concept", {"conceptName": name, "includeContent": True}),
        ("concept", {"conceptName": name, "waitFresh": rng.random() < 0.1, "waitFreshMs": 30_000}),
        ("path", {"from": name, "to": other}),
        ("graph", {"conceptName": name, "depth": 2}),
        ("search", {"query": text}),
        ("search", {"query": text[:-1]}),
        ("search", {"query": text, "filters": {"folder": name[:3]}}),
        ("rank", {"query": name}),
        ("similar", {"conceptName": name}),
        ("backlinks", {"conceptName": name}),
        ("concepts", {"prefix": name[:2]}),
        ("recent", {}),
        ("tags", {}),
        ("status", {}),
        ("read", {"uri": name}),
        ("unresolved", {}),
    ]
    return rng.choice(choices)


def edit(vault: str, is_over: threading.Event) -> None:
    """Change, make, move and remove notes until ``is_over``; the vault keeps its size."""
    rng = Random(7)  # noqa: S311 - every run must be the same
    paths = note_paths(vault)
    texts = {path: _text(path) for path in rng.sample(paths, min(500, len(paths)))}
    number = 0
    while not is_over.wait(_EDIT_PAUSE_S):
        number += 1
        path = rng.choice(list(texts))
        added = os.path.join(vault, f"soak {number % 50}.md")
        action = rng.randrange(5)
        if action == 0:
            _write(added, f"# Soak {number}\n\nA new note of [[soak {number % 30}]].\n")
        elif action == 1 and os.path.exists(added):
            os.remove(added)
        elif action == 2 and os.path.exists(added):
            os.replace(added, os.path.join(vault, f"soak {(number + 1) % 50}.md"))
        else:
            _write(path, f"{texts[path]}\nEdited {number}, see [[soak {number % 30}]].\n")


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _open_files(pid: int) -> int:
    return sum(len(os.listdir(f"/proc/{each}/fd")) for each in tree(pid)[:2])


def soak(vault: str, minutes: float, clients: int) -> list[Figure]:
    """Print a row a minute; return the figures of growth."""
    with served(vault) as server:
        wait_for_vectors(server)
        rows = result(server.peer, "concepts", limit=2_000)["concepts"]
        names = [row["name"] for row in rows]
        counts, is_over = Counts(), threading.Event()
        threads = [
            threading.Thread(target=query, args=(vault, seed, names, counts, is_over))
            for seed in range(clients)
        ]
        threads.append(threading.Thread(target=edit, args=(vault, is_over)))
        for thread in threads:
            thread.start()
        samples = []
        try:
            for _ in range(60):
                time.sleep(minutes)  # a sixtieth of them, in seconds
                used = _memory_of_both(server)
                private_mb = sum(each.private_mb for each in used)
                open_files = _open_files(server.pid)
                samples.append((private_mb, open_files))
                row = {
                    "pss_mb": rounded(sum(each.pss_mb for each in used)),
                    "private_mb": rounded(private_mb),
                    "of_server_mb": rounded(used[0].private_mb),
                    "anonymous_mb": rounded(sum(each.anonymous_mb for each in used)),
                    "open_files": open_files,
                    "requests": counts.requests,
                    "slowest_ms": rounded(counts.slowest_ms),
                    "failures": counts.failures[-1:],
                }
                counts.slowest_ms = 0.0
                print(json.dumps(row), flush=True)
        finally:
            is_over.set()
            for thread in threads:
                thread.join()
        time.sleep(_REST_S)
        rested_mb = sum(each.private_mb for each in _memory_of_both(server))
    return [*_growth(samples, counts), figure("soak_memory_after_rest_mb", rested_mb, "MB")]


def _memory_of_both(server: Served) -> list[Memory]:
    """Return the memory of the server and of the indexer alone: other processes come and go."""
    return [memory(pid, alone=True) for pid in (server.pid, server.indexer_pid)]


def _growth(samples: list[tuple[float, int]], counts: Counts) -> list[Figure]:
    """Return the growth from the samples after the warm-up to the last ones."""
    first = int(len(samples) * _WARM_UP_SHARE)
    early, late = samples[first : 2 * first], samples[-first:]
    memory_growth = fmean(row[0] for row in late) / fmean(row[0] for row in early)
    files_growth = max(row[1] for row in late) - max(row[1] for row in early)
    return [
        figure("soak_memory_growth", memory_growth, "ratio", MEMORY_GROWTH_MAX),
        figure("soak_open_files_growth", files_growth, "files", OPEN_FILES_GROWTH_MAX),
        figure("soak_failures", len(counts.failures), "replies", 0.0, requests=counts.requests),
    ]


def main() -> int:
    """Print all rows; return 1 if a figure misses its bound, else 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--clients", type=int, default=16)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clew-") as folder:
        move_home(os.path.realpath(folder))
        vault = os.path.join(os.path.realpath(folder), "vault")
        generate(vault, arguments.notes, seed=1)
        figures = soak(vault, arguments.minutes, arguments.clients)
    for each in figures:
        print(json.dumps(each))
    return int(any(each["ok"] is False for each in figures))


if __name__ == "__main__":
    sys.exit(main())
