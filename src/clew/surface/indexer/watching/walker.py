"""Keep the index up to date with the vault: decide which paths to check, read them, publish.

A hint names paths to check, but hints can be lost, late or early. So each hint is followed by a
second check a moment later, new folders are listed once their watch is armed, and the whole vault
is walked on a timer, for less than a hundredth of a core. It is also walked for a request that
waits for all changes, after a change of Obsidian's settings, and after anything that may have lost
hints: an overflow, a late wake-up, a clock that jumped. A request that waits for single notes
causes only a check of their paths.

Hints that come in the middle of a large round of reading are followed at its end. If they are few,
the notes that they name are also read at once, between two slices of the round.
"""

import logging
import os
import stat
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import islice

from clew.engine.reading.indexer import Indexer
from clew.engine.reading.steps import Absorbed, Step, drained
from clew.surface.indexer.background.pauses import Pauses
from clew.surface.indexer.clocks import present_moment
from clew.surface.indexer.limits import allow_cpu_for_slice
from clew.surface.indexer.link import Link
from clew.surface.indexer.publishing import Publisher
from clew.surface.indexer.saving import Saving
from clew.surface.indexer.watching.bursts import Burst
from clew.surface.indexer.watching.change_hints import HINTS_MAX, Hints
from clew.surface.indexer.watching.walk_requests import WalkRequests
from clew.surface.indexer.watching.watch import ROOT, SETTINGS_FOLDERS
from clew.values import ipc
from clew.values.vault import Batch, Difference
from clew.vault.ignore import APP_JSON
from clew.vault.root import FolderEmptied, FolderReplaced

logger = logging.getLogger(__name__)

SECOND_CHECK_NS = 200_000_000
WALK_SECONDS_MIN = 30.0  # the least time between two walks on the timer
WALK_SECONDS_MAX = 300.0
ROOT_CHECK_SECONDS = 2.0
POLLED_MAX = 100  # unwatchable folders that are listed on a timer instead
# A larger round of reading reports progress and saves as it goes.
MANY_NOTES = 500
MANY_BYTES = 8 * 1024 * 1024
SAVED_MAX = 20  # notes that were hinted at since the last slice; more wait for the round's end
AWAITED_MAX = 100  # notes, for which requests wait, that are read after each slice
_COST_SHARE = 0.01  # share of a core that walks on the timer may use
_UNWATCHED_COST_SHARE = 0.02  # the same while no watch runs


@dataclass(slots=True)
class WalkStatistics:
    """Statistics of the walks over the whole vault, for ``status``."""

    ended_s: float = 0.0  # on the monotonic clock
    at_s: float = 0.0  # POSIX seconds
    took_s: float = 0.0
    count: int = 0
    missed: int = 0  # changes that a walk on the timer found and no hint had named


