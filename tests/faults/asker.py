"""A well-behaved client in its own process, which repeats one request and measures the replies.

``python -m tests.faults.asker SOCKET CONCEPT PID`` sends requests until its stdin ends, then prints
one line of JSON: the seconds for each reply, and the failures. If it is refused with ``busy`` or
disconnected, it retries soon, and the time keeps running. Seconds are corrected for the time that
this client and the server, whose process is PID, waited for a processor.
"""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from clew.surface.client import NoDaemon, Refused, call
from tests.daemons import ANSWER_SECONDS_MAX, Daemon
from tests.pace import Stopwatch, machine_factor
from tests.processes import started

PAUSE_S = 0.005
TRIES_SECONDS = 15.0
ROOT = Path(__file__).parent.parent.parent


@dataclass(slots=True)
class Asked:
    """The measurements of a client; filled in when it has ended."""

    times_s: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    in_all_s: float = 0.0  # corrected as the times are

    def check(self, p99_s: float, at_least: int = 50) -> None:
        """Assert that every request was answered, and 99% of them in time.

        There are ``at_least`` so many, or as many as ever fit into the time that the client had.
        """
        assert not self.failures, f"{len(self.failures)} failed: {self.failures[:3]}"
        least = min(at_least, self.in_all_s / (PAUSE_S + p99_s))
        assert len(self.times_s) >= max(1, least), f"only {spread(self.times_s)}"
        assert percentile(self.times_s, 0.99) <= p99_s, spread(self.times_s)


def percentile(values: list[float], share: float) -> float:
    """Return the smallest value that at least a ``share`` of all values does not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def spread(values: list[float]) -> str:
    """Return percentiles in milliseconds, as text."""
    shares = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}
    texts = [f"{name} {percentile(values, share) * 1000:.0f} ms" for name, share in shares.items()]
    return f"{len(values)} times: {', '.join(texts)}"


@contextmanager
def asking(running: Daemon, concept: str) -> Iterator[Asked]:
    """Run a client that requests a concept within a block."""
    asked = Asked()
    what = [str(running.socket), concept, str(running.pid)]
    words = [sys.executable, "-m", "tests.faults.asker", *what]
    pipe = subprocess.PIPE
    with started(words, stdin=pipe, stdout=pipe, cwd=ROOT, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdout.readline()
        yield asked
        child.stdin.close()
        asked.times_s, asked.failures, asked.in_all_s = json.loads(child.stdout.readline())


def _ask(socket: str, concept: str, server_pid: int) -> float:
    """Return the seconds that one reply took."""
    watch = Stopwatch([os.getpid(), server_pid])
    while True:
        try:
            call(socket, "concept", {"conceptName": concept}, timeout_s=ANSWER_SECONDS_MAX)
        except (NoDaemon, Refused) as error:
            is_busy = isinstance(error, NoDaemon) or error.error["data"]["code"] == "busy"
            if not is_busy or watch.is_over(TRIES_SECONDS):
                raise
        else:
            return watch.seconds()
        time.sleep(PAUSE_S)


def main(socket: str, concept: str, server_pid: str) -> None:
    """Send requests until stdin ends; print the measurements."""
    machine_factor()  # measured now, not while a request waits
    times_s: list[float] = []
    failures: list[str] = []
    watch = Stopwatch([os.getpid(), int(server_pid)])
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while not select.select([sys.stdin], [], [], PAUSE_S)[0]:
        try:
            times_s.append(_ask(socket, concept, int(server_pid)))
        except (NoDaemon, Refused) as error:
            failures.append(str(error))
    sys.stdout.write(json.dumps([times_s, failures, watch.seconds()]) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
