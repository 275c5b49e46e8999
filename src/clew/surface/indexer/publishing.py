"""Sending revisions to the server and saving them: small changes as batches, large ones whole."""

import hashlib

import msgspec
import msgspec.inspect

from clew.engine.apply import Engine
from clew.engine.indexer import Absorbed
from clew.engine.indexes import Indexes
from clew.engine.persist.index_chunks import Chunk, serialize
from clew.engine.settings import IndexerSettings
from clew.surface.indexer.limits import give_back_memory
from clew.surface.indexer.link import Link
from clew.surface.indexer.saving import Saving
from clew.values import ipc
from clew.values.vault import Batch

SMALL_WORK = 5_000  # about 10 ms; a larger batch is sent as a whole revision
SMALL_BYTES = 1024 * 1024


class Publisher:
    """Sends changes to the server, and keeps track of what is still to be saved."""

    def __init__(self, link: Link, saving: Saving) -> None:
        self._link = link
        self._saving = saving
        self._has_base = False  # the server holds a revision that small changes can follow
        self._unsaved: list[bytes] | None = None  # the chunks of a published whole revision
        self._is_owed = False
        self.is_published = False  # queries see the revision that the server received

    def restored(self) -> None:
        """Record that the server has loaded the saved revision; queries do not see it yet."""
        self._has_base = True

    def publish(self, absorbed: Absorbed, engine: Engine) -> None:
        """Send the changes of ``absorbed``, which ``engine`` has applied."""
        batch = absorbed.batch
        is_small = (
            absorbed.work <= SMALL_WORK
            and sum(len(read.note.text) for read in batch.put) <= SMALL_BYTES
            and not engine.indexes.needs_compaction
        )
        if is_small and self._has_base:
            self._link.send(ipc.BatchApplied(batch))
            self._saving.log(batch)
        else:
            self._publish_whole(engine)

    def publish_vectors(self, batch: Batch) -> None:
        """Send vectors made in the background; a whole revision is saved once all are made."""
        self._link.send(ipc.BatchApplied(batch))

    def publish_few_vectors(self, batch: Batch) -> None:
        """Send a few vectors made in the background, and log them like a change."""
        self._link.send(ipc.BatchApplied(batch))
        if self._unsaved is None:
            self._saving.log(batch)
        else:  # the next save replaces the log, and lacks these vectors
            self._is_owed = True

    def save_whole(self) -> None:
        """Let the next ``save`` save a whole revision, since not everything was logged."""
        self._is_owed = True

    def publish_first(self, engine: Engine) -> None:
        """Publish the first revision, if none is published yet."""
        if self.is_published:
            return
        if self._has_base:
            self._let_see()
        else:
            self._publish_whole(engine)

    def save(self, indexes: Indexes) -> None:
        """Save a whole revision if that is due; called when no request is waiting."""
        if self._unsaved is not None:
            self._saving.save(self._unsaved)
            self._unsaved = None
        elif self._is_owed or self._saving.wants_whole_in_s() == 0.0:
            # Without compacting: the server would never do it, and the two would differ.
            self._saving.save(serialize(indexes))
            self._is_owed = False
        else:
            return
        give_back_memory()  # memory that the large change and its chunks used

    def _publish_whole(self, engine: Engine) -> None:
        engine.compact()
        chunks = list(serialize(engine.indexes))
        self._link.send(ipc.RevisionStarted())
        self._link.send_chunks(chunks)
        self._let_see()
        self._unsaved = chunks

    def _let_see(self) -> None:
        self._link.send(ipc.RevisionPublished())
        self._has_base = self.is_published = True


def fingerprint(settings: IndexerSettings, version: str) -> str:
    """Return a hash that differs if the settings, the version or the layout differ."""
    facts = (version, layout(Chunk, Batch), settings)
    made_with = msgspec.json.encode(facts, order="deterministic")
    return hashlib.sha256(made_with).hexdigest()


def layout(*stored_types: object) -> str:
    """Return a description of all fields of the stored types, in their order.

    Values are stored without the names of their fields, so a state with another layout could be
    misread. A version under development keeps its number while its fields change.
    """
    return repr(msgspec.inspect.multi_type_info(stored_types))
