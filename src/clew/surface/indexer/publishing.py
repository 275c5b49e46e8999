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
        self._has_base = False  # the server holds a revision that small changes can follow
        self._has_unseen = False  # the server holds a revision that queries do not see yet
        self._is_owed = False  # not all changes were logged
        self._sent = 0  # the latest generation that the server was told to map
        self.is_published = False  # queries see a revision of the whole vault

    def restored(self, generation: int) -> None:
        """Record that the server was told to map ``generation``; queries do not see it yet."""
        self._has_base, self._has_unseen, self._sent = True, True, generation

    def publish(self, absorbed: Absorbed, engine: Engine, first: Sequence[object] = ()) -> None:
        """Send the changes of ``absorbed``, which ``engine`` has applied, after ``first``."""
        batch = absorbed.batch
        is_small = (
            not (absorbed.portions or absorbed.is_searched)
            and absorbed.work <= SMALL_WORK
            and sum(len(read.note.text) for read in batch.put) <= SMALL_BYTES
            and not engine.indexes.needs_compaction
            and not engine.indexes.passages.keyword.has_long_tail
        )
        if is_small and self._has_base:
            # The server, and a restart from the log, need not search the texts again.
            batch = replace(batch, found_names=engine.found_names)
            self._link.send(*first, ipc.BatchApplied(batch))
            self._saving.log(batch)
        else:
            self._link.send(*first)
            self._publish_whole(engine)

    def store_portion(self, engine: Engine) -> bool:
        """Save and publish what was applied of a large round; return whether that worked.

        So queries find these notes, their memory is free again, and a restart goes on from here. If
        it cannot be saved, it is sent when the round ends.
        """
        is_saved = self._save(engine)
        if is_saved:
            self._let_see(is_new=True, is_whole=self.is_published)
        return is_saved

    def publish_vectors(self, batch: Batch) -> None:
        """Send vectors made in the background; a whole revision is saved once all are made."""
        self._link.send(ipc.BatchApplied(batch))
        self._saving.release_pages()  # the notes were read from the file, one after the other

    def publish_few_vectors(self, batch: Batch) -> None:
        """Send a few vectors made in the background, and log them like a change."""
        self._link.send(ipc.BatchApplied(batch))
        self._saving.log(batch)

    def publish_dates(self, batch: Batch) -> None:
        """Send a few dates from git, and log them like a change."""
        self._link.send(ipc.BatchApplied(batch))
        self._saving.log(batch)

    def publish_all(self, engine: Engine) -> None:
        """Publish all that ``engine`` has as a new revision, since much changed."""
        self._publish_whole(engine)

    def save_whole(self) -> None:
        """Let the next ``save`` save a whole revision, since not everything was logged."""
        self._is_owed = True

    def publish_first(self, engine: Engine) -> None:
        """Publish the first revision, if none is published yet."""
        if self.is_published:
            return
        if self._has_unseen:
            self._let_see(is_new=True)
        else:
            self._publish_whole(engine)

    def save(self, engine: Engine) -> None:
        """Save a whole revision if that is due; called when no request is waiting."""
        if self._is_owed or self._saving.wants_whole_in_s() == 0.0:
            engine.indexes.graph.edge_count()  # what is counted is saved with the graph
            if self._save(engine):
                self._let_see(is_new=False)

    def _publish_whole(self, engine: Engine) -> None:
        engine.compact_if_needed()
        if not self._save(engine):
            self._send_whole(engine.indexes)
        self._let_see(is_new=True)

    def _save(self, engine: Engine) -> bool:
        """Save a whole revision, which both processes then map; return whether that worked."""
        self._is_owed = False
        engine.weigh_nodes()
        generation = self._saving.save(serialize(engine.indexes))
        if generation is None:
            return False
        self._link.send(ipc.RevisionStarted(generation))
        self._sent = generation
        self._adopt_saved(engine)
        return True

    def _adopt_saved(self, engine: Engine) -> None:
        """Use the saved file in place of what it was written from."""
        try:
            file = self._saving.open_saved()
        except OSError as error:  # somebody removed it: what it was written from is still there
            logger.warning("saved index cannot be opened reason=%s", error)
            return
        engine.adopt(read_indexes(file, engine.settings))
        self._link.wait_until_mapped(self._sent)
        self._saving.remove_older()
        self._saving.release_pages()
        give_back_memory()

    def _send_whole(self, indexes: Indexes) -> None:
        """Send a revision that cannot be saved."""
        pieces = list(serialize(indexes))
        self._link.send(ipc.RevisionStarted(None, sum(map(len, pieces))))
        self._link.send_chunks(pieces)

    def _let_see(self, *, is_new: bool, is_whole: bool = True) -> None:
        self._link.send(ipc.RevisionPublished(is_new, is_whole))
        self._has_base, self._has_unseen = True, False
        self.is_published = self.is_published or is_whole


def fingerprint(settings: IndexerSettings, version: str) -> str:
    """Return a hash that differs if the settings, the version or the layout differ."""
    facts = (version, LAYOUT, layout(*STORED_TYPES, Batch), settings)
    made_with = msgspec.json.encode(facts, order="deterministic")
    return hashlib.sha256(made_with).hexdigest()


def layout(*stored_types: object) -> str:
    """Return a description of all fields of the stored types, in their order.

    Values are stored without the names of their fields, so a state with another layout could be
    misread. A version under development keeps its number while its fields change.
    """
    return repr(msgspec.inspect.multi_type_info(stored_types))
