"""The server's copy of the index, updated from the indexer one revision at a time."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from clew.engine.apply import Engine
from clew.engine.communities.current import Communities
from clew.engine.indexes import Indexes
from clew.engine.note_dates import latest_reads
from clew.engine.persist.index_file import read_indexes
from clew.engine.settings import EngineSettings
from clew.engine.snapshot import Snapshot
from clew.values.communities import Community
from clew.values.vault import Batch

if TYPE_CHECKING:
    from clew.index.approximate import ApproximateIndex


class Replica:
    """The published revision that queries read, and the one being received, if any."""

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings
        self._engine = Engine(settings)
        self._incoming: Engine | None = None  # not visible to queries yet
        self._received, self._missing_bytes = bytearray(), 0  # of the file of ``_incoming``
        self._communities_revision = 0  # of the communities being received
        self._community_by_id: dict[int, Community] = {}
        self._id_by_member: dict[str, int] = {}
        self._approximate: ApproximateIndex | None = None  # loaded last

    @property
    def snapshot(self) -> Snapshot:
        """The present revision."""
        return self._engine.snapshot

    @property
    def indexes(self) -> Indexes:
        """The indexes of the present revision."""
        return self._engine.indexes

    def start_revision(self, file: memoryview | None = None, size_bytes: int = 0) -> None:
        """Begin to receive a new revision; queries still use the present one.

        It begins with the indexes of ``file``. If there is no file yet, its ``size_bytes`` follow
        in chunks; none do if it begins without notes.

        Raises:
            ValueError, LookupError: the file has no indexes.
        """
        # It gets the read dates, so that notes renamed while no indexer ran keep theirs.
        self._incoming = Engine(self._settings, self._engine.reads_s)
        self._missing_bytes, self._received = size_bytes, bytearray()
        if file is not None:
            self._incoming.adopt(read_indexes(file, self._settings))

    def abandon(self) -> None:
        """Drop the revision being received, if any: its indexer is gone."""
        self._incoming = None

    def load_chunk(self, chunk: bytes) -> None:
        """Add a chunk of the file of the revision being received.

        Raises:
            ValueError, LookupError: none is being received, or the file has no indexes.
        """
        if self._incoming is None or len(chunk) > self._missing_bytes:
            raise ValueError("no such revision was started")
        self._received += chunk
        self._missing_bytes -= len(chunk)
        if not self._missing_bytes:
            file = memoryview(bytes(self._received))
            self._received = bytearray()
            self._incoming.adopt(read_indexes(file, self._settings))

    def apply(self, batch: Batch) -> dict[str, float]:
        """Apply a batch; return the read dates moved to renamed notes."""
        engine = self._incoming or self._engine
        reads_s = engine.reads_s
        before = {read.note.path: reads_s.get(read.note.path) for read in batch.put}
        engine.apply(batch)
        return {
            path: reads_s[path]
            for path, read_s in before.items()
            if path in reads_s and reads_s[path] != read_s
        }

    def publish(self, *, is_new: bool = True) -> dict[str, float]:
        """Make the received revision the present one; return the read dates of renamed notes.

        ``is_new``: whether it differs from the present one.

        Raises:
            ValueError: no revision was started, or not all of it was received.
        """
        if self._incoming is None or self._missing_bytes:
            raise ValueError("no revision was received")
        before, after = self._engine.snapshot, self._incoming.snapshot
        moved = _moved_reads(before, after) if is_new else {}
        self._incoming.apply(Batch(reads_s=before.reads_s))
        self._incoming.apply(Batch(reads_s=moved))
        self._incoming.continue_from(self._engine, is_new=is_new)
        self._engine, self._incoming = self._incoming, None
        # Slots keep their numbers in a new generation, unless the indexer compacted.
        self._approximate = self._engine.use_approximate(self._approximate)
        return moved

    def use_approximate(self, approximate: "ApproximateIndex") -> None:
        """Let queries use an approximate index of vectors, as long as it fits."""
        self._approximate = self._engine.use_approximate(approximate)

    def start_communities(self) -> None:
        """Begin to receive the communities of the present revision."""
        self._communities_revision = self._engine.revision
        self._community_by_id, self._id_by_member = {}, {}

    def add_community(self, community: Community) -> None:
        """Add one of the communities being received."""
        self._community_by_id[community.id] = community
        self._id_by_member.update(dict.fromkeys(community.members, community.id))

    def publish_communities(self, modularity: float) -> None:
        """Make the received communities visible to queries."""
        self._engine.communities = Communities(
            self._communities_revision, self._community_by_id, self._id_by_member, modularity
        )

    def mark_read(self, reads_s: Mapping[str, float]) -> None:
        """Record when notes were read."""
        if reads_s:
            self._engine.apply(Batch(reads_s=reads_s))


def _moved_reads(before: Snapshot, after: Snapshot) -> dict[str, float]:
    """Return the read dates of removed notes, by the new notes with the same content."""
    # Only notes that were read matter, which are few.
    dropped = [path for path in before.reads_s if path not in after.entries]
    read_s_by_hash = latest_reads(dropped, before.entries, before.reads_s)
    if not read_s_by_hash:
        return {}
    return {
        path: read_s_by_hash[facts.content_hash]
        for path, facts in after.all_facts()
        if path not in before.entries and facts.content_hash in read_s_by_hash
    }