@dataclass(slots=True)
class Walker:
    """Checks paths and walks the vault of one indexer."""

    link: Link
    indexer: Indexer
    publisher: Publisher
    saving: Saving
    hints: Hints
    walk_seconds: float | None  # between walks on the timer; None: depends on their cost
    receive: Callable[[], None]  # receives messages of the server; called between slices
    on_vault_lost: Callable[[], None]  # called before requests are refused
    on_change: Callable[[Absorbed], None]  # called after each new revision
    requests: WalkRequests = field(default_factory=WalkRequests)
    statistics: WalkStatistics = field(default_factory=WalkStatistics)
    lost: str | None = None  # why the vault cannot be walked
    is_replaced: bool = False  # whether another folder is at the vault's path
    is_emptied: bool = False  # whether the vault was empty at the start, and had notes before
    first_read: int = 0  # notes that the first walk read anew
    distrusts_hints: bool = False  # whether hints may have been lost since the last walk
    # Hints that came in the middle of a round, or in a burst that has not ended.
    _later: set[str] = field(default_factory=set)
    _burst: Burst = field(default_factory=Burst)
    _is_parsing: bool = False  # whether the server was told of notes that are being parsed
    _retry_unreadable_s: float = 0.0  # next check of unreadable paths, on the monotonic clock

    def due_in_s(self) -> float:
        """Return the seconds until the next check or walk is due."""
        now_s, now_ns = time.monotonic(), time.monotonic_ns()
        settling = self.indexer.settling
        dues_ns = (settling.check_due_ns, settling.walk_due_ns)
        if self.requests.are_pending:
            return 0.0  # they arrived in the middle of a round of reading
        if self._later or self.distrusts_hints:
            return self._burst_left_s(now_s)
        settling_dues_s = [(due_ns - now_ns) / 1e9 for due_ns in dues_ns if due_ns is not None]
        return min([ROOT_CHECK_SECONDS, self._timer_due_s() - now_s, *settling_dues_s])

    def run(self) -> None:
        """Walk the vault or check single paths, if there is a reason to."""
        self._take_hints()
        if self._burst_left_s(time.monotonic()):
            return
        self._burst.end()
        paths, self._later = frozenset(self._later), set()
        recheck = self.indexer.settling.take_due_checks(time.monotonic_ns()) | self._retries()
        is_timer_due = time.monotonic() >= self._timer_due_s()
        # The vault's folder may have been replaced, and its watch ends with the old folder.
        if self.distrusts_hints or ROOT in paths:
            self.hints.rearm()
            self.distrusts_hints = True
        if is_timer_due or APP_JSON in paths or self._must_walk():
            self.walk(is_on_timer=is_timer_due and not (paths or recheck))
        elif paths or recheck or self.requests.are_pending:
            self._check(paths, recheck)

    def _burst_left_s(self, now_s: float) -> float:
        """Return for how many seconds to wait for more hints; a request waits for none."""
        return 0.0 if self.requests.is_anyone_waiting else self._burst.left_s(now_s)

    def _take_hints(self) -> frozenset[str]:
        """Add the hints since the last call to those that wait; return them.

        If too many wait, a walk takes their place.
        """
        paths, has_overflowed = self.hints.take()
        self._later |= paths
        if has_overflowed or len(paths) > SAVED_MAX:
            self._burst.go_on(time.monotonic())
        if has_overflowed or len(self._later) > HINTS_MAX:
            self._later.clear()
            self.distrusts_hints = True
        return paths

    def _must_walk(self) -> bool:
        """Return whether anything except the timer requires a walk over the whole vault."""
        walk_due_ns = self.indexer.settling.walk_due_ns
        return (
            self.distrusts_hints
            or self.requests.must_walk
            or (walk_due_ns is not None and time.monotonic_ns() >= walk_due_ns)
            or (self.lost is None and not self.indexer.root.is_there())
        )

    def _timer_due_s(self) -> float:
        """Return when the next walk on the timer is due, on the monotonic clock."""
        if self.lost:
            return self.statistics.ended_s + ROOT_CHECK_SECONDS
        seconds = self.walk_seconds
        if self.hints.failure is not None:
            by_cost = max(ROOT_CHECK_SECONDS, self.statistics.took_s / _UNWATCHED_COST_SHARE)
            seconds = min(seconds or by_cost, by_cost)
        elif seconds is None:
            by_cost = self.statistics.took_s / _COST_SHARE
            seconds = min(WALK_SECONDS_MAX, max(WALK_SECONDS_MIN, by_cost))
        return self.statistics.ended_s + seconds

    def _retries(self) -> set[str]:
        """Return unreadable paths and unwatchable folders once per ``ROOT_CHECK_SECONDS``."""
        if time.monotonic() < self._retry_unreadable_s:
            return set()
        self._retry_unreadable_s = time.monotonic() + ROOT_CHECK_SECONDS
        unwatchable = sorted(self.hints.unwatchable())[:POLLED_MAX]
        return self.indexer.unreadable() | {
            f"{folder}/." if folder else "." for folder in unwatchable
        }

    def _check(self, paths: frozenset[str], recheck: set[str]) -> None:
        """Check ``paths`` from hints, and ``recheck``, whose second check is due.

        The paths for which requests wait are checked too; the check then counts as a walk for them.
        """
        now = present_moment()
        awaited = self.requests.pending_paths
        self.requests.begin_walk()
        for path in paths - recheck:
            self.indexer.settling.check_at(path, now.steady_ns + SECOND_CHECK_NS)
        visible = {path for path in paths | recheck if path == "." or not path.startswith(".")}
        try:
            again = (recheck | awaited) - paths
            self._absorb(self.indexer.look_at(visible | awaited, now, again))
        except OSError as error:
            self._lose_vault(error)
            return
        self.requests.end_walk(self.indexer.settling.unsettled)

    def walk(self, *, is_on_timer: bool = False) -> None:
        """Walk the whole vault; requests are answered once all changes it found are applied."""
        began_s = time.monotonic()
        self.distrusts_hints, identity = False, self.indexer.root.identity
        is_full = self.requests.begin_walk()
        try:
            difference = self.indexer.look(present_moment())
            self.watch_folders()  # before the first round of reading, which may be long
            self.statistics.took_s = time.monotonic() - began_s
            if is_full:
                difference = self.indexer.with_every_note(difference)
            absorbed = self._absorb(difference)
        except OSError as error:
            self._lose_vault(error)
            return
        finally:
            self.statistics.ended_s = time.monotonic()
        self.publisher.publish_first(self.indexer.engine)
        if not self.statistics.count:
            self.first_read = absorbed.added + absorbed.modified
        self.statistics.at_s = time.time()
        self.statistics.count += 1
        if is_on_timer:
            self.statistics.missed += absorbed.added + absorbed.modified + absorbed.removed
        if self.lost is not None or identity not in (None, self.indexer.root.identity):
            logger.info("vault is back")
            self.hints.rearm()  # the watch may have ended when its disk was unmounted
            self.lost, self.is_replaced, self.is_emptied = None, False, False
        self.requests.end_walk(self.indexer.settling.unsettled)

    def _lose_vault(self, error: OSError) -> None:
        """Record why the vault cannot be walked, and refuse the requests that wait for it."""
        if self.lost is None:
            logger.warning("vault lost reason=%s", error)
        self.is_replaced = isinstance(error, FolderReplaced)
        self.is_emptied = isinstance(error, FolderEmptied)
        if self.is_replaced:
            self.lost = "is another folder than the one that was indexed"
        elif self.is_emptied:
            self.lost = "is empty, although notes in it were indexed"
        else:
            self.lost = f"cannot be listed: {error.strerror or error}"
        if self.indexer.engine.indexes.entries:
            # Answers from the saved index are better than none.
            self.publisher.publish_first(self.indexer.engine)
        self.on_vault_lost()
        self.link.send(*self.requests.refusals(self.lost))

    def _absorb(self, difference: Difference) -> Absorbed:
        """Read what changed, apply it and publish it."""
        began_s = time.monotonic()
        absorbed = self._read(difference)
        self.requests.count(absorbed)
        # All messages go in one send, since each send wakes the server.
        messages = self._preface(absorbed)
        if absorbed.is_nothing and not self.publisher.is_server_behind:
            self.link.send(*messages)
            return absorbed
        self.publisher.publish(absorbed, self.indexer.engine, messages)
        self.on_change(absorbed)
        _log_applied(absorbed, time.monotonic() - began_s)
        return absorbed

    def _read(self, difference: Difference) -> Absorbed:
        """Read and apply in slices; between slices, report progress and receive messages."""
        paths = difference.changed
        is_many = len(paths) > MANY_NOTES or self.indexer.size_bytes(paths) > MANY_BYTES
        absorbing = self.indexer.absorb(difference, present_moment())
        pauses, has_applied = Pauses(), False
        while True:
            try:
                with pauses.after_step() if is_many else nullcontext():
                    step = next(absorbing)
            except StopIteration as done:
                absorbed: Absorbed = done.value
                return absorbed
            except OSError:  # the vault went away, and the end of the round is not reached
                if has_applied:
                    self.on_change(Absorbed(Batch(), 0, 0, 0, portions=1))
                raise
            has_applied |= step.is_applied
            self._take(step, is_many=is_many)
            self.receive()
            if is_many and step.parsing is None and not step.is_search:
                self._read_early()
            if is_many and not self.requests.is_anyone_waiting:
                time.sleep(pauses.left_s)

    def _take(self, step: Step, *, is_many: bool) -> None:
        """Send, log and store what a step of a round of reading has done."""
        if step.parsing is not None:
            self._send_parsing(step.parsing)
            allow_cpu_for_slice()
        if is_many:
            if step.read:
                puts_off = self.indexer.engine.indexes.is_first
                self.saving.log(Batch(step.read, words=step.words, puts_mentions_off=puts_off))
            self.link.send(ipc.ReadingProgress(step.done, step.total))
        if step.is_search:
            self.saving.release_pages()  # the search has read many texts from the mapped file
            allow_cpu_for_slice()
        self.link.send(*_edits_seen(step))
        if step.is_portion:
            self.publisher.store_portion(self.indexer.engine)
        elif step.is_applied:
            self.publisher.run_ahead()
        if step.is_applied:
            allow_cpu_for_slice()

    def _read_early(self) -> None:
        """Read the notes that were saved since the last slice, if they are few, and awaited ones.

        Then answer the requests that waited for these.
        """
        hinted, is_current = self._take_hints(), self.indexer.is_current
        if not self.publisher.has_base:
            return
        confirmed = self._read_saved(hinted) if len(hinted) <= SAVED_MAX else frozenset[str]()
        awaited = {*self.requests.awaited_paths()} - confirmed
        doubtful = islice(sorted(path for path in awaited if not is_current(path)), AWAITED_MAX)
        confirmed |= self._read_saved(frozenset(doubtful))
        self._later |= confirmed
        answers = self.requests.early_answers(lambda path: path in confirmed or is_current(path))
        self.link.send(*answers)

    def _read_saved(self, paths: frozenset[str]) -> frozenset[str]:
        """Read and publish changed notes; return those whose present content queries see now."""
        if not paths:
            return paths
        began_s = time.monotonic()
        reading = self.indexer.read_saved(paths, present_moment())
        self._send_parsing(next(reading).parsing or ())
        try:
            absorbed = drained(reading)
        except OSError:
            return frozenset()  # the round finds that the vault is lost
        messages = self._preface(absorbed)
        if absorbed.is_nothing:
            self.link.send(*messages)
            return absorbed.confirmed
        self.requests.count(absorbed)
        self.publisher.publish_saved(absorbed.batch, self.indexer.engine, messages)
        self.on_change(absorbed)
        _log_applied(absorbed, time.monotonic() - began_s)
        return absorbed.confirmed

    def _preface(self, absorbed: Absorbed) -> list[object]:
        """Return the messages to send before the changes of a round."""
        messages: list[object] = [ipc.ParsingStarted(())] if self._is_parsing else []
        self._is_parsing = False
        return [*messages, *_edits_seen(absorbed)]

    def _send_parsing(self, notes: tuple[tuple[str, str], ...]) -> None:
        """Tell the server which notes are parsed next; send nothing if none were and none are."""
        if notes or self._is_parsing:
            self.link.send(ipc.ParsingStarted(notes))
        self._is_parsing = bool(notes)

    def answer_requests(self) -> None:
        """Answer the requests whose walk has ended and whose changes are all applied."""
        if self.requests.is_anyone_waiting:
            self.link.send(*self.requests.answers(self.indexer.settling.unsettled))

    def watch_folders(self) -> None:
        """Watch the folders that exist now, unless the vault is lost."""
        if self.lost is None:
            root = self.indexer.root.path
            others = {name: (_inode(root, name), 0) for name in (*SETTINGS_FOLDERS, "")}
            self.hints.watch({**self.indexer.folders(), **others})


def _inode(root: str, folder: str) -> int:
    """Return the inode of a folder of the vault, 0 if it is missing or a symbolic link."""
    try:
        status = os.lstat(os.path.join(root, folder))
    except OSError:
        return 0
    return status.st_ino if stat.S_ISDIR(status.st_mode) else 0


def _edits_seen(source: Step | Absorbed) -> list[object]:
    """Return the message that tells of the edits in a part of a round, if there are any."""
    if not source.edits_s and not source.missed_s:
        return []
    return [ipc.EditsSeen(source.edits_s, source.missed_s)]


def _log_applied(absorbed: Absorbed, took_s: float) -> None:
    logger.info(
        "applied added=%d modified=%d removed=%d ms=%d",
        absorbed.added,
        absorbed.modified,
        absorbed.removed,
        took_s * 1000,
    )
