"""Scheduler of the process that builds the approximate index of vectors.

The index is built if exact search would compare more vectors than ``[search] approximate_from``,
once all vectors are made and stored. It is never updated: another one is built when an eighth of
the slots are new or dead, or after a compaction, which renumbers slots. A build waits for its turn,
since it needs much memory. Until the server has opened the index, and whenever it does not fit the
vectors, search is exact.
"""

import logging
import time
from collections.abc import Callable, Sequence

from clew.disk.durable import DISK, Disk
from clew.engine.approximate.approximate_file import (
    Header,
    publish_new,
    read_header,
    remove_files,
    unpack_header,
)
from clew.engine.approximate.build_job import BuildJob
from clew.index.vectors import VectorIndex
from clew.surface.children import module_command
from clew.surface.indexer.background.child_process import REST_SHARE, ChildProcess
from clew.surface.indexer.background.turn import Turn
from clew.surface.indexer.link import Link
from clew.values import ipc
from clew.values.packing import pack

logger = logging.getLogger(__name__)

CHANGED_SHARE_MAX = 0.125  # share of changed slots beyond which another index is built
RETRY_SECONDS = 60.0  # after a failure; twice as long after each further one
FAILURES_MAX = 5  # failures in a row, after which no build begins until the indexer restarts
BUILD_SECONDS_MAX = 86_400.0  # after which the process is killed; CPU time has its own bound

BUILD_COMMAND = module_command("clew.surface.indexer.approximate")


