"""How long a client waits while another one sends many or heavy requests."""

import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle

from benchmarks.concept_queries import ConceptNames
from benchmarks.daemon import Served, latency_ms, request
from benchmarks.figures import Figure, by_name, figure
from clew.surface.paths import socket_path

_SECONDS_MAX = 3_600.0


def others_wait(server: Served, names: ConceptNames) -> Iterator[Figure]:
    """Yield how long another client waits while one sends many or heavy requests."""
    hubs, others = names.hubs, names.others
    searches = [request("search", query=f"{name} notes") for name in others[:60]]
    paths = [
        request("path", **{"from": one, "to": other})
        for one, other in zip(cycle(hubs), others[60:160], strict=False)
    ]
    cases = {
        "100 path": paths,
        "60 search": searches,
        "deep concept": [request("concept", conceptName=hubs[0], depth=100, maxEntities=1000)],
        "large graph": [request("graph", conceptName=hubs[0], depth=20, maxNodes=5000)],
        "all concepts": [request("concepts", limit=100_000)],
        "unresolved": [request("unresolved", limit=1_000)],
        "orphans": [request("orphans", limit=1_000)],
        "backlinks of a hub": [request("backlinks", conceptName=hubs[0])],
        "unknown concept": [request("concept", conceptName="harbor infrastructur")],
        "unknown note": [request("read", uri="harbor infrastructur")],
        "recent": [request("recent", limit=1_000)],
        "tags": [request("tags", limit=1_000)],
        "rank": [request("rank", query="notes of the harbour")],
        "word parts": [request("search", query="aqzxw qzzk bqxz")],
    }
    waits = {name: _other_waits_ms(server, lines) for name, lines in cases.items()}
    waited_ms = {name: wait_ms for name, (wait_ms, _) in waits.items()}
    took_ms = {name: took_ms for name, (_, took_ms) in waits.items()}
    longest_ms = max(waited_ms.values())
    yield figure("others_wait_ms", longest_ms, "ms", all=by_name(waited_ms), took=by_name(took_ms))


def _other_waits_ms(server: Served, lines: Sequence[bytes]) -> tuple[float, float]:
    """Return the longest wait of another client's ``hello`` until all lines are answered.

    The second number is how long all of them take.
    """
    with _peer(server) as heavy:
        answered = threading.Event()

        def take() -> None:
            with heavy.makefile("rb") as replies:
                for _ in lines:
                    replies.readline()
            answered.set()

        thread = threading.Thread(target=take)
        thread.start()
        heavy.sendall(b"".join(lines))
        longest_ms, began_s = 0.0, time.perf_counter()
        while not answered.is_set():
            longest_ms = max(longest_ms, latency_ms(server, "hello", protocol=1))
            time.sleep(0.001)
        thread.join()
    return longest_ms, 1000 * (time.perf_counter() - began_s)


@contextmanager
def _peer(server: Served) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
        peer.settimeout(_SECONDS_MAX)
        peer.connect(socket_path(server.vault))
        yield peer
