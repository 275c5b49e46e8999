"""A keeper of communities with all that it needs: a link to nobody, a clock and a divider."""

import threading
from pathlib import Path

from clew.engine.communities.partition_job import SavedCommunities, new_job, rows_to_partition
from clew.engine.communities.run_partition import run_job
from clew.engine.communities.saved import load_communities
from clew.engine.settings import CommunitySettings
from clew.index.graph import ConceptGraph
from clew.surface.indexer.background.partition_schedule import CommunityKeeper
from clew.surface.indexer.link import Link
from clew.values import ipc
from clew.values.packing import pack

SETTINGS = CommunitySettings()
ENDS_SECONDS_MAX = 120.0  # of a process of Python's, so long that only what hangs takes longer


class FakeLink(Link):
    """A link to nobody: it keeps what is sent, and knows when it was woken."""

    def __init__(self) -> None:
        self.sent: list[object] = []
        self.woken = threading.Event()

    def send(self, *messages: object) -> None:
        self.sent += messages

    def wake(self) -> None:
        self.woken.set()


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


class Rig:
    """A keeper with all that it needs, of which a test moves the clock and the graph."""

    def __init__(self, folder: Path, settings: CommunitySettings = SETTINGS) -> None:
        self.folder = folder
        self.settings = settings
        self.link, self.clock, self.graph = FakeLink(), Clock(), ConceptGraph()
        self.divider, self.reply = folder.parent / "divider", folder.parent / "reply"
        self.lets(self.works)
        self.notes = self.ends = 0
        self.seconds_max = ENDS_SECONDS_MAX  # that a divider may take
        self.edit()
        self.keeper = self.reborn()

    @property
    def works(self) -> str:
        """A divider that gives the right answer, which was found beforehand."""
        return f"cat >/dev/null; cat {self.reply}"

    def lets(self, script: str) -> None:
        """Let the divider be this script, in which $1 is the process that gives the work."""
        self.divider.write_text(f"#!/bin/sh\n{script}\n")
        self.divider.chmod(0o700)

    def reborn(self) -> CommunityKeeper:
        """Return a keeper as after a restart."""
        words = [str(self.divider)]
        folder, clock = str(self.folder), self.clock
        return CommunityKeeper(self.link, self.settings, folder, words, self.seconds_max, clock)

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
        self.keeper.settle(self.graph)

    def ended(self, after_s: float = 0.0) -> None:
        """Wait until the process that runs has ended, and let the keeper know."""
        assert self.link.woken.wait(ENDS_SECONDS_MAX)
        self.link.woken.clear()
        self.settle(after_s)
        self.ends += 1

    def rested(self) -> None:
        """Go through the first division, so that nothing is left to be done."""
        self.settle()
        self.ended()
        assert self.keeper.due_in_s() is None
        assert self.starts == self.told == 1

    @property
    def starts(self) -> int:
        return sum(isinstance(message, ipc.PartitionStarted) for message in self.link.sent)

    @property
    def told(self) -> int:
        return sum(isinstance(message, ipc.PartitionFinished) for message in self.link.sent)

    @property
    def expected(self) -> SavedCommunities:
        """What is to be found in the graph as it is, were there nothing before."""
        rows, _ = rows_to_partition(self.graph, self.settings.weights, self.settings.max_concepts)
        return run_job(new_job(rows, SavedCommunities()))
