"""Apply the indexer's messages to the replica, and follow its progress.

Messages are applied on the event loop's thread, so a query sees one revision from start to end.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator

from clew.disk.mapped_pages import release_pages
from clew.surface.allocator import give_back_memory
from clew.surface.server.child.replica import Replica
from clew.surface.server.health import Health
from clew.surface.server.stored.event_log import EventLog
from clew.values import ipc

logger = logging.getLogger(__name__)


class Receiver:
    """Applies the messages of all indexers; calls ``on_answers`` once queries can be answered.

    ``open_generation`` maps a saved generation, or raises ``OSError``. ``load_approximate`` begins
    to load the approximate index of vectors.
    """

    def __init__(
        self,
        replica: Replica,
        events: EventLog,
        health: Health,
        on_answers: Callable[[], None],
        open_generation: Callable[[int], memoryview],
        load_approximate: Callable[[], None],
    ) -> None:
        self.ready = asyncio.Event()  # set once the first index is whole
        # Set while queries see all received changes, that is, while no revision is incomplete.
        self.is_all_visible = asyncio.Event()
        self.can_answer = False  # whether a part of the first index is published
        self.after_change: Callable[[], None] = lambda: None  # called after each new revision
        self.progress: ipc.ReadingProgress | None = ipc.ReadingProgress(0, 0)
        self._replica = replica
        self._events = events
        self._health = health
        self._on_answers = on_answers
        self._open_generation = open_generation
        self._load_approximate = load_approximate
        self._file = memoryview(b"")  # the mapped file of the latest revision, if there is one
        self._seen_file = memoryview(b"")  # the file of the revision that queries see

    @property
    def followed_generation(self) -> int | None:
        """What ``ipc.Start`` tells an indexer."""
        return self._replica.followed_generation

    def receive(self, message: ipc.FromIndexer | bytes) -> None:
        """Apply a message, or a chunk of the revision being received.

        Raises:
            ValueError, LookupError: the message is malformed or out of order.
        """
        if isinstance(message, ipc.ReadingProgress):
            is_reading = message.done < message.total or not self.ready.is_set()
            self.progress = message if is_reading else None
        elif isinstance(message, ipc.IndexerReport):
            self._health.report = message
        elif isinstance(message, ipc.EditsSeen):
            self._events.add(self._replica.expect_edits(message.edits_s, message.missed_s))
        elif isinstance(message, ipc.ApproximateIndexSaved):
            self._load_approximate()
        elif isinstance(
            message, ipc.PartitionStarted | ipc.PartitionCommunity | ipc.PartitionFinished
        ):
            self._receive_communities(message)
        else:
            self._receive_index(message)

    def _receive_index(self, message: ipc.FromIndexer | bytes) -> None:
        if isinstance(message, bytes):
            self._replica.load_chunk(message)
        elif isinstance(message, ipc.BatchApplied):
            is_replayed = message.is_replayed
            self._events.add(self._replica.apply(message.batch, is_replayed=is_replayed))
            self.after_change()
        elif isinstance(message, ipc.RevisionStarted):
            self._start_revision(message)
        elif isinstance(message, ipc.RevisionPublished):
            self._publish(message)

    def _start_revision(self, message: ipc.RevisionStarted) -> None:
        self.is_all_visible.clear()
        self._file = memoryview(b"")
        if message.generation is None:
            # Without a generation there is no new log either, unless the vault was never saved.
            log = None if message.size_bytes else 0
            self._replica.start_revision(None, message.size_bytes, generation=log)
            return
        try:
            self._file = self._open_generation(message.generation)
        except OSError as error:
            raise ValueError(f"a generation that cannot be opened: {error}") from error
        self._replica.start_revision(self._file, generation=message.generation)

    def _publish(self, message: ipc.RevisionPublished) -> None:
        # A new indexer that starts from nothing has fewer notes at first than queries see already.
        if message.is_whole or not self.ready.is_set():
            self._events.add(self._replica.publish(is_new=message.is_new))
            self.is_all_visible.set()
            self.after_change()
            release_pages(self._seen_file)  # queries that began before may read it for a while yet
            self._seen_file = self._file
            self.release()  # most pages were only read for the comparison
            self._mark_answering()
        if message.is_whole:
            self._mark_ready()

    def release(self) -> None:
        """Release the pages of the index that were read, and return free memory to the system.

        Queries map the pages that they need again, from the system's cache.
        """
        release_pages(self._seen_file)
        give_back_memory()

    def _mark_answering(self) -> None:
        if not self.can_answer:
            self.can_answer = True
            self._on_answers()

    def _receive_communities(
        self, message: ipc.PartitionStarted | ipc.PartitionCommunity | ipc.PartitionFinished
    ) -> None:
        if isinstance(message, ipc.PartitionStarted):
            self._replica.start_communities()
        elif isinstance(message, ipc.PartitionCommunity):
            self._replica.add_community(message.community)
        else:
            self._replica.publish_communities(message.modularity)

    def steps_left(self) -> Iterator[None]:
        """Do what the last message left to do; yield after each step of a few milliseconds."""
        while self._replica.enter_some_events():
            yield

    def indexer_ended(self, reason: str) -> None:
        """Drop the unfinished revision; queries still use the published one."""
        self._replica.abandon()
        self._health.degrade("indexer", f"ended ({reason}); started again, answers may be old")
        self.progress = None if self.ready.is_set() else ipc.ReadingProgress(0, 0)

    def _mark_ready(self) -> None:
        self.progress = None
        self._health.recover("indexer")
        if not self.ready.is_set():
            logger.info("ready notes=%d", len(self._replica.snapshot.entries))
            self.ready.set()
