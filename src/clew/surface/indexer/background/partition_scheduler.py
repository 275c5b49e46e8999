"""Scheduler of the partition process, which computes communities after edges have changed.

Runs are debounced, but a vault that changes all the time still gets one from time to time. The
pause after a run grows with its duration, so that the process uses at most a fifth of a core. A run
waits for its turn, since it needs much memory. The result is saved, so that a restart with the same
edges needs no run.
"""

import logging
import time
from collections.abc import Callable, Sequence

from clew.disk.durable import DISK, Disk
from clew.engine.communities.partition_job import (
    SavedCommunities,
    new_job,
    rows_digest,
    rows_to_partition,
    unpack_saved_communities,
)
from clew.engine.communities.saved import load_communities, save_communities
from clew.engine.settings import CommunitySettings
from clew.index.graph import ConceptGraph
from clew.surface.children import module_command
from clew.surface.indexer.background.child_process import REST_SHARE, ChildProcess
from clew.surface.indexer.background.turn import Turn
from clew.surface.indexer.link import Link
from clew.values import ipc
from clew.values.communities import Partition
from clew.values.note import Problem
from clew.values.packing import pack

logger = logging.getLogger(__name__)

QUIET_SECONDS = 2.0  # a run starts this long after the last change
PATIENCE_SECONDS = 30.0  # or this long after the first change, if changes go on
RETRY_SECONDS = 60.0  # after a failure
PARTITION_SECONDS_MAX = 7_200.0  # after which a run is killed; CPU time has its own bound

PARTITION_COMMAND = module_command("clew.surface.indexer.partition")


