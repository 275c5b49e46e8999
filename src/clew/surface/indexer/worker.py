"""The indexer's loop: wait for a message, a hint or a timer, then run each task in turn.

The loop runs a table of tasks. Each task tells in how many seconds it is due, and does its due work
when it is run. The loop sleeps until the first task is due, or until the server or the watch wakes
it. A round runs the tasks in the order of the table: changes are read before requests for them are
answered, and slow background work comes last.
"""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec.structs import replace

from clew.engine.persist.joining import joined
from clew.engine.reading.indexer import Indexer
from clew.engine.reading.steps import Absorbed
from clew.index.vectors import VectorIndex
from clew.surface.indexer.background.approximate_scheduler import ApproximateScheduler
from clew.surface.indexer.background.code_scheduler import CodeScheduler
from clew.surface.indexer.background.git_scheduler import GitScheduler
from clew.surface.indexer.background.partition_scheduler import PartitionScheduler
from clew.surface.indexer.background.pauses import Pauses
from clew.surface.indexer.background.releasing import PageReleases
from clew.surface.indexer.background.turn import Turn
from clew.surface.indexer.background.vector_backlog import VectorBacklog
from clew.surface.indexer.limits import allow_cpu_for_slice
from clew.surface.indexer.link import Link
from clew.surface.indexer.publishing import Publisher
from clew.surface.indexer.report import indexer_report
from clew.surface.indexer.saving import Saving
from clew.surface.indexer.watching.change_hints import Hints
from clew.surface.indexer.watching.walk_requests import WalkRequests
from clew.surface.indexer.watching.walker import Walker
from clew.surface.private import FolderLock
from clew.values import ipc
from clew.values.errors import AlreadyRunning, ConfigError

logger = logging.getLogger(__name__)

# Python's allocator returns memory only in whole arenas. After a first index a few live objects
# keep many arenas: with 10,000 notes, two thirds of the memory. So another process takes over, and
# maps the saved index.
RENEWAL_NOTES_MIN = 2_000  # notes read by the first walk, from which on another process takes over
STALL_SECONDS = 1.0  # if the loop wakes up later than this, hints may have been lost


class Renewal(Exception):
    """This process must end, so that another one takes over with less memory."""


class Task(NamedTuple):
    """One kind of work: returns the seconds until it is due (None: not scheduled), and runs it."""

    due_in_s: Callable[[], float | None]
    run: Callable[[], None]


def run_all(tasks: Sequence[Task]) -> None:
    """Run ``tasks`` in order."""
    for task in tasks:
        task.run()


def _never() -> None:
    return None


