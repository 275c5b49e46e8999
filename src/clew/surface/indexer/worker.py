"""The indexer's loop: hints for speed, walks for truth, one revision at a time to the server.

A hint names paths to look at. Since a hint can be lost, late or early, each is followed by a second
look a moment later, new folders are looked at once their watch is armed, and the whole vault is
walked on a timer that keeps its cost under one hundredth of a core, and after anything odd.
"""

import logging
import os
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from clew.engine.indexer import Absorbed, FolderReplaced, Indexer
from clew.engine.settings import IndexerSettings
from clew.surface.indexer.change_hints import Hints
from clew.surface.indexer.limits import allow_cpu_for_slice, give_way
from clew.surface.indexer.link import Link
from clew.surface.indexer.partition_schedule import CommunityKeeper
from clew.surface.indexer.publishing import Publisher
from clew.surface.indexer.saving import Saving
from clew.surface.indexer.vector_backlog import VectorKeeper
from clew.surface.indexer.walk_requests import Looks
from clew.surface.indexer.watch import SETTINGS_FOLDERS
from clew.values import ipc
from clew.values.note import Problem
from clew.values.vault import Batch, Difference, Moment
from clew.vault.ignore import APP_JSON

logger = logging.getLogger(__name__)

SECOND_LOOK_NS = 200_000_000
SWEEP_SECONDS_MIN = 30.0
SWEEP_SECONDS_MAX = 300.0
ROOT_CHECK_SECONDS = 2.0
POLLED_MAX = 100  # folders that cannot be watched and are listed every so often instead
STALL_SECONDS = 1.0  # waking up so much too late means that hints may have been lost
MANY_NOTES = 500  # a round of reading that shows progress and saves as it goes
_COST_SHARE = 0.01
_DEAF_COST_SHARE = 0.02  # while nothing is heard


@dataclass(slots=True)
class _Walks:
    """What is known of the looks at the whole vault."""

    ended_s: float = 0.0  # on the monotonic clock
    at_s: float = 0.0  # POSIX seconds
    took_s: float = 0.0
    count: int = 0
    missed: int = 0


