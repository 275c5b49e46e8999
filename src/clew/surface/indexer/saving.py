"""Saving the index, so that the next start does not need to read the whole vault.

Small changes go to a log, and a whole revision is saved now and then. A failure never ends the
indexer: when the disk is full, queries are still answered, and saving is retried later.
"""

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from clew.disk.mapped_pages import release_pages
from clew.engine.persist.generation_files import INDEX_FILE, map_index_file
from clew.engine.persist.store import Store
from clew.values.packing import Unpacker, pack
from clew.values.vault import Batch

logger = logging.getLogger(__name__)

RETRY_SECONDS_MIN = 5.0
RETRY_SECONDS_MAX = 60.0
LOG_RECORDS_MAX = 1_000  # a restart joins them and applies a note in 1 ms, in both at once
LOG_RECORDS_MIN = 100
# Both processes keep in memory what is logged, so a small index is saved sooner: as soon as this
# writes no more than so much for each record.
SAVED_BYTES_A_RECORD = 512 * 1024
LOG_BYTES_MIN = 16 * 1024 * 1024
LOG_SHARE_MAX = 0.5  # log size as a share of the size of the last whole revision
RELEASE_BYTES = 8 * 1024 * 1024  # written between two releases of the pages that are copied
QUIET_S = 2.0  # a whole revision is saved this long after the last change
LOG_EXCESS_MAX = 2.0  # or once the log is so many times as long as it should be
TIDY_S_MAX = 60.0  # or so long after the index needed to be tidied, since queries are slower

_unpack_batch: Unpacker[Batch] = Unpacker(Batch)


@dataclass(frozen=True, slots=True)
class Saved:
    """The index that an earlier indexer saved."""

    generation: int
    file: memoryview | None  # ``None``: nothing was saved before the log began
    log: Sequence[Batch]


class Saving:
    """Saves the index, and records whether saving works."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.failure: str | None = None
        self.saved_at_s = 0.0  # POSIX seconds
        self._retry_at_s = 0.0  # on the monotonic clock, like all times below
        self._retry_seconds = RETRY_SECONDS_MIN
        self._changed_at_s = 0.0
        self._untidy_since_s: float | None = None  # ``None``: the index need not be tidied
        self._file = memoryview(b"")  # the mapped file of the latest revision

    @property
    def log_records(self) -> int:
        """The number of changes logged since the last whole revision."""
        return self._store.log_records

    @property
    def generation(self) -> int:
        """The number of the last saved whole revision, 0 if there is none."""
        return self._store.generation

    def load(self, followed_generation: int | None = None) -> Saved | None:
        """Return the saved index, ``None`` if it is damaged or has other settings.

        ``followed_generation``: see ``Store.load``.
        """
        stored = self._store.load(followed_generation)
        if stored is None:
            return None
        try:
            log = [_unpack_batch(record) for record in stored.records]
        except ValueError as error:
            logger.warning("log unreadable reason=%s", error)
            return None
        file = stored.files.get(INDEX_FILE)
        self._file = file or self._file
        return Saved(self._store.generation, file, log)

    def log(self, batch: Batch) -> None:
        """Log one small change, or one slice of a large one."""
        self._changed_at_s = time.monotonic()
        if self.failure is not None:
            return  # a whole revision will be saved when that is possible again
        try:
            self._store.append(pack(batch))
        except OSError as error:
            self._failed(error)

    def tidy_later(self) -> None:
        """Let a whole revision be saved soon, since the index needs to be compacted or merged."""
        if self._untidy_since_s is None:
            self._untidy_since_s = time.monotonic()

    def save(self, pieces: Iterable[bytes]) -> int | None:
        """Save the file of a whole revision; return its generation, ``None`` if that fails."""
        try:
            self._store.publish({INDEX_FILE: self._releasing(pieces)})
        except OSError as error:
            self._failed(error)
            return None
        self.failure = self._untidy_since_s = None
        self._retry_seconds = RETRY_SECONDS_MIN
        self.saved_at_s = time.time()
        return self._store.generation

    def open_saved(self) -> memoryview:
        """Map the file that ``save`` wrote last.

        Raises:
            OSError: it cannot be opened.
        """
        self._file = map_index_file(self._store.folder, self._store.generation)
        return self._file

    def release_pages(self) -> None:
        """Release the pages of the mapped file, which then do not count as memory."""
        release_pages(self._file)

    def _releasing(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield ``pieces``; after every few release the mapped pages from which they are copied."""
        written_bytes = 0
        for piece in pieces:
            yield piece
            written_bytes += len(piece)
            if written_bytes >= RELEASE_BYTES:
                self.release_pages()
                written_bytes = 0

    def remove_older(self, generation: int) -> None:
        """Remove the generations before ``generation``, if it is the last whole revision."""
        if generation == self._store.generation:
            self._store.remove_older()

    def wants_whole_in_s(self) -> float | None:
        """Return the seconds until a whole revision must be saved; ``None`` if none is needed."""
        now_s = time.monotonic()
        if self.failure is not None:
            return max(0.0, self._retry_at_s - now_s)
        excess, due_s = self._log_excess(), self._changed_at_s + QUIET_S
        if excess > LOG_EXCESS_MAX:
            return 0.0  # the vault may never be quiet
        if self._untidy_since_s is not None:
            return max(0.0, min(due_s, self._untidy_since_s + TIDY_S_MAX) - now_s)
        return max(0.0, due_s - now_s) if excess > 1.0 else None

    def _log_excess(self) -> float:
        """Return the length of the log as a multiple of that at which a revision is saved."""
        saved_bytes = self._store.generation_bytes
        records_max = max(LOG_RECORDS_MIN, saved_bytes // SAVED_BYTES_A_RECORD)
        records_max = min(LOG_RECORDS_MAX, records_max)
        bytes_max = max(LOG_BYTES_MIN, int(LOG_SHARE_MAX * saved_bytes))
        return max(self._store.log_records / records_max, self._store.log_bytes / bytes_max)

    def _failed(self, error: OSError) -> None:
        if self.failure is None:
            logger.warning("state cannot be saved reason=%s", error)
        self.failure = error.strerror or str(error)
        self._retry_at_s = time.monotonic() + self._retry_seconds
        self._retry_seconds = min(RETRY_SECONDS_MAX, 2 * self._retry_seconds)
