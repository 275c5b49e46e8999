"""The server's copy of the index, updated from the indexer one revision at a time."""

import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from clew.engine.communities.current import Communities
from clew.engine.note_dates import DateBook, latest_by_content
from clew.engine.private.two_views import TwoViews
from clew.engine.renames import renames_in
from clew.engine.settings import EngineSettings
from clew.engine.snapshot import Snapshot
from clew.index.notes.missing import notes_missing
from clew.values.communities import Community
from clew.values.vault import NO_EVENTS, Batch, NoteEvents

if TYPE_CHECKING:
    from clew.engine.apply import Engine
    from clew.index.approximate import ApproximateIndex


EVENTS_AT_ONCE = 200  # dates of events that are entered without a pause, each in 12 us


class Replica:
    """The published revision that queries read, and the one being received, if any."""

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings
        self.views = TwoViews(settings)
        self._incoming: TwoViews | None = None  # the revision that queries do not see yet
        self._has_published = False
        self._received, self._missing_bytes = bytearray(), 0  # parts of the file of ``_incoming``
        # Dates of events that ``_incoming`` does not show yet, in batches: the earliest first.
        self._unentered: deque[Iterator[Batch]] = deque()
        self._communities_revision = 0  # the revision of the communities being received
        self._community_by_id: dict[int, Community] = {}
        self._id_by_member: dict[str, int] = {}
        self._approximate: ApproximateIndex | None = None  # the one in use

    @property
    def snapshot(self) -> Snapshot:
        """The present revision."""
        return self._engine.snapshot

    @property
    def followed_generation(self) -> int | None:
        """The generation up to whose log dates followed renames, until a revision is published."""
        return None if self._has_published else int(max(self._followed))

    @property
    def _engine(self) -> "Engine":
        return self.views.whole

    def start_revision(
        self, file: memoryview | None, size_bytes: int = 0, *, generation: int | None = None
    ) -> None:
        """Begin to receive a new revision; queries still use the present one.

        It begins with the indexes in ``file``. Without a file, ``size_bytes`` of chunks follow; 0
        means that it begins without notes. ``generation`` is the one to whose log later batches
        belong, ``None`` if they belong to the same log as those before.

        Raises:
            ValueError, LookupError: the file has no indexes.
        """
        if self._incoming is not None and not self._missing_bytes and not self._has_published:
            # What an indexer restored, before its first walk changed much of it. The new revision
            # is compared with it, so that notes renamed while no daemon ran keep their dates.
            self.publish(is_new=False)  # as no query sees it
        # It inherits the dates of events, so that notes renamed while no indexer ran keep theirs.
        self._incoming = TwoViews(self._settings, self._engine.dates.events)
        self._missing_bytes, self._received = size_bytes, bytearray()
        dates = self._incoming.whole.dates
        dates.position = self._engine.dates.position
        if generation is not None:
            dates.begin_log(generation)
        events = NoteEvents(dates.reads.by_path.copy(), dates.edits.by_path.copy())
        self._unentered = deque([_still_in(dates, _in_batches(events))])
        if file is not None:
            self._incoming.adopt(file)

    def enter_some_events(self) -> bool:
        """Enter some dates of events into the revision being received, which its file lacks.

        Return whether more are to be entered. A long history takes a quarter of a second, so
        queries run in between; ``publish`` enters the rest.
        """
        if self._incoming is None or self._missing_bytes:
            return False
        while self._unentered:
            batch = next(self._unentered[0], None)
            if batch is not None:
                self._incoming.apply(batch)
                return True
            self._unentered.popleft()
        return False

    def abandon(self) -> None:
        """Drop the revision being received, if any, since its indexer has ended."""
        self._incoming = None
        self._unentered.clear()

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
            self._incoming.adopt(file)

    def apply(self, batch: Batch, *, is_replayed: bool = False) -> NoteEvents:
        """Apply a batch; return the dates of events that moved to renamed notes.

        ``is_replayed``: whether it comes from a log, so it may have been applied before.
        """
        views = self._incoming or self.views
        dates = views.whole.dates
        paths = [*(read.note.path for read in batch.put), *batch.dropped]
        before = _of_paths(dates.events, paths)
        dates.is_replaying = is_replayed
        views.apply(batch)
        dates.is_replaying = False
        return _moved(before, _of_paths(dates.events, paths), self._followed)

    def publish(self, *, is_new: bool = True) -> NoteEvents:
        """Make the received revision the present one; return the dates moved to renamed notes.

        ``is_new``: whether it differs from the present revision.

        Raises:
            ValueError: no revision was started, or not all of it was received.
        """
        if self._incoming is None or self._missing_bytes:
            raise ValueError("no revision was received")
        while self.enter_some_events():
            pass
        before, after = self._engine.snapshot, self._incoming.whole.snapshot
        moved = self._moved_between(before, after) if is_new else NO_EVENTS
        self._incoming.whole.dates.leave(moved.left)
        self._incoming.apply(Batch(reads_s=moved.reads_s, edits_s=moved.edits_s))
        public = self.views.public.snapshot
        self._incoming.continue_from(self.views, is_new=is_new)
        if is_new:
            self._incoming.whole.renames.follow(*_renamed(before, after))
            if self._incoming.are_two:
                public_view = self._incoming.public
                public_view.renames.follow(*_renamed(public, public_view.snapshot))
        self.views, self._incoming, self._has_published = self._incoming, None, True
        # The index may still fit, since only compaction renumbers slots.
        self._approximate = self.views.use_approximate(self._approximate)
        return moved

    def _moved_between(self, before: Snapshot, after: Snapshot) -> NoteEvents:
        """Return the dates that follow the notes that were renamed between two revisions."""
        events = self._engine.dates.events  # includes edits that were expected after the snapshot
        dropped = notes_missing(before.graph, after.graph)
        reads_s, reads_left = _moved_dates(events.reads_s, dropped, before, after)
        edits_s, edits_left = _moved_dates(events.edits_s, dropped, before, after)
        left = tuple(sorted({*reads_left, *edits_left}))
        return NoteEvents(reads_s, edits_s, left, self._followed)

    def use_approximate(self, approximate: "ApproximateIndex") -> None:
        """Let queries use an approximate index of vectors, as long as it fits."""
        self._approximate = self.views.use_approximate(approximate)

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
        self.views.use_communities(
            Communities(
                self._communities_revision, self._community_by_id, self._id_by_member, modularity
            )
        )

    def load_events(self, events: NoteEvents) -> None:
        """Use the dates that an earlier server saved; call it before anything else."""
        self.remember(events)
        self._engine.dates.followed = events.followed

    def remember(self, events: NoteEvents) -> NoteEvents:
        """Record the dates at which notes were read or seen to change; return what to save."""
        if events.reads_s or events.edits_s:
            self.views.apply(Batch(reads_s=events.reads_s, edits_s=events.edits_s))
            self._enter_too(events)
        return NoteEvents(events.reads_s, events.edits_s, followed=self._followed)

    def expect_edits(
        self, edits_s: Mapping[str, float], missed_s: Mapping[str, float]
    ) -> NoteEvents:
        """Record edits whose content comes with the next batch or revision; return what to save.

        The dates ``missed_s`` count only for notes with an earlier recorded edit.
        """
        known = self._engine.dates.edits.by_path
        later = {path: at_s for path, at_s in missed_s.items() if at_s > known.get(path, math.inf)}
        dates_s = {**later, **edits_s}
        self._engine.dates.edits.add(dates_s)
        self._enter_too(NoteEvents(edits_s=dates_s))
        return NoteEvents(edits_s=dates_s, followed=self._followed)

    @property
    def _followed(self) -> tuple[float, float]:
        """The positions of the log up to which all dates, saved ones too, have followed renames."""
        return (self._incoming or self.views).whole.dates.followed

    def _enter_too(self, events: NoteEvents) -> None:
        """Have later events entered into the revision being received."""
        if self._incoming is not None:
            self._unentered.append(_in_batches(events))