class PartitionScheduler:
    """Keeps the communities of one vault up to date, saves them and sends them to the server."""

    def __init__(
        self,
        link: Link,
        settings: CommunitySettings,
        folder: str,
        command: Sequence[str] = PARTITION_COMMAND,
        seconds_max: float = PARTITION_SECONDS_MAX,
        clock: Callable[[], float] = time.monotonic,
        disk: Disk = DISK,
    ) -> None:
        self._link = link
        self._settings = settings
        self._folder = folder
        self._process = ChildProcess(
            command, seconds_max, unpack_saved_communities, link.wake, "their"
        )
        self._clock = clock
        self._disk = disk
        self.turn = Turn()  # shared with the other tasks of one indexer
        # Packed ``SavedCommunities``, which take a quarter of the memory; ``None``: not loaded yet.
        self._saved: bytes | None = None
        self._is_sent = False  # whether the server has the communities in ``_saved``
        self._edge_changes: int | None = None  # the graph's ``edge_changes`` at the last check
        self._changed_at_s: float | None = None  # time of the last change; None: no run is needed
        self._first_changed_at_s = 0.0  # time of the first change since the last run
        self._rests_until_s = 0.0
        self._running_since_s: float | None = None
        self._failure: str | None = None  # failure of the last run
        self._save_failure: str | None = None
        self._save_again_at_s = 0.0
        self.left_out: tuple[Problem, ...] = ()  # notes with too many concepts

    @property
    def failure(self) -> str | None:
        """The failure of the last run or of the last save; ``None`` once that succeeds."""
        return self._failure or self._save_failure

    @property
    def is_due(self) -> bool:
        """Whether the server has no communities, or has communities of older edges."""
        return not self._is_sent or self._changed_at_s is not None or self._is_running

    @property
    def _is_running(self) -> bool:
        return self._running_since_s is not None

    def due_in_s(self) -> float | None:
        """Return the seconds until ``settle`` is to be called; ``None`` if no time is set."""
        dues_s = [self._begins_at_s(), self._save_again_at_s if self._save_failure else None]
        due_s = min((at_s for at_s in dues_s if at_s is not None), default=None)
        return None if due_s is None else max(0.0, due_s - self._clock())

    def _begins_at_s(self) -> float | None:
        if self._changed_at_s is None or self._is_running or not self.turn.is_free_for(self):
            return None
        quiet_s = min(
            self._changed_at_s + QUIET_SECONDS, self._first_changed_at_s + PATIENCE_SECONDS
        )
        return max(quiet_s, self._rests_until_s)

    def settle(self, graph: ConceptGraph) -> None:
        """Take the result of a finished run, record changes of edges, and start a due run."""
        result = self._process.take()
        if result is not None:
            self._take(result)
        self._look(graph)
        if self._save_failure and self._save_again_at_s <= self._clock():
            self._save()
        self.turn.await_for(self, is_due=self._is_due_soon)
        begins_at_s = self._begins_at_s()
        if begins_at_s is not None and begins_at_s <= self._clock():
            self._begin(graph)

    @property
    def _is_due_soon(self) -> bool:
        """Whether a run waits only for edges to be quiet or for other work to end its turn."""
        return self._changed_at_s is not None and self._rests_until_s <= self._clock()

    def _look(self, graph: ConceptGraph) -> None:
        if graph.edge_changes == self._edge_changes:
            return
        now_s = self._clock()
        if self._changed_at_s is None:
            self._first_changed_at_s = now_s
        # After a start no quiet time is needed, since the saved communities may be up to date.
        self._changed_at_s = now_s if self._edge_changes is not None else now_s - QUIET_SECONDS
        self._edge_changes = graph.edge_changes

    def _begin(self, graph: ConceptGraph) -> None:
        if self._saved is None:
            self._load()
        if self._saved is None:
            return
        saved = unpack_saved_communities(self._saved)
        rows, long_paths = rows_to_partition(
            graph, self._settings.weights, self._settings.max_concepts
        )
        self.left_out = tuple(map(self._problem, long_paths))
        self._changed_at_s = None
        self.turn.await_for(self, is_due=False)
        if rows_digest(rows) == saved.digest:
            self._failure = None
            if not self._is_sent:
                self._link.send(ipc.PartitionStarted())
                self._send(saved.partition)
            return
        self._link.send(ipc.PartitionStarted())
        self.turn.take(self)
        self._running_since_s = self._clock()
        self._process.start(pack(new_job(rows, saved)))

    def _take(self, result: SavedCommunities | str) -> None:
        assert self._running_since_s is not None
        now_s = self._clock()
        took_s, self._running_since_s = now_s - self._running_since_s, None
        self.turn.end(self)
        if isinstance(result, str):
            logger.warning("communities not found reason=%s", result)
            self._failure = result
            self._rests_until_s = now_s + max(RETRY_SECONDS, REST_SHARE * took_s)
            self._changed_at_s = self._changed_at_s or now_s
            return
        self._failure = None
        self._rests_until_s = now_s + REST_SHARE * took_s
        self._saved = pack(result)
        self._send(result.partition)
        logger.info(
            "partitioned communities=%d ms=%d", len(result.partition.communities), took_s * 1000
        )
        self._save()

    def save_again(self) -> None:
        """Save the communities again, after the state folder was removed or replaced."""
        if self._saved is not None and self._is_sent:
            self._save()

    def _save(self) -> None:
        assert self._saved is not None
        try:
            save_communities(self._folder, unpack_saved_communities(self._saved), self._disk)
        except OSError as error:
            logger.warning("communities cannot be remembered reason=%s", error)
            self._save_failure = f"cannot be remembered: {error.strerror or error}"
            self._save_again_at_s = self._clock() + RETRY_SECONDS
        else:
            self._save_failure = None

    def _send(self, partition: Partition) -> None:
        self._link.send(*map(ipc.PartitionCommunity, partition.communities))
        self._link.send(ipc.PartitionFinished(partition.modularity))
        self._is_sent = True

    def _load(self) -> None:
        """Load the saved communities before a run overwrites them."""
        try:
            self._saved = pack(load_communities(self._folder))
        except OSError as error:
            logger.warning("communities cannot be recalled reason=%s", error)
            self._failure = f"cannot be recalled: {error.strerror or error}"
            self._rests_until_s = self._clock() + RETRY_SECONDS

    def _problem(self, path: str) -> Problem:
        concepts_max = self._settings.max_concepts
        message = f"mentions more than {concepts_max} concepts: no part of any community"
        return Problem(path, "tooManyConcepts", None, message)
