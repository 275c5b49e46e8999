"""A partition scheduler for tests, with a fake link, a fake clock and a scripted process."""

import threading
from collections.abc import Iterable
from pathlib import Path

from clew.engine.communities.partition_job import SavedCommunities, new_job, rows_to_partition
from clew.engine.communities.run_partition import run_job
from clew.engine.communities.saved import load_communities
from clew.engine.settings import CommunitySettings
from clew.index.graph import ConceptGraph
from clew.surface.indexer.background.partition_scheduler import PartitionScheduler
from clew.surface.indexer.link import Link
from clew.values import ipc
from clew.values.packing import pack

SETTINGS = CommunitySettings()
ENDS_SECONDS_MAX = 120.0  # only a process that hangs takes longer


class FakeLink(Link):
    """A link without a server: it keeps the messages, and an event for ``wake``."""

    def __init__(self) -> None:
        self.sent: list[object] = []
        self.woken = threading.Event()

    def send(self, *messages: object) -> None:
        self.sent += messages

    def send_chunks(self, chunks: Iterable[bytes]) -> None:
        self.sent += chunks

    def wait_until_mapped(self, generation: int) -> None:
        pass

    def wake(self) -> None:
        self.woken.set()


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


class Rig:
    """A ``PartitionScheduler`` whose clock, graph and partition process a test controls."""

    def __init__(self, folder: Path, settings: CommunitySettings = SETTINGS) -> None:
        self.folder = folder
        self.settings = settings
        self.link, self.clock, self.graph = FakeLink(), Clock(), ConceptGraph()
        self.program, self.reply = folder.parent / "partition", folder.parent / "reply"
        self.gate = folder.parent / "gate"
        self.use_script(self.works)
        self.notes = self.ends = 0
        self.seconds_max = ENDS_SECONDS_MAX  # bound of a partition process
        self.edit()
        self.scheduler = self.restarted()

    @property
    def works(self) -> str:
        """A script that prints the correct result, which was computed before."""
        return f"cat >/dev/null; cat {self.reply}"

    def use_script(self, script: str) -> None:
        """Use this script as the partition process; its $1 is the id of its parent."""
        self.program.write_text(f"#!/bin/sh\n{script}\n")
        self.program.chmod(0o700)

    def hold(self) -> None:
        """Let partition processes end only after ``release``."""
        wait = f"while [ ! -e {self.gate} ]; do sleep 0.01; done"
        self.use_script(f"cat >/dev/null; {wait}; cat {self.reply}")

    def release(self) -> None:
        """Let the partition processes end that ``hold`` keeps."""
        self.gate.touch()

    def restarted(self) -> PartitionScheduler:
        """Return a new scheduler, as there is after a restart."""
        words = [str(self.program)]
        folder, clock = str(self.folder), self.clock
        return PartitionScheduler(self.link, self.settings, folder, words, self.seconds_max, clock)

    def edit(self) -> None:
        self.notes += 1
        self.graph.put(f"{self.notes}.md", {f"c{self.notes}": 1, f"c{self.notes // 3}x": 1})

    def settle(self, after_s: float = 0.0) -> None:
        self.clock.now_s += after_s
        if self.starts == self.ends:
            rows, _ = rows_to_partition(
                self.graph, self.settings.weights, self.settings.max_concepts
            )
            self.reply.write_bytes(pack(run_job(new_job(rows, load_communities(str(self.folder))))))
        self.scheduler.settle(self.graph)

    def ended(self, after_s: float = 0.0) -> None:
        """Wait until the partition process has ended, and let the scheduler take its result."""
        assert self.link.woken.wait(ENDS_SECONDS_MAX)
        self.link.woken.clear()
        self.settle(after_s)
        self.ends += 1

    def rested(self) -> None:
        """Complete the first run, so that nothing is due."""
        self.settle()
        self.ended()
        assert self.scheduler.due_in_s() is None
        assert self.starts == self.sent_count == 1

    @property
    def starts(self) -> int:
        return sum(isinstance(message, ipc.PartitionStarted) for message in self.link.sent)

    @property
    def sent_count(self) -> int:
        return sum(isinstance(message, ipc.PartitionFinished) for message in self.link.sent)

    @property
    def expected(self) -> SavedCommunities:
        """The communities of the present graph, if none were saved before."""
        rows, _ = rows_to_partition(self.graph, self.settings.weights, self.settings.max_concepts)
        return run_job(new_job(rows, SavedCommunities()))