@dataclass(slots=True)
class Worker:
    """Keeps one vault's index in step with its folder, and the server with the index."""

    link: Link
    settings: IndexerSettings
    sweep_seconds: float | None  # None: as often as its cost allows
    hints: Hints
    saving: Saving
    communities: CommunityKeeper
    vectors: VectorKeeper
    new_indexer: Callable[[], Indexer]
    ignores_state: bool = False
    indexer: Indexer = field(init=False)
    publisher: Publisher = field(init=False)
    _looks: Looks = field(default_factory=Looks)
    _edges_asked: list[int] = field(default_factory=list)  # tickets
    _edges: tuple[int, int] = (-1, 0)  # after how many changes of edges, how many there are
    _walks: _Walks = field(default_factory=_Walks)
    _lost: str | None = None  # why the vault cannot be looked at
    _is_replaced: bool = False  # another folder is at the vault's path
    _stalls: int = 0
    _retry_unreadable_s: float = 0.0  # when what cannot be read is tried next, monotonic
    _report: ipc.IndexerReport | None = None

    def run(self) -> None:
        """Work until the server is gone.

        Raises:
            ServerGone: it is.
        """
        self.indexer = self.new_indexer()
        self.publisher = Publisher(self.link, self.saving)
        self._restore()
        self._hear()  # who has asked for a look by now is answered by the first one
        self._walk()
        if self.indexer.engine.indexes.entries:
            # Even if the vault is away: what is known of it is better than nothing.
            self.publisher.publish_first(self.indexer.engine.indexes)
        self._settle()
        while True:
            due_s = self._due_in_s()
            began_s, began_clock_s = time.monotonic(), time.time()
            self.link.wait(due_s)
            passed_s = time.monotonic() - began_s
            is_odd = abs(time.time() - began_clock_s - passed_s) > STALL_SECONDS
            if is_odd or passed_s > due_s + STALL_SECONDS:
                self._stalls += 1
            self._hear()
            self._look(is_odd=is_odd or passed_s > due_s + STALL_SECONDS)
            self._settle()

    # -- coming back --------------------------------------------------------------------------

    def _restore(self) -> None:
        """Give the server what was saved, unpublished until the vault was looked at."""
        saved = self.saving.load()
        if saved is None or self.ignores_state:
            return
        self.link.send(ipc.RevisionStarted())
        # Both processes take it in at the same time, and the first look is made meanwhile.
        self.link.send_behind(saved.chunks, map(ipc.BatchApplied, saved.log))
        try:
            self.indexer.restore(saved.chunks, saved.log)
        except (ValueError, LookupError) as error:
            logger.warning("saved state unusable reason=%s", error)
            self.indexer = self.new_indexer()
            return
        self.publisher.restored()
        logger.info("restored notes=%d", len(self.indexer.engine.indexes.entries))

    # -- looking ------------------------------------------------------------------------------

    def _due_in_s(self) -> float:
        """Return in how many seconds there is something to do, if nothing is heard."""
        now_s, now_ns = time.monotonic(), time.monotonic_ns()
        dues = [ROOT_CHECK_SECONDS, self._sweep_due_s() - now_s]
        settling = self.indexer.settling
        dues += [
            (due_ns - now_ns) / 1e9
            for due_ns in (settling.check_due_ns, settling.walk_due_ns)
            if due_ns is not None
        ]
        later = [self.saving.wants_whole_in_s(), self.communities.due_in_s()]
        if self.publisher.is_published:  # or nothing would be made, however often it is due
            later.append(self.vectors.due_in_s())
        dues += [in_s for in_s in later if in_s is not None]
        if self.hints.revive_at_s is not None:
            dues.append(self.hints.revive_at_s - now_s)
        return max(0.0, min(dues))

    def _sweep_due_s(self) -> float:
        if self._lost:
            return self._walks.ended_s + ROOT_CHECK_SECONDS
        seconds = self.sweep_seconds
        if self.hints.failure is not None:
            deaf = max(ROOT_CHECK_SECONDS, self._walks.took_s / _DEAF_COST_SHARE)
            seconds = min(seconds or deaf, deaf)
        elif seconds is None:
            auto = self._walks.took_s / _COST_SHARE
            seconds = min(SWEEP_SECONDS_MAX, max(SWEEP_SECONDS_MIN, auto))
        return self._walks.ended_s + seconds

    def _look(self, *, is_odd: bool) -> None:
        """Look at what there is reason to look at."""
        paths, is_lost = self.hints.take()
        now_ns = time.monotonic_ns()
        again = self.indexer.settling.take_due_checks(now_ns)
        if time.monotonic() >= self._retry_unreadable_s:
            self._retry_unreadable_s = time.monotonic() + ROOT_CHECK_SECONDS
            again |= self.indexer.unreadable()
            again |= {f"{folder}/." for folder in sorted(self.hints.unwatchable())[:POLLED_MAX]}
        whole_due_ns = self.indexer.settling.walk_due_ns
        is_sweep = time.monotonic() >= self._sweep_due_s()
        if is_odd or is_lost:
            self.hints.rearm()
        if (
            is_odd
            or is_lost
            or is_sweep
            or self._looks.are_asked
            or APP_JSON in paths
            or (whole_due_ns is not None and now_ns >= whole_due_ns)
            or (self._lost is None and not self.indexer.is_root_there())
        ):
            self._walk(is_sweep=is_sweep and not (paths or again))
        elif paths or again:
            self._look_near(paths, again)

    def _look_near(self, paths: frozenset[str], again: set[str]) -> None:
        now = _now()
        for path in paths - again:
            self.indexer.settling.check_at(path, now.steady_ns + SECOND_LOOK_NS)
        near = {path for path in paths | again if path == "." or not path.startswith(".")}
        try:
            self._absorb(self.indexer.look_at(near, now, again - paths))
        except OSError as error:
            self._vault_lost(error)

    def _walk(self, *, is_sweep: bool = False) -> None:
        """Look at the whole vault; answer those who asked for it once all of it counts."""
        began_s = time.monotonic()
        is_full = self._looks.begin()
        try:
            found = self.indexer.look(_now())
            self._walks.took_s = time.monotonic() - began_s
            # Until now there was nobody to give way to: no query is answered before the first look.
            give_way()
            if is_full:
                found = self.indexer.with_every_note(found)
            absorbed = self._absorb(found)
        except OSError as error:
            self._vault_lost(error)
            return
        finally:
            self._walks.ended_s = time.monotonic()
        self.publisher.publish_first(self.indexer.engine.indexes)
        self._walks.at_s = time.time()
        self._walks.count += 1
        if is_sweep:
            self._walks.missed += absorbed.added + absorbed.modified + absorbed.removed
        if self._lost is not None:
            logger.info("vault is back")
            self._lost, self._is_replaced = None, False
        self._looks.end(self.indexer.settling.unsettled)

    def _vault_lost(self, error: OSError) -> None:
        if self._lost is None:
            logger.warning("vault lost reason=%s", error)
        self._is_replaced = isinstance(error, FolderReplaced)
        if self._is_replaced:
            self._lost = "is another folder than the one that was indexed"
        else:
            self._lost = f"cannot be listed: {error.strerror or error}"
        self._send_report()
        self.link.send(*self._looks.refusals(self._lost))

    # -- publishing ---------------------------------------------------------------------------

    def _absorb(self, found: Difference) -> Absorbed:
        """Read what changed and publish it."""
        began_s = time.monotonic()
        is_many = len(found.changed) > MANY_NOTES
        absorbing = self.indexer.absorb(found, _now())
        while True:
            try:
                step = next(absorbing)
            except StopIteration as done:
                absorbed: Absorbed = done.value
                break
            if step.parsing:
                self.link.send(ipc.ParsingStarted(step.parsing))
                allow_cpu_for_slice()
            if is_many:
                if step.read:
                    self.saving.log(Batch(put=step.read, words=step.words))
                self.link.send(ipc.ReadingProgress(step.done, step.total))
            self._hear()
        self._looks.count(absorbed)
        if not absorbed.is_nothing:
            self.publisher.publish(absorbed, self.indexer.engine.indexes)
            self.vectors.look_again(self.indexer)
            _log_applied(absorbed, time.monotonic() - began_s)
        self.link.send(ipc.ParsingStarted(()))
        return absorbed

    # -- everything else ----------------------------------------------------------------------

    def _hear(self) -> None:
        """Take in what the server has said; answer at once what can be."""
        for message in self.link.heard():
            if isinstance(message, ipc.WalkRequest):
                self._looks.ask(message)
            elif isinstance(message, ipc.IgnoreRuleRequest):
                rule = self.indexer.ignore_rule(message.path)
                self.link.send(ipc.IgnoreRuleReply(message.ticket, rule))
            elif isinstance(message, ipc.EdgeCountRequest):
                self._edges_asked.append(message.ticket)

    def _settle(self) -> None:
        """Do what follows every round: answer, listen where there are folders now, save, report."""
        allow_cpu_for_slice()  # of vectors, too, of which a large vault takes minutes in all
        self._send_report()
        self.link.send(*self._looks.answers(self.indexer.settling.unsettled))
        self._answer_edges()
        if self._lost is None:
            self.hints.watch(self._folders())
        if self.publisher.is_published:
            self.communities.settle(self.indexer.engine.indexes.graph)
            self.vectors.settle(self.indexer, self.publisher)
        self.publisher.save(self.indexer.engine.indexes)
        self._send_report()

    def _send_report(self) -> None:
        """Tell how things are, if that is news; before anything is answered."""
        report = self._reported()
        if report != self._report:
            self._report = report
            self.link.send(report)

    def _answer_edges(self) -> None:
        """Tell how many edges there are; in a very large graph that takes a while."""
        if not self._edges_asked:
            return
        graph = self.indexer.engine.indexes.graph
        if self._edges[0] != graph.edge_changes:
            self._edges = (graph.edge_changes, graph.edge_count())
        tickets, self._edges_asked = self._edges_asked, []
        self.link.send(*(ipc.EdgeCountReply(ticket, self._edges[1]) for ticket in tickets))

    def _folders(self) -> dict[str, tuple[int, int]]:
        """Return the folders to watch, with 0 for the inode of settings folders not there."""
        root = self.settings.root
        others = {name: (_inode(root, name), 0) for name in (*SETTINGS_FOLDERS, "")}
        return {**self.indexer.folders(), **others}

    def _reported(self) -> ipc.IndexerReport:
        degraded = {}
        if self._lost is not None:
            degraded["vault"] = self._lost
        if self.hints.failure is not None:
            degraded["watch"] = self.hints.failure
        if missing := self.indexer.settling.held_deletion_count:
            degraded["notes"] = f"{missing} notes are gone at once; kept until a second look"
        if self.saving.failure is not None:
            degraded["state"] = f"cannot be saved: {self.saving.failure}"
        if self.communities.failure is not None:
            degraded["communities"] = self.communities.failure
        if self.vectors.failure is not None:
            degraded["vectors"] = self.vectors.failure
        return ipc.IndexerReport(
            degraded=degraded,
            vault_replaced=self._is_replaced,
            problems=self._problems(),
            walked_at_s=self._walks.at_s,
            walk_ms=round(self._walks.took_s * 1000, 3),
            walks=self._walks.count,
            missed=self._walks.missed,
            overflows=self.hints.overflows + self._stalls,
            watched_folders=self.hints.folder_count,
            persist_failure=self.saving.failure,
            saved_at_s=self.saving.saved_at_s,
            log_records=self.saving.log_records,
            root_identity=self.indexer.root_identity,
            communities_due=self.communities.is_due,
            vectors_due=self.vectors.is_due,
            names_due=self.vectors.are_names_due,
        )

    def _problems(self) -> tuple[Problem, ...]:
        found = [*self.indexer.problems_beside(), *self.communities.left_out]
        return tuple(found[: ipc.PROBLEMS_MAX])


def _now() -> Moment:
    return Moment(wall_ns=time.time_ns(), steady_ns=time.monotonic_ns())


def _inode(root: str, folder: str) -> int:
    """Return the inode of a folder of the vault, 0 when it is not there or a symbolic link."""
    try:
        status = os.lstat(os.path.join(root, folder))
    except OSError:
        return 0
    return status.st_ino if stat.S_ISDIR(status.st_mode) else 0


def _log_applied(absorbed: Absorbed, took_s: float) -> None:
    logger.info(
        "applied added=%d modified=%d removed=%d ms=%d",
        absorbed.added,
        absorbed.modified,
        absorbed.removed,
        took_s * 1000,
    )
