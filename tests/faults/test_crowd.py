"""Many clients wait for changes while notes change and other programs use the processors."""

import json
import random
import shlex
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from tests.daemons import FRESH_MS_MAX, Daemon, prepared
from tests.faults.test_fairness import call
from tests.faults.vaults import vault_of
from tests.processes import children
from tests.surface.test_first_index import until_whole

CLIENTS = 64
REQUESTS = 4  # of each client
NOTES = 800
BUSY_LOOPS = 3
EDIT_SECONDS = 0.1  # between two edits
LIMIT_SECONDS = 5.0  # the default of ``waitFreshMs``
LOOP_SHARE = 0.4  # of a processor: what each loop gets on a machine of two that does nothing else
# A program that keeps a processor busy once a file exists, until the daemon, its parent, ends.
LOOP = """
import os, sys, time
parent = os.getppid()
while parent == os.getppid() and not os.path.exists(sys.argv[1]):
    time.sleep(0.05)
while parent == os.getppid():
    pass
"""


def vault_notes() -> dict[str, str]:
    own = {f"own/{client}.md": "[[hub]] 0" for client in range(CLIENTS)}
    return own | {f"{n % 50}/n{n}.md": f"[[hub]] [[c{n % 97}]] word{n}" for n in range(NOTES)}


@contextmanager
def daemon_among_loops(home: Path, vault: Path, loops: int) -> Iterator[Daemon]:
    """Run a daemon on ``vault``, with processes beside it that keep the processors busy.

    They are in the daemon's session, where Linux shares the processors by priority alone.
    """
    with prepared(home, vault) as running:
        loop = shlex.join([sys.executable, "-c", LOOP, str(home / "go")])
        many = f"for _ in $(seq {loops}); do {loop} & done; exec {shlex.join(running.command)}"
        running.spawn(["sh", "-c", many])
        running.until_answered("tags")
        until_whole(running)
        (home / "go").touch()
        yield running
        running.stop()


class Edits:
    """Edits notes on a thread, within a block; each edit has a higher number than those before."""

    def __init__(self, vault: Path) -> None:
        self._vault = vault
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._edit)
        self.numbers: dict[str, int] = {}  # by path, the number of the last finished edit

    def _edit(self) -> None:
        number, rng = 0, random.Random(5)
        while not self._ended.wait(EDIT_SECONDS):
            number, path = number + 1, f"own/{rng.randrange(CLIENTS)}.md"
            (self._vault / path).write_text(f"[[hub]] [[edit {number}]] {number}")
            self.numbers[path] = number

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()


def waits_s(running: Daemon, edits: Edits, client: int) -> list[float]:
    """Wait for the latest edit of a note, several times; return the times taken."""
    path, times_s = f"own/{client}.md", []
    with running.connect() as peer, peer.makefile("rb") as replies:
        for turn in range(REQUESTS):
            edit = edits.numbers.get(path, 0)
            wait = {"waitFor": [path]} if (client + turn) % 2 else {"waitFresh": True}
            began_s = time.monotonic()
            peer.sendall(call("read", uri=path, waitFreshMs=FRESH_MS_MAX, **wait) + b"\n")
            reply = json.loads(replies.readline())
            times_s.append(time.monotonic() - began_s)
            assert int(reply["result"]["content"].split()[-1]) >= edit, reply
    return times_s


class LoopShare:
    """Measures the share of a processor that a loop of normal priority gets."""

    def __init__(self, running: Daemon) -> None:
        self._runs = [Path(f"/proc/{pid}/schedstat") for pid in children(running.pid)]
        self._before_ns, self._began_s = self._most_ns(), time.monotonic()

    def _most_ns(self) -> int:
        """Return the time that the busiest child of the daemon has run, which is a loop."""
        return max(int(run.read_text().split()[0]) for run in self._runs)

    def share(self) -> float:
        return (self._most_ns() - self._before_ns) / 1e9 / (time.monotonic() - self._began_s)


def test_of_many_clients_that_wait_none_runs_into_the_limit(tmp_path: Path) -> None:
    """On a machine with other work too, the limit is longer, as a loop is slower."""
    vault = vault_of(tmp_path / "v", vault_notes())
    with daemon_among_loops(tmp_path / "h", vault, BUSY_LOOPS) as running, Edits(vault) as edits:
        loop = LoopShare(running)
        with ThreadPoolExecutor(CLIENTS) as pool:
            taken_s = list(pool.map(lambda client: waits_s(running, edits, client), range(CLIENTS)))
        slowness = max(1.0, LOOP_SHARE / loop.share())
    most_s = max(map(max, taken_s))
    assert most_s <= LIMIT_SECONDS * slowness, f"{most_s:.2f} s, slowness {slowness:.2f}"
