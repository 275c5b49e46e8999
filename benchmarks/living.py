"""From a vault to what a life with it costs: starting again, and answering while all is read anew.

These figures are of real daemons, from the command that starts one to the first answer.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from statistics import median

from benchmarks.asking import Asked, latency_ms
from benchmarks.dividing import wait_for_communities
from benchmarks.figures import Figure, figure, percentile, rounded
from benchmarks.indexing import note_paths
from benchmarks.searching import wait_for_vectors
from benchmarks.served import Served, result, served
from clew.surface.places import state_folder

RESTART_RATIO_MAX = 0.1
REINDEX_P50_RATIO_MAX = 1.3

_WRITE = (
    "import sys\nfor path in sys.stdin.read().split('\\n'):\n open(path, 'a').write('\\nMore.\\n')"
)


def starts(vault: str, repeats: int) -> Iterator[Figure]:
    """Yield how long a daemon takes to be ready again, beside its first index.

    Each time from the command to the answer of a question that waits for the index. The first
    index begins without a state, all others with what the one before left.
    """
    shutil.rmtree(os.path.join(state_folder(vault), "index"), ignore_errors=True)
    first_s = _seconds_to_ready(vault)
    again_s = [_seconds_to_ready(vault) for _ in range(repeats)]
    yield figure("first_ready_s", first_s, "s")
    yield figure("again_ready_s", median(again_s), "s", all=[rounded(each) for each in again_s])
    ratio = median(again_s) / first_s
    yield figure("restart_ratio", ratio, "ratio", RESTART_RATIO_MAX)


def _seconds_to_ready(vault: str) -> float:
    began_s = time.perf_counter()
    with served(vault) as server:
        took_s = time.perf_counter() - began_s
        # What it saves after it is ready is not what a user waits for, yet the next start needs it.
        while not result(server.peer, "status")["persist"]["ok"]:
            time.sleep(0.1)
        wait_for_communities(server)
        time.sleep(1.0)
    return took_s


def while_reindexing(server: Served, asked: Asked) -> Iterator[Figure]:
    """Yield how much longer an answer takes while every note of the vault is read anew.

    Half of the concepts are asked for at rest, the others from when all notes were written to
    until their revision is published.
    """
    wait_for_vectors(server)
    half = len(asked.others) // 2
    idle_ms = [latency_ms(server, name) for name in asked.others[:half]]
    revision = result(server.peer, "hello", protocol=1)["revision"]
    paths = "\n".join(note_paths(server.vault))
    subprocess.run([sys.executable, "-c", _WRITE], input=paths, text=True, check=True)
    busy_ms: list[float] = []
    rest = iter(asked.others[half:])
    while result(server.peer, "hello", protocol=1)["revision"] == revision:
        name = next(rest, None)
        if name is None:
            break
        busy_ms.append(latency_ms(server, name))
        time.sleep(0.002)  # questions all the time would take the other core for themselves
    ratio = median(busy_ms) / median(idle_ms)
    more = {"idle_ms": rounded(median(idle_ms)), "busy_ms": rounded(median(busy_ms))}
    more |= {"busy_p99_ms": rounded(percentile(busy_ms, 0.99)), "queries": len(busy_ms)}
    yield figure("reindex_p50_ratio", ratio, "ratio", REINDEX_P50_RATIO_MAX, **more)
