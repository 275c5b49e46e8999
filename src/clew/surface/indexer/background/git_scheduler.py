"""Scheduler of the child process that reads dates from git, once after each move of HEAD.

A few small files are polled to notice that HEAD moved. Then the process reads the dates of all
notes, and dates that differ from the index are entered a slice at a time. Dates apply to one
content of a file, so an edited note loses them without further work. Only a note that differed from
HEAD when git was read, and has changed since, is compared with its blob again.
"""

import logging
import time
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from clew.engine.indexes import Indexes
from clew.engine.reading.indexer import Indexer
from clew.engine.settings import IndexerSettings
from clew.surface.children import module_command
from clew.surface.indexer.background.child_process import REST_SHARE, ChildProcess
from clew.surface.indexer.background.pauses import Pauses
from clew.surface.indexer.git.job import GitDates, GitJob, TrackedNote, unpack_git_dates
from clew.surface.indexer.git.repository import NotAsked, find_repository, head_state
from clew.surface.indexer.publishing import Publisher
from clew.values.packing import pack
from clew.values.vault import Batch, CommitDates
from clew.vault.blob import hash_if_same

logger = logging.getLogger(__name__)

LOOK_SECONDS = 2.0  # between two looks at HEAD
QUIET_SECONDS = 0.5  # a run starts this long after HEAD moved, since a rebase moves it often
RETRY_SECONDS = 600.0  # after a failure, unless HEAD moves before
READ_SECONDS_MAX = 7_200.0  # after which a run is killed; CPU time and git have their own bounds
COMPARED_MAX = 2_000  # notes compared in one step, 2 us each
HASHED_MAX = 50  # files read and hashed in one step
ENTERED_MAX = 500  # dates entered in one step, 9 us each
LOGGED_DATES_MAX = 1_000  # if more dates changed, they are published as a whole revision

GIT_COMMAND = module_command("clew.surface.indexer.git")