@dataclass(slots=True)
class Worker:
    """Runs the tasks of one vault's indexer until its server is gone."""

    link: Link
    requests: WalkRequests
    walk_seconds: float | None  # between walks on the timer; None: depends on their cost
    hints: Hints
    saving: Saving
    communities: PartitionScheduler
    vectors: VectorBacklog
    approximate: ApproximateScheduler
    git: GitScheduler
    code: CodeScheduler
    new_indexer: Callable[[], Indexer]
    lock: FolderLock  # the lock of the index's folder
    ignores_state: bool = False
    may_renew: bool = False  # whether the server lets another indexer take over
    followed_generation: int | None = None  # see ``ipc.Start``
    indexer: Indexer = field(init=False)
    publisher: Publisher = field(init=False)
    releases: PageReleases = field(init=False)
    walker: Walker = field(init=False)
    _pauses: Pauses = field(default_factory=Pauses)  # between the steps of making vectors
    _edge_count_tickets: list[int] = field(default_factory=list)
    _stalls: int = 0
    _report: ipc.IndexerReport | None = None  # the report sent last
    _must_save_again: bool = False  # whether the state folder was removed or replaced

    def run(self) -> None:
        """Work until the server is gone, or another indexer is to take over.

        Raises:
            ServerGone: the server closed the channel.
            Renewal: the server was told to start another indexer.
        """
        self._start()
        tasks = self._tasks()
        self._receive()  # so that the first walk answers every request made so far
        self.walker.walk()
        run_all([task for task in tasks if task.run != self.walker.run])
        while True:
            self._wait(tasks)
            self._receive()
            run_all(tasks)

    def _tasks(self) -> tuple[Task, ...]:
        """Return the tasks in the order in which a round runs them."""
        return (
            Task(self._code_due_in_s, self._read_code),  # before the walk that answers requests
            Task(self.walker.due_in_s, self.walker.run),
            Task(_never, allow_cpu_for_slice),
            Task(_never, self._send_report),  # before the replies, which depend on it
            Task(_never, self.walker.answer_requests),
            Task(_never, self._answer_edge_counts),
            Task(_never, self._save_again),
            Task(_never, self._renew),  # before background work, which needs memory too
            Task(self.hints.revive_in_s, self.walker.watch_folders),
            Task(self._git_due_in_s, self._date_by_git),
            # Vectors get the first turn, since a long backlog of them keeps memory in use.
            Task(self._vectors_due_in_s, self._make_vectors),
            Task(self.communities.due_in_s, self._find_communities),
            Task(_never, self._store_vectors),
            Task(self.saving.wants_whole_in_s, self._save),
            Task(self.approximate.due_in_s, self._index_vectors),
            Task(self._release_due_in_s, self._release_pages),
            Task(_never, self._send_report),
        )

    def _wait(self, tasks: Sequence[Task]) -> None:
        """Sleep until a task is due or something wakes the loop; notice a late wake-up."""
        dues_s = [due_s for task in tasks if (due_s := task.due_in_s()) is not None]
        due_s = max(0.0, min(dues_s))
        began_s, began_clock_s = time.monotonic(), time.time()
        self.link.wait(due_s)
        passed_s = time.monotonic() - began_s
        has_clock_jumped = abs(time.time() - began_clock_s - passed_s) > STALL_SECONDS
        if has_clock_jumped or passed_s > due_s + STALL_SECONDS:
            self._stalls += 1
            self.walker.distrusts_hints = True

    # -- starting -----------------------------------------------------------------------------

    def _start(self) -> None:
        """Make the indexer, from the saved index if possible."""
        self.communities.turn = self.vectors.turn = self.approximate.turn = Turn()
        self.indexer = self.new_indexer()
        self.publisher = Publisher(self.link, self.saving)
        self.releases = PageReleases(self.saving.release_pages)
        self._restore()
        self.walker = Walker(
            link=self.link,
            indexer=self.indexer,
            publisher=self.publisher,
            saving=self.saving,
            hints=self.hints,
            walk_seconds=self.walk_seconds,
            receive=self._receive,
            on_vault_lost=self._send_report,
            on_change=self._look_for_vectors,
            requests=self.requests,
        )

    def _restore(self) -> None:
        """Load the saved index here and in the server; it is published after the first walk."""
        saved = self.saving.load(self.followed_generation)
        if saved is None or self.ignores_state:
            return
        try:
            if saved.file is not None:
                self.indexer.load(saved.file)
            start = ipc.RevisionStarted(saved.generation if saved.file is not None else None)
            log = list(joined(saved.log))
            # Sent on a thread, so both processes apply the log at the same time.
            replayed = (ipc.BatchApplied(batch, is_replayed=True) for batch in log)
            self.link.send_on_thread([start, *replayed])
            self.indexer.restore(log)
        except (ValueError, LookupError) as error:
            logger.warning("saved state unusable reason=%s", error)
            self.indexer = self.new_indexer()
            return
        self.publisher.record_restored(saved.generation if saved.file is not None else 0)
        logger.info("restored notes=%d", len(self.indexer.engine.indexes.entries))

    # -- tasks --------------------------------------------------------------------------------

    def _receive(self) -> None:
        """Receive the server's messages; answer at once if no walk is needed."""
        for message in self.link.messages():
            if isinstance(message, ipc.WalkRequest):
                self.requests.add(message)
            elif isinstance(message, ipc.IgnoreRuleRequest):
                rule = self.indexer.ignore_rule(message.path)
                self.link.send(ipc.IgnoreRuleReply(message.ticket, rule))
            elif isinstance(message, ipc.EdgeCountRequest):
                self._edge_count_tickets.append(message.ticket)
            elif isinstance(message, ipc.GenerationSeen):
                self.saving.remove_older(message.generation)
            elif isinstance(message, ipc.SaveAgain):
                self._must_save_again = True
            elif isinstance(message, ipc.ApproximateIndexRejected):
                self.approximate.reject(message.reason)

    def _answer_edge_counts(self) -> None:
        """Send the number of edges to the requests for it; counting a large graph is slow."""
        if not self._edge_count_tickets:
            return
        edge_count = self.indexer.engine.indexes.graph.edge_count()
        tickets, self._edge_count_tickets = self._edge_count_tickets, []
        self.link.send(*(ipc.EdgeCountReply(ticket, edge_count) for ticket in tickets))

    def _find_communities(self) -> None:
        if self.publisher.is_published:
            self.communities.settle(self.indexer.engine.indexes.graph)

    def _code_due_in_s(self) -> float | None:
        return self.code.due_in_s() if self.publisher.is_published else None

    def _read_code(self) -> None:
        self.code.settle(self.indexer, self.publisher, is_awaited=self.requests.must_walk)

    def _git_due_in_s(self) -> float | None:
        return self.git.due_in_s() if self._has_whole_vault else None

    def _date_by_git(self) -> None:
        if self._has_whole_vault:
            self.git.settle(self.indexer, self.publisher)

    @property
    def _has_whole_vault(self) -> bool:
        return self.publisher.is_published and self.walker.lost is None

    def _vectors_due_in_s(self) -> float | None:
        # No vectors are made before the first revision is published.
        due_s = self.vectors.due_in_s() if self.publisher.is_published else None
        return None if due_s is None else max(due_s, self._pauses.left_s)

    def _look_for_vectors(self, absorbed: Absorbed) -> None:
        is_one_batch = not (absorbed.portions or absorbed.is_searched)
        self.vectors.look_again(self.indexer, is_one_batch=is_one_batch)

    def _make_vectors(self) -> None:
        if self._vectors_due_in_s() == 0.0:
            with self._pauses.after_step():
                self.vectors.settle(self.indexer, self.publisher)

    def _store_vectors(self) -> None:
        """Request a save of the whole revision if an approximate index must be built from it."""
        if self.publisher.is_published and self.saving.failure is None:
            vectors, is_whole = self._passage_vectors, not self.vectors.is_due
            if self.approximate.wants_save(vectors, self.saving.generation, is_whole=is_whole):
                self.publisher.save_whole()

    def _index_vectors(self) -> None:
        if self.publisher.is_published:
            vectors, is_whole = self._passage_vectors, not self.vectors.is_due
            self.approximate.settle(vectors, self.saving.generation, is_whole=is_whole)

    @property
    def _passage_vectors(self) -> VectorIndex:
        return self.indexer.engine.indexes.passages.vectors

    def _save(self) -> None:
        self.publisher.save(self.indexer.engine)

    def _release_due_in_s(self) -> float | None:
        return self.releases.due_in_s(self.indexer.engine.revision)

    def _release_pages(self) -> None:
        self.releases.settle(self.indexer.engine.revision)

    def _save_again(self) -> None:
        """Save everything again, if the state folder was removed or replaced; retry each round."""
        if not self._must_save_again:
            return
        try:
            self.lock.retake()
        except (AlreadyRunning, ConfigError) as error:
            logger.warning("index folder cannot be locked again reason=%s", error)
            return
        self._must_save_again = False
        self.publisher.save_whole()
        self.communities.save_again()
        self.approximate.build_again()

    def _renew(self) -> None:
        """Let another process take over if the first walk read many notes and they are saved.

        The other process finds later changes by its first walk, and the server resends the waiting
        requests to it.

        Raises:
            Renewal: the server was told to start another indexer.
        """
        is_saved = self.saving.failure is None and not self.ignores_state
        if self.may_renew and is_saved and self.walker.first_read >= RENEWAL_NOTES_MIN:
            self.link.send(ipc.RenewalWanted())
            raise Renewal

    def _send_report(self) -> None:
        """Send the indexer's state to the server, if it has changed."""
        report = indexer_report(
            self.indexer,
            self.walker,
            self.saving,
            self.communities,
            self.vectors,
            self.approximate,
            stall_count=self._stalls,
        )
        problems = (*self.code.problems(), *report.problems)[: ipc.PROBLEMS_MAX]
        report = replace(
            report,
            git_remark=self.git.remark,
            problems=problems,
            code_due=self.code.is_due,
        )
        if report != self._report:
            self._report = report
            self.link.send(report)
