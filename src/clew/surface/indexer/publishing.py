"""Sending revisions to the server and saving them: small changes as batches, large ones whole."""

import hashlib
import logging
from collections.abc import Sequence

import msgspec
import msgspec.inspect
from msgspec.structs import replace

from clew.engine.apply import Engine
from clew.engine.indexes import Indexes
from clew.engine.persist.index_file import LAYOUT, STORED_TYPES, read_indexes, serialize
from clew.engine.reading.steps import Absorbed
from clew.engine.settings import IndexerSettings
from clew.surface.allocator import give_back_memory
from clew.surface.indexer.link import Link
from clew.surface.indexer.saving import Saving
from clew.values import ipc
from clew.values.vault import Batch

logger = logging.getLogger(__name__)

SMALL_WORK = 5_000  # about 10 ms; a larger batch is sent as a whole revision
SMALL_BYTES = 1024 * 1024


class Publisher:
    """Sends changes to the server, and keeps track of what is still to be saved."""

    def __init__(self, link: Link, saving: Saving) -> None:
        self._link = link
        self._saving = saving
        self.has_base = False  # the server holds a revision that small changes follow
        self._is_ahead = False  # the engine has applied notes that the server has not been sent
        self._has_unseen = False  # the server holds a revision that queries do not see yet
        self._has_unlogged = False  # not all changes were logged, so a whole revision must be saved
        self._announced_generation = 0  # the last generation that the server was told to map
        self.is_published = False  # whether queries see a revision of the whole vault

    def record_restored(self, generation: int) -> None:
        """Record that the server was told to map ``generation``, which queries do not see yet."""
        self.has_base, self._has_unseen, self._announced_generation = True, True, generation

    def publish(self, absorbed: Absorbed, engine: Engine, preface: Sequence[object] = ()) -> None:
        """Send the messages ``preface``, then the changes that ``engine`` has applied already."""
        batch = absorbed.batch
        is_small = (
            not (absorbed.portions or absorbed.is_searched)
            and absorbed.work <= SMALL_WORK
            and sum(len(read.note.text) for read in batch.put) <= SMALL_BYTES
        )
        if is_small and self._has_same_base:
            # The server, and a restart from the log, need not search the texts again.
            batch = replace(batch, found_names=engine.found_names)
            self._link.send(*preface, ipc.BatchApplied(batch))
            self._saving.log(batch)
            if engine.indexes.are_untidy:
                self._saving.tidy_later()  # a second or more, so not while the change is awaited
        else:
            self._link.send(*preface)
            self.publish_all(engine)

    def publish_saved(self, batch: Batch, engine: Engine, preface: Sequence[object] = ()) -> None:
        """Send a few notes that were read in the middle of a round, which ``engine`` has applied.

        A restart searches their texts itself: it has applied the slices that were logged before,
        and ``engine`` may have not. So does a server that was not sent what ``engine`` has applied.
        """
        found_names = None if self._is_ahead else engine.found_names
        self._link.send(*preface, ipc.BatchApplied(replace(batch, found_names=found_names)))
        self._saving.log(batch)

    def run_ahead(self) -> None:
        """Record that the engine has applied notes that are sent and saved with the whole index."""
        self._is_ahead = self._has_unlogged = True

    def store_portion(self, engine: Engine) -> bool:
        """Save and publish the portion of a large round applied so far; return whether this worked.

        So queries find its notes, their memory is freed, and a restart continues from here. A
        portion that cannot be saved is sent at the end of the round.
        """
        is_saved = self.has_base = self._save(engine)
        if is_saved:
            self._let_queries_see(is_new=True, is_whole=self.is_published)
        return is_saved

    def publish_vectors(self, batch: Batch) -> None:
        """Send vectors made in the background; a whole revision is saved once all are made."""
        self._send_on_base(batch)
        self._saving.release_pages()  # reading the texts of notes has mapped much of the file

    def publish_logged(self, batch: Batch) -> None:
        """Send a few vectors or dates made in the background, and log them like a change."""
        self._send_on_base(batch)
        self._saving.log(batch)

    def _send_on_base(self, batch: Batch) -> None:
        """Send a batch; the next whole revision has it if the server lacks notes until then."""
        if self._has_same_base:
            self._link.send(ipc.BatchApplied(batch))

    @property
    def _has_same_base(self) -> bool:
        """Whether the server holds the very revision that the next batch follows."""
        return self.has_base and not self._is_ahead

    @property
    def is_server_behind(self) -> bool:
        """Whether queries see the whole vault, but without notes that the engine has applied.

        So it is where the vault went away in the middle of a round.
        """
        return self.is_published and not self._has_same_base

    def save_whole(self) -> None:
        """Let the next ``save`` save a whole revision, since not everything was logged."""
        self._has_unlogged = True

    def publish_first(self, engine: Engine) -> None:
        """Publish the first revision, if none is published yet."""
        if self.is_published:
            return
        if self._has_unseen and not self._is_ahead:
            self._let_queries_see(is_new=True)
        else:
            self.publish_all(engine)

    def save(self, engine: Engine) -> None:
        """Save a whole revision if this is due."""
        if self._has_unlogged or self._saving.wants_whole_in_s() == 0.0:
            # Else the server would keep what was compacted, and lack what it was not sent.
            must_send = engine.compact_if_needed() or self.is_server_behind
            engine.indexes.graph.edge_count()  # the count is cached, and saved with the graph
            is_saved = self._save(engine)
            if must_send and not is_saved:
                self._send_whole(engine.indexes)
            if must_send or is_saved:
                self._let_queries_see(is_new=not self._has_same_base)

    def publish_all(self, engine: Engine) -> None:
        """Publish the whole state of ``engine`` as a new revision, after a large change."""
        engine.compact_if_needed()
        if not self._save(engine):
            self._send_whole(engine.indexes)
        self._let_queries_see(is_new=True)

    def _save(self, engine: Engine) -> bool:
        """Save a whole revision, which both processes then map; return whether this worked."""
        self._has_unlogged = False
        engine.weigh_nodes()
        generation = self._saving.save(serialize(engine.indexes))
        if generation is None:
            return False
        self._link.send(ipc.RevisionStarted(generation))
        self._announced_generation = generation
        self._adopt_saved(engine)
        return True

    def _adopt_saved(self, engine: Engine) -> None:
        """Replace the indexes in memory by the saved file."""
        try:
            file = self._saving.open_saved()
        except OSError as error:  # someone removed the file, and the indexes in memory stay in use
            logger.warning("saved index cannot be opened reason=%s", error)
            return
        engine.adopt(read_indexes(file, engine.settings))
        self._link.wait_until_mapped(self._announced_generation)
        self._saving.release_pages()
        give_back_memory()

    def _send_whole(self, indexes: Indexes) -> None:
        """Send a revision that cannot be saved."""
        pieces = list(serialize(indexes))
        self._link.send(ipc.RevisionStarted(None, sum(map(len, pieces))))
        self._link.send_chunks(pieces)

    def _let_queries_see(self, *, is_new: bool, is_whole: bool = True) -> None:
        self._link.send(ipc.RevisionPublished(is_new, is_whole))
        self.has_base, self._has_unseen, self._is_ahead = True, False, False
        self.is_published = self.is_published or is_whole


def fingerprint(settings: IndexerSettings, version: str) -> str:
    """Return a hash of the settings, the version and the layout of the stored types."""
    facts = (version, LAYOUT, layout(*STORED_TYPES, Batch), settings)
    made_with = msgspec.json.encode(facts, order="deterministic")
    return hashlib.sha256(made_with).hexdigest()


def layout(*stored_types: object) -> str:
    """Return a description of all fields of the stored types, in their order.

    Values are stored without the names of their fields, so a state with another layout could be
    misread. The version number is not enough, since fields change while it is under development.
    """
    return repr(msgspec.inspect.multi_type_info(stored_types))