class ApproximateScheduler:
    """Builds the approximate index of one vault when it is due, and tells the server to use it.

    ``approximate_from``: the number of slots from which an index is built; ``None``: never.
    """

    def __init__(
        self,
        link: Link,
        approximate_from: int | None,
        folder: str,
        command: Sequence[str] = BUILD_COMMAND,
        seconds_max: float = BUILD_SECONDS_MAX,
        clock: Callable[[], float] = time.monotonic,
        disk: Disk = DISK,
    ) -> None:
        self._link = link
        self._approximate_from = approximate_from
        self._folder = folder
        self._process = ChildProcess(command, seconds_max, unpack_header, link.wake, "its")
        self._clock = clock
        self._disk = disk
        self.turn = Turn()  # shared with the other tasks of one indexer
        self._header: Header | None = None  # of the index file, if it fits the vectors
        self._has_read = False  # whether this indexer has tried to read an earlier one's file
        self._checked: int | None = None  # the generation with which the file was last compared
        self._is_announced = False  # whether the server was told to use the file
        self._built_from: int | None = None  # the generation of the last build
        self._running_since_s: float | None = None
        self._is_due = False
        self._rests_until_s = 0.0
        self._failures = 0  # in a row
        self.failure: str | None = None  # why a needed index could not be built or used

    def due_in_s(self) -> float | None:
        """Return the seconds until a build begins; ``None`` if none is due or may begin."""
        if not self._may_begin or not self._is_due:
            return None
        return max(0.0, self._rests_until_s - self._clock())

    def settle(self, vectors: VectorIndex, generation: int, *, is_whole: bool) -> None:
        """Take the result of a finished build, drop an index that does not fit, start a due build.

        ``generation``: the stored generation on which ``vectors`` is layered. ``is_whole``: whether
        all notes have vectors.
        """
        if not self._has_read:
            self._has_read, self._header = True, self._read()
        result = self._process.take()
        if result is not None:
            self._take(result)
        if self._checked != generation:
            self._checked = generation
            self._check(vectors)
        if self._header is not None and not self._is_announced:
            self._announce(self._header)
        is_outdated = is_whole and self._is_outdated(vectors)
        self._is_due = is_outdated and self._is_stored(vectors, generation)
        if self.due_in_s() == 0.0:
            self.turn.take(self)
            self._built_from, self._running_since_s = generation, self._clock()
            self._process.start(pack(BuildJob(self._folder, generation)))

    def wants_save(self, vectors: VectorIndex, generation: int, *, is_whole: bool) -> bool:
        """Return whether the index must be saved before a due build can begin."""
        if not self._may_begin or self._clock() < self._rests_until_s:
            return False
        is_outdated = is_whole and self._is_outdated(vectors)
        return is_outdated and not self._is_stored(vectors, generation)

    def reject(self, reason: str) -> None:
        """Record that the server cannot use the file; build another one after a pause."""
        self._header = None
        self._fail(reason, RETRY_SECONDS)

    def build_again(self) -> None:
        """Build another index, since the state folder was removed or replaced."""
        self._header = self._built_from = None

    @property
    def _may_begin(self) -> bool:
        """Whether no build and no other memory-intensive background work runs."""
        return self._running_since_s is None and self.turn.is_free_for(self)

    def _is_wanted(self, vectors: VectorIndex) -> bool:
        least = self._approximate_from
        return least is not None and vectors.dimensions > 0 and len(vectors) >= least

    def _is_outdated(self, vectors: VectorIndex) -> bool:
        """Return whether an index is needed, and is missing or lacks too many changed slots."""
        if not self._is_wanted(vectors) or self._failures >= FAILURES_MAX:
            return False
        if self._header is None:
            return True
        changed = vectors.changed_since(self._header.coverage)
        return changed > CHANGED_SHARE_MAX * len(vectors)

    def _is_stored(self, vectors: VectorIndex, generation: int) -> bool:
        """Return whether this generation has most slots, and was not used for the last build."""
        missing = len(vectors) - vectors.stored_count
        return generation != self._built_from and missing <= CHANGED_SHARE_MAX * len(vectors)

    def _check(self, vectors: VectorIndex) -> None:
        """Drop an index that does not fit: a new generation may have renumbered the slots."""
        if not self._is_wanted(vectors):
            self._header = None
            self._remove()
        elif self._header is not None and not vectors.is_covered(self._header.coverage):
            self._header = None
            logger.info("approximate index does not fit; search is exact until another is built")

    def _read(self) -> Header | None:
        """Return the header of the file that an earlier indexer left, if there is one."""
        try:
            return read_header(self._folder)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            logger.warning("approximate index unusable reason=%s", error)
            return None

    def _remove(self) -> None:
        try:
            remove_files(self._folder, self._disk)
        except OSError as error:
            logger.warning("approximate index cannot be removed reason=%s", error)

    def _take(self, result: Header | str) -> None:
        """Process the result of a build: publish its file, or record its failure."""
        assert self._running_since_s is not None
        took_s, self._running_since_s = self._clock() - self._running_since_s, None
        self.turn.end(self)
        if isinstance(result, str):
            self._fail(result, REST_SHARE * took_s)
            return
        try:
            publish_new(self._folder, self._disk)
        except OSError as error:
            self._fail(error.strerror or str(error), REST_SHARE * took_s)
            return
        self._rests_until_s = self._clock() + REST_SHARE * took_s
        self._header, self._checked, self._is_announced = result, None, False
        logger.info(
            "built approximate index vectors=%d candidates=%d recall=%.3f ms=%d",
            result.coverage.vectors,
            result.candidate_count,
            result.recall,
            took_s * 1000,
        )

    def _fail(self, reason: str, rest_s: float) -> None:
        logger.warning("search is exact: no approximate index reason=%s", reason)
        self.failure, self._built_from = f"no approximate index: {reason}", None
        self._failures += 1
        retry_s = RETRY_SECONDS * 2 ** (self._failures - 1)
        self._rests_until_s = self._clock() + max(retry_s, rest_s)

    def _announce(self, header: Header) -> None:
        """Tell the server to use the file, unless exact search is better."""
        self._is_announced, self.failure, self._failures = True, None, 0
        if header.candidate_count:
            self._link.send(ipc.ApproximateIndexSaved())