def _renamed(before: Snapshot, after: Snapshot) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the notes dropped between two revisions, and the (old, new) paths of renamed ones."""
    dropped = notes_missing(before.graph, after.graph)
    if not dropped:
        return [], []
    added = notes_missing(after.graph, before.graph)
    put = [(path, after.facts[path].content_hash) for path in added]
    return dropped, renames_in(dropped, put, before.facts, before.entries)


def _in_batches(events: NoteEvents) -> Iterator[Batch]:
    """Split the dates of events into batches that take a few milliseconds each."""
    reads, edits = iter(events.reads_s.items()), iter(events.edits_s.items())
    while some := dict(islice(reads, EVENTS_AT_ONCE)):
        yield Batch(reads_s=some)
    while some := dict(islice(edits, EVENTS_AT_ONCE)):
        yield Batch(edits_s=some)


def _still_in(dates: DateBook, batches: Iterable[Batch]) -> Iterator[Batch]:
    """Yield ``batches`` without the dates that have followed a renamed note meanwhile."""
    reads, edits = dates.reads.by_path, dates.edits.by_path
    for batch in batches:
        yield Batch(
            reads_s={path: at_s for path, at_s in batch.reads_s.items() if path in reads},
            edits_s={path: at_s for path, at_s in batch.edits_s.items() if path in edits},
        )


def _of_paths(events: NoteEvents, paths: Sequence[str]) -> NoteEvents:
    """Return the events of the notes at ``paths``."""
    return NoteEvents(
        {path: events.reads_s[path] for path in paths if path in events.reads_s},
        {path: events.edits_s[path] for path in paths if path in events.edits_s},
    )


def _moved(before: NoteEvents, after: NoteEvents, followed: tuple[float, float]) -> NoteEvents:
    """Return the dates that changed, and the paths that have none any more."""
    left = {*before.reads_s, *before.edits_s} - {*after.reads_s, *after.edits_s}
    return NoteEvents(
        _changed_dates(before.reads_s, after.reads_s),
        _changed_dates(before.edits_s, after.edits_s),
        tuple(sorted(left)),
        followed,
    )


def _changed_dates(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    return {path: date_s for path, date_s in after.items() if before.get(path) != date_s}


def _moved_dates(
    dates_s: Mapping[str, float], dropped: Iterable[str], before: Snapshot, after: Snapshot
) -> tuple[dict[str, float], list[str]]:
    """Return the dates of ``dropped`` notes, by the path of a new note with the same content.

    Return the paths that they leave, too.
    """
    date_s_by_hash = latest_by_content(dropped, before.entries, dates_s)
    if not date_s_by_hash:
        return {}, []
    added = {
        path: after.facts[path].content_hash for path in notes_missing(after.graph, before.graph)
    }
    moved_s = {path: date_s_by_hash[each] for path, each in added.items() if each in date_s_by_hash}
    hashes = set(added.values())
    left = [
        path
        for path in dropped
        if before.facts[path].content_hash in hashes & date_s_by_hash.keys()
    ]
    return moved_s, left
