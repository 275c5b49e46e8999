"""Giving revisions to the server and to the disk: small changes as they are, large ones whole."""

import hashlib

import msgspec
import msgspec.inspect

from clew.engine.indexer import Absorbed
from clew.engine.indexes import Indexes, compact
from clew.engine.persist.index_chunks import Chunk, serialize
from clew.engine.settings import IndexerSettings
from clew.surface.indexer.limits import give_back_memory
from clew.surface.indexer.link import Link
from clew.surface.indexer.saving import Saving
from clew.values import ipc
from clew.values.vault import Batch

SMALL_WORK = 5_000  # what takes more is sent as a whole revision; this much is some 10 ms
SMALL_BYTES = 1024 * 1024


class Publisher:
    """What the server knows, and what the disk is still to be told."""

    def __init__(self, link: Link, saving: Saving) -> None:
        self._link = link
        self._saving = saving
        self._has_base = False  # the server holds a revision that small changes can follow
        self._unsaved: list[bytes] | None = None  # a whole revision that was published
        self._is_owed = False
        self.is_published = False  # queries see what the server holds

    def restored(self) -> None:
        """Take note that the server holds what was saved; queries do not see it yet."""
        self._has_base = True

    def publish(self, absorbed: Absorbed, indexes: Indexes) -> None:
        """Send what changed; ``indexes`` have it already."""
        batch = absorbed.batch
        is_small = (
            absorbed.work <= SMALL_WORK
            and sum(len(read.note.text) for read in batch.put) <= SMALL_BYTES
            and not indexes.passages.needs_compaction
        )
        if is_small and self._has_base:
            self._link.send(ipc.BatchApplied(batch))
            self._saving.log(batch)
        else:
            self._publish_whole(indexes)

    def publish_vectors(self, batch: Batch) -> None:
        """Send vectors that were made behind; saved with the whole revision once all are there."""
        self._link.send(ipc.BatchApplied(batch))

    def publish_few_vectors(self, batch: Batch) -> None:
        """Send vectors that were made behind, so few that they are logged as a change is."""
        self._link.send(ipc.BatchApplied(batch))
        if self._unsaved is None:
            self._saving.log(batch)
        else:  # the log would end with the save that comes next, which is without them
            self._is_owed = True

    def save_whole(self) -> None:
        """Save a whole revision next time, since not all of this one was logged."""
        self._is_owed = True

    def publish_first(self, indexes: Indexes) -> None:
        """Let queries see what there is, if they see nothing yet."""
        if self.is_published:
            return
        if self._has_base:
            self._let_see()
        else:
            self._publish_whole(indexes)

    def save(self, indexes: Indexes) -> None:
        """Save a whole revision if one is due, now that nobody waits for anything else."""
        if self._unsaved is not None:
            self._saving.save(self._unsaved)
            self._unsaved = None
        elif self._is_owed or self._saving.wants_whole_in_s() == 0.0:
            # As it is: were it compacted here and not in the server, that would never be.
            self._saving.save(serialize(indexes))
            self._is_owed = False
        else:
            return
        give_back_memory()  # what a large change took on its way, and its sealed form

    def _publish_whole(self, indexes: Indexes) -> None:
        compact(indexes)
        chunks = list(serialize(indexes))
        self._link.send(ipc.RevisionStarted())
        self._link.send_chunks(chunks)
        self._let_see()
        self._unsaved = chunks

    def _let_see(self) -> None:
        self._link.send(ipc.RevisionPublished())
        self._has_base = self.is_published = True


def fingerprint(settings: IndexerSettings, version: str) -> str:
    """Return a hash that differs for states of other settings, versions or layouts."""
    facts = (version, layout(Chunk, Batch), settings)
    made_with = msgspec.json.encode(facts, order="deterministic")
    return hashlib.sha256(made_with).hexdigest()


def layout(*stored_types: object) -> str:
    """Return a description of all fields of the stored types, in their order.

    Values are stored without the names of their fields, so a state of another layout could be
    misread. A version under development keeps its number while its fields change.
    """
    return repr(msgspec.inspect.multi_type_info(stored_types))