class GitScheduler:
    """Keeps the dates from git of one vault up to date in the index.

    ``wake`` wakes the indexer's loop. ``folder``: where the process saves its result.
    """

    def __init__(
        self,
        settings: IndexerSettings,
        folder: str,
        wake: Callable[[], None],
        command: Sequence[str] = GIT_COMMAND,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._job = GitJob(settings.root, settings.max_note_bytes, folder)
        self._process = ChildProcess(command, READ_SECONDS_MAX, unpack_git_dates, wake, "git's")
        self._clock = clock
        self.remark: str | None = None  # why dates are missing
        self._notes: dict[str, TrackedNote] = {}  # by path, from the last run
        self._head: object = None  # the state of HEAD at the last poll; None: no repository
        self._read_head: object = None  # the state of HEAD when the last run began
        self._polls_at_s = self._quiet_at_s = self._rests_until_s = 0.0
        self._retries_at_s: float | None = None
        self._running_since_s: float | None = None
        self._revision_at_start = 0  # the index's revision when the last run began
        self._followed = 0  # the revision up to which changes of notes were compared
        self._to_hash: list[str] = []  # notes that differed from HEAD, and have changed since
        self._to_compare: list[str] = []  # notes whose dates must be compared with the index
        self._to_enter: dict[str, CommitDates | None] = {}  # dates to enter into the index
        self._is_large = False  # whether ``_to_enter`` is published as a whole revision
        self._pauses = Pauses()

    def due_in_s(self) -> float | None:
        """Return the seconds until ``settle`` is to be called; ``None`` if git is not used."""
        if not self._settings.uses_git:
            return None
        if self._has_steps:
            return self._pauses.left_s
        begins_at_s = self._begins_at_s()
        due_s = self._polls_at_s if begins_at_s is None else min(self._polls_at_s, begins_at_s)
        return max(0.0, due_s - self._clock())

    @property
    def _has_steps(self) -> bool:
        return bool(self._to_hash or self._to_compare or self._to_enter)

    def _begins_at_s(self) -> float | None:
        """Return the time at which the next run begins; ``None`` if none is needed now."""
        if self._running_since_s is not None or self._head is None:
            return None
        if self._head == self._read_head:
            return self._retries_at_s
        return max(self._quiet_at_s, self._rests_until_s)

    def settle(self, indexer: Indexer, publisher: Publisher) -> None:
        """Poll HEAD, start a run or take its result, and enter a slice of dates, as each is due."""
        if not self._settings.uses_git:
            return
        indexes = indexer.engine.indexes
        result = self._process.take()
        if result is not None:
            self._take(result, indexes)
        if self._clock() >= self._polls_at_s and indexer.root.is_there():
            self._poll_head(indexes)
        begins_at_s = self._begins_at_s()
        if begins_at_s is not None and begins_at_s <= self._clock():
            self._begin(indexer)
        self._follow(indexer)
        if self._has_steps and not self._pauses.left_s:
            with self._pauses.after_step():
                self._step(indexer, publisher)

    # -- reading git --------------------------------------------------------------------------

    def _poll_head(self, indexes: Indexes) -> None:
        """Poll whether HEAD moved."""
        now_s = self._clock()
        self._polls_at_s = now_s + LOOK_SECONDS
        try:
            repository = find_repository(self._settings.root)
        except NotAsked as reason:
            self._head = self._read_head = None  # so that git is read once it is allowed again
            self.remark = str(reason)
            return
        if repository is None:
            self._head = self._read_head = self.remark = None
            if self._notes or indexes.commits:
                self._use(GitDates(), indexes)
            return
        head = head_state(repository)
        if head != self._head:
            self._quiet_at_s = now_s + QUIET_SECONDS if self._head is not None else now_s
            self._head = head

    def _begin(self, indexer: Indexer) -> None:
        self._read_head, self._retries_at_s = self._head, None
        self._running_since_s, self._revision_at_start = self._clock(), indexer.engine.revision
        self._process.start(pack(self._job))

    def _take(self, result: GitDates | str, indexes: Indexes) -> None:
        assert self._running_since_s is not None
        now_s = self._clock()
        took_s, self._running_since_s = now_s - self._running_since_s, None
        self._rests_until_s = now_s + REST_SHARE * took_s
        if isinstance(result, str):
            result = GitDates(remark=result, is_read=False)
        self.remark = result.remark
        if result.is_read:
            logger.info("read git notes=%d ms=%d", len(result.notes), took_s * 1000)
            self._use(result, indexes)
        else:
            logger.warning("dates from git not read reason=%s", result.remark)
            self._retries_at_s = now_s + max(RETRY_SECONDS, REST_SHARE * took_s)

    def _use(self, dates: GitDates, indexes: Indexes) -> None:
        """Schedule a comparison of all dates with the index."""
        self._notes = {note.path: note for note in dates.notes}
        self._to_compare = list({*self._notes, *indexes.commits})
        self._to_hash, self._to_enter, self._is_large = [], {}, False
        self._followed = self._revision_at_start  # to check notes that changed meanwhile again

    # -- entering dates -----------------------------------------------------------------------

    def _follow(self, indexer: Indexer) -> None:
        """Queue the notes that changed since the last call."""
        revision = indexer.engine.revision
        if revision == self._followed or not self._notes:
            return
        changed: Iterable[str] | None = indexer.engine.changes.between(self._followed, revision)
        self._followed = revision
        for path in self._notes if changed is None else changed:
            note = self._notes.get(path)
            if note is not None:
                (self._to_compare if note.content_hash else self._to_hash).append(path)

    def _step(self, indexer: Indexer, publisher: Publisher) -> None:
        if self._to_hash:
            self._hash_some()
        elif self._to_compare:
            self._compare_some(indexer.engine.indexes)
        else:
            self._enter_some(indexer, publisher)

    def _hash_some(self) -> None:
        """Compare a slice of notes with their blobs."""
        paths, self._to_hash = self._to_hash[:HASHED_MAX], self._to_hash[HASHED_MAX:]
        for path in paths:
            note = self._notes[path]
            bytes_max = self._settings.max_note_bytes
            content_hash = hash_if_same(self._settings.root, path, note.blob, bytes_max)
            if content_hash:
                self._notes[path] = replace(note, content_hash=content_hash)
                self._to_compare.append(path)

    def _compare_some(self, indexes: Indexes) -> None:
        """Find the dates of a slice of notes that differ from the index."""
        paths = self._to_compare[-COMPARED_MAX:]
        del self._to_compare[-COMPARED_MAX:]
        for path in paths:
            note = self._notes.get(path)
            dates = note.dates if note is not None and path in indexes.facts else None
            if dates != indexes.commits.get(path):
                self._to_enter[path] = dates
        self._is_large = self._is_large or len(self._to_enter) > LOGGED_DATES_MAX

    def _enter_some(self, indexer: Indexer, publisher: Publisher) -> None:
        paths = list(self._to_enter)[:ENTERED_MAX]
        batch = Batch(commits={path: self._to_enter.pop(path) for path in paths})
        indexer.engine.apply(batch)
        if not self._is_large:
            publisher.publish_logged(batch)
        elif not self._to_enter:
            self._is_large = False
            publisher.publish_all(indexer.engine)
