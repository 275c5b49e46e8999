"""When communities are found anew: a while after the last change, in a process of its own.

A vault that never comes to rest gets its turn all the same, and a graph that takes long to divide
is divided less often, so that this takes at most a fifth of a core. What was found is remembered,
so that a start finds nothing to do where nothing changed.
"""

import logging
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from queue import SimpleQueue

from clew.disk.durable import DISK, Disk
from clew.engine.communities.partition_job import (
    Job,
    SavedCommunities,
    new_job,
    rows_digest,
    rows_to_partition,
    unpack_saved_communities,
)
from clew.engine.communities.saved import load_communities, save_communities
from clew.engine.settings import CommunitySettings
from clew.index.graph import ConceptGraph
from clew.surface.children import words_for
from clew.surface.indexer.link import Link
from clew.values import ipc
from clew.values.communities import Partition
from clew.values.note import Problem
from clew.values.packing import pack

logger = logging.getLogger(__name__)

QUIET_SECONDS = 2.0  # after the last change
PATIENCE_SECONDS = 30.0  # after the first change, if they do not end
RETRY_SECONDS = 60.0  # after a failure
DIVIDER_SECONDS_MAX = 7_200.0  # it has a bound of its own on CPU; this is for one that hangs
REST_SHARE = 4.0  # of the time that the last run took

DIVIDER = words_for("clew.surface.indexer.partition")


