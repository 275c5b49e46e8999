"""The server's copy of the index: takes in what the indexer sends, one revision at a time."""

import gc
from collections.abc import Mapping

from clew.engine.apply import Engine
from clew.engine.communities.current import Communities
from clew.engine.indexes import Indexes
from clew.engine.note_dates import is_followable
from clew.engine.persist.index_chunks import load_chunk, unpack_chunk
from clew.engine.settings import EngineSettings
from clew.engine.snapshot import Snapshot
from clew.values.communities import Community
from clew.values.vault import Batch


class Replica:
    """What queries see, and beside it the revision that is being opened, if one is."""

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings
        self._engine = Engine(settings)
        self._opened: Engine | None = None
        self.retired: Indexes | None = None  # what queries saw before, to be dismantled
        self._dividing_revision = 0
        self._by_id: dict[int, Community] = {}  # communities that have come since
        self._ids: dict[str, int] = {}

    @property
    def snapshot(self) -> Snapshot:
        """The present revision."""
        return self._engine.snapshot

    @property
    def indexes(self) -> Indexes:
        """What the present revision is made of."""
        return self._engine.indexes

    def open(self) -> None:
        """Begin a revision from nothing; what queries see stays as it is."""
        self._opened = Engine(self._settings)
        # What comes in stays; looking for garbage in it again and again would cost as much.
        gc.disable()

    def abandon(self) -> None:
        """Forget the revision that was opened, if one was: its indexer is gone."""
        self._opened = None
        gc.enable()

    def take_chunk(self, chunk: bytes) -> None:
        """Take in a part of the revision that was opened.

        Raises:
            ValueError, LookupError: it does not belong there.
        """
        if self._opened is None:
            raise ValueError("no revision was opened")
        load_chunk(self._opened.indexes, unpack_chunk(chunk))

    def apply(self, batch: Batch) -> dict[str, float]:
        """Apply a small change; return the read dates that followed renamed notes."""
        engine = self._opened or self._engine
        known = engine.snapshot.reads_s
        before = {read.note.path for read in batch.put if read.note.path in known}
        engine.apply(batch)
        after = engine.snapshot.reads_s
        put = {read.note.path for read in batch.put} - before
        return {path: after[path] for path in put if path in after}

    def publish(self) -> dict[str, float]:
        """Let queries see what was opened; return the read dates that followed renamed notes.

        Raises:
            ValueError: nothing was opened.
        """
        if self._opened is None:
            raise ValueError("no revision was opened")
        before, after = self._engine.snapshot, self._opened.snapshot
        moved = _moved_reads(before, after)
        self._opened.apply(Batch(reads_s=before.reads_s))
        self._opened.apply(Batch(reads_s=moved))
        self._opened.revision = before.revision + 1
        self._opened.communities = before.communities
        self.retired = self._engine.indexes
        self._engine, self._opened = self._opened, None
        gc.freeze()
        gc.enable()
        return moved

    def dividing(self) -> None:
        """Take note that the communities that come next are of the present revision."""
        self._dividing_revision = self._engine.revision
        self._by_id, self._ids = {}, {}

    def group(self, community: Community) -> None:
        """Take in one of the communities that come."""
        self._by_id[community.id] = community
        self._ids.update(dict.fromkeys(community.members, community.id))

    def divided(self, modularity: float) -> None:
        """Let queries see the communities that have come."""
        self._engine.communities = Communities(
            self._dividing_revision, self._by_id, self._ids, modularity
        )

    def mark_read(self, reads_s: Mapping[str, float]) -> None:
        """Record when notes were read."""
        if reads_s:
            self._engine.apply(Batch(reads_s=reads_s))


def _moved_reads(before: Snapshot, after: Snapshot) -> dict[str, float]:
    """Return the read dates of notes that are gone, for new notes of the same content."""
    lost = {
        before.entries[path].note.content_hash: read_s
        for path, read_s in before.reads_s.items()
        if path not in after.entries and is_followable(before.entries.get(path))
    }
    if not lost:
        return {}
    return {
        path: lost[entry.note.content_hash]
        for path, entry in after.entries.items()
        if path not in before.entries and entry.note.content_hash in lost
    }