class CommunityKeeper:
    """The communities of one vault: kept up to date, remembered, and told to the server."""

    def __init__(
        self,
        link: Link,
        settings: CommunitySettings,
        folder: str,
        divider: Sequence[str] = DIVIDER,
        seconds_max: float = DIVIDER_SECONDS_MAX,
        clock: Callable[[], float] = time.monotonic,
        disk: Disk = DISK,
    ) -> None:
        self._link = link
        self._settings = settings
        self._folder = folder
        self._divider = divider
        self._seconds_max = seconds_max
        self._clock = clock
        self._disk = disk
        self._known: SavedCommunities | None = None  # not recalled so far
        self._is_told = False  # the server has the communities that are known
        self._seen: int | None = None  # changes of the graph, as last looked at
        self._changed_at_s: float | None = None  # when it last changed; None: nothing to do
        self._since_s = 0.0  # when it first changed since
        self._rests_until_s = 0.0
        self._running_since_s: float | None = None
        self._found: SimpleQueue[SavedCommunities | str] = SimpleQueue()  # or what went wrong
        self._failure: str | None = None  # of the last run
        self._unkept: str | None = None  # why what is known cannot be remembered
        self._keep_again_at_s = 0.0
        self.left_out: tuple[Problem, ...] = ()  # notes that make no community

    @property
    def failure(self) -> str | None:
        """What went wrong, until it is made good."""
        return self._failure or self._unkept

    @property
    def is_due(self) -> bool:
        """Whether the server has no communities, or those of older edges."""
        return not self._is_told or self._changed_at_s is not None or self._is_running

    @property
    def _is_running(self) -> bool:
        return self._running_since_s is not None

    def due_in_s(self) -> float | None:
        """Return in how many seconds ``settle`` has something to do, ``None`` for unknown."""
        dues_s = [self._begins_at_s(), self._keep_again_at_s if self._unkept else None]
        due_s = min((at_s for at_s in dues_s if at_s is not None), default=None)
        return None if due_s is None else max(0.0, due_s - self._clock())

    def _begins_at_s(self) -> float | None:
        if self._changed_at_s is None or self._is_running:
            return None
        quiet_s = min(self._changed_at_s + QUIET_SECONDS, self._since_s + PATIENCE_SECONDS)
        return max(quiet_s, self._rests_until_s)

    def settle(self, graph: ConceptGraph) -> None:
        """Take in what was found, take note of changes, and begin what is due."""
        if not self._found.empty():
            self._take(self._found.get())
        self._look(graph)
        if self._unkept and self._keep_again_at_s <= self._clock():
            self._keep()
        begins_at_s = self._begins_at_s()
        if begins_at_s is not None and begins_at_s <= self._clock():
            self._begin(graph)

    def _look(self, graph: ConceptGraph) -> None:
        if graph.edge_changes == self._seen:
            return
        now_s = self._clock()
        if self._changed_at_s is None:
            self._since_s = now_s
        # What an earlier life left may be right already: there is no need to wait to see that.
        self._changed_at_s = now_s if self._seen is not None else now_s - QUIET_SECONDS
        self._seen = graph.edge_changes

    def _begin(self, graph: ConceptGraph) -> None:
        if self._known is None:
            self._recall()
        if self._known is None:
            return
        rows, long_paths = rows_to_partition(
            graph, self._settings.weights, self._settings.max_concepts
        )
        self.left_out = tuple(map(self._problem, long_paths))
        self._changed_at_s = None
        if rows_digest(rows) == self._known.digest:
            self._failure = None
            if not self._is_told:
                self._link.send(ipc.PartitionStarted())
                self._tell(self._known.partition)
            return
        self._link.send(ipc.PartitionStarted())
        self._running_since_s = self._clock()
        job = new_job(rows, self._known)
        threading.Thread(target=self._run, args=(job,), daemon=True).start()

    def _run(self, job: Job) -> None:
        """Have a job done; on a thread that lives as long as the process that does it."""
        found: SavedCommunities | str = "their process said nothing"
        try:
            done = subprocess.run(
                [*self._divider, str(os.getpid())],
                input=pack(job),
                stdout=subprocess.PIPE,
                timeout=self._seconds_max,
                check=False,
            )
            found = _ending(done.returncode) or unpack_saved_communities(done.stdout)
        except subprocess.TimeoutExpired:
            found = f"their process took longer than {self._seconds_max:.0f} s"
        except (OSError, ValueError) as error:
            found = str(error)
        finally:
            self._found.put(found)
            self._link.wake()

    def _take(self, found: SavedCommunities | str) -> None:
        assert self._running_since_s is not None
        now_s = self._clock()
        took_s, self._running_since_s = now_s - self._running_since_s, None
        if isinstance(found, str):
            logger.warning("communities not found reason=%s", found)
            self._failure = found
            self._rests_until_s = now_s + max(RETRY_SECONDS, REST_SHARE * took_s)
            self._changed_at_s = self._changed_at_s or now_s
            return
        self._failure = None
        self._rests_until_s = now_s + REST_SHARE * took_s
        self._known = found
        self._tell(found.partition)
        logger.info("divided communities=%d ms=%d", len(found.partition.communities), took_s * 1000)
        self._keep()

    def save_again(self) -> None:
        """Save the communities again, after the state folder was removed or replaced."""
        if self._known is not None and self._is_told:
            self._keep()

    def _keep(self) -> None:
        assert self._known is not None
        try:
            save_communities(self._folder, self._known, self._disk)
        except OSError as error:
            logger.warning("communities cannot be remembered reason=%s", error)
            self._unkept = f"cannot be remembered: {error.strerror or error}"
            self._keep_again_at_s = self._clock() + RETRY_SECONDS
        else:
            self._unkept = None

    def _tell(self, partition: Partition) -> None:
        self._link.send(*map(ipc.PartitionCommunity, partition.communities))
        self._link.send(ipc.PartitionFinished(partition.modularity))
        self._is_told = True

    def _recall(self) -> None:
        """Learn what an earlier life knew, before anything takes its place."""
        try:
            self._known = load_communities(self._folder)
        except OSError as error:
            logger.warning("communities cannot be recalled reason=%s", error)
            self._failure = f"cannot be recalled: {error.strerror or error}"
            self._rests_until_s = self._clock() + RETRY_SECONDS

    def _problem(self, path: str) -> Problem:
        most = self._settings.max_concepts
        message = f"mentions more than {most} concepts: no part of any community"
        return Problem(path, "tooManyConcepts", None, message)


def _ending(status: int) -> str:
    """Return what an exit status other than 0 says, in words."""
    if status == -signal.SIGXCPU:
        return "their process was at its bound of CPU time"
    if status < 0:
        return f"their process ended by signal {-status}"
    return f"their process ended with status {status}; the log says more" if status else ""
