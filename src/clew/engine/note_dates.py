"""Compute the age of a note, which decides its weight, from all its known dates.

Dates follow a renamed note, and the log of batches is replayed after a crash, when the dates are
those of the end already: the date of a later note at the old path must not follow. So a position
of the log is saved with the dates of each kind, and these do not follow a rename up to it again. A
position is the number of the generation that the log belongs to, and ``STEP`` for each batch that
drops notes.

Reads no clock: times are POSIX seconds, and come with the batches.
"""

from collections.abc import Callable, Iterable, Mapping
from heapq import nsmallest

from clew.engine.settings import DEFAULT_GRACE_DAYS
from clew.index.formulas.note_dates import KnownDates, note_dates
from clew.index.notes.ages import NoteAge
from clew.index.notes.facts import NoteFacts
from clew.index.structures.layered_map import LayeredMap
from clew.text.dates.daily_format import daily_format
from clew.text.dates.names import days_in_name
from clew.values.vault import Batch, CommitDates, DailyNotes, NoteEvents, ReadNote
from clew.vault.ignore import path_matcher

# Dates of deleted notes are kept, since a note may come back; so the number of paths is bounded.
READS_MAX = 200_000
EDITS_MAX = 20_000  # entering one again, after a whole revision came, takes 12 us
STEP = 2.0**-20
_DROPPED_SHARE = 1 / 8  # of the maximum; dropped at once, since finding the oldest takes time


class DateBook:
    """The dates of reads and seen edits of notes, and the ages that follow from them."""

    def __init__(self, tiers: Mapping[str, float], events: NoteEvents) -> None:
        self.grace_days = _grace_by_path(tiers)
        self.reads = EventDates(events.reads_s, READS_MAX)
        self.edits = EventDates(events.edits_s, EDITS_MAX)
        self.followed = events.followed
        self.position = 0.0
        self.is_replaying = False  # whether the next batch may be one that was followed already

    @property
    def events(self) -> NoteEvents:
        """The dates of all events; the mappings are live, so later changes show in them."""
        return NoteEvents(self.reads.by_path, self.edits.by_path, (), self.followed)

    @property
    def followed(self) -> tuple[float, float]:
        """The position of the log up to which dates of reads, and of edits, followed renames."""
        return self.reads.followed, self.edits.followed

    @followed.setter
    def followed(self, positions: tuple[float, float]) -> None:
        self.reads.followed, self.edits.followed = positions

    def begin_log(self, generation: int) -> None:
        """Let the next batches be those of the log of ``generation``.

        A later position is of a log that is gone, since generations are counted anew after the
        folder of the index was removed.
        """
        self.position = float(generation)
        for dates in (self.reads, self.edits):
            if dates.followed >= generation + 1:
                dates.followed = self.position

    def age(
        self, path: str, facts: NoteFacts, daily: DailyNotes, commits: CommitDates | None = None
    ) -> NoteAge:
        """Return the age of a note: its dates, and the values that decide its weight."""
        dates = note_dates(known_dates(path, facts, daily, self.edits.by_path.get(path), commits))
        touched_s = max(dates.created_s, dates.changed_s)
        return NoteAge(
            touched_s=max(touched_s, self.reads.by_path.get(path, touched_s)),
            dates=dates,
            grace_days=self.grace_days(path),
            pinned=facts.pinned,
        )

    def follow_renames(self, batch: Batch, entries: Mapping[str, ReadNote]) -> None:
        """Move the dates of each dropped note to an added note of the same content.

        ``entries`` are the notes before ``batch`` is applied.
        """
        if not batch.dropped:
            return
        self.position += STEP
        for dates in (self.reads, self.edits):
            if not (self.is_replaying and self.position <= dates.followed):
                dates.followed = self.position
                dates.follow_renames(batch, entries)

    def leave(self, paths: Iterable[str]) -> None:
        """Drop the dates of paths that renamed notes left."""
        for path in paths:
            self.reads.by_path.pop(path, None)
            self.edits.by_path.pop(path, None)

    def add(self, events: NoteEvents) -> None:
        """Add dates of events; the latest date of each path is kept."""
        self.reads.add(events.reads_s)
        self.edits.add(events.edits_s)


class SharedDates(DateBook):
    """A read-only view of another book, whose owner enters renames and events there."""

    def __init__(self, book: DateBook) -> None:
        self.grace_days = book.grace_days
        self.reads, self.edits = book.reads, book.edits

    def follow_renames(self, batch: Batch, entries: Mapping[str, ReadNote]) -> None:
        """Change nothing: the other book followed the renames."""

    def add(self, events: NoteEvents) -> None:
        """Change nothing: the other book has these dates."""


class EventDates:
    """The latest date of one kind of event by path, POSIX seconds, for ``paths_max`` paths."""

    def __init__(self, dates_s: Mapping[str, float], paths_max: int) -> None:
        self.by_path = LayeredMap(dict(dates_s))
        self.followed = 0.0  # the position of the log up to which they have followed renames
        self._paths_max = paths_max

    def follow_renames(self, batch: Batch, entries: Mapping[str, ReadNote]) -> None:
        """Move the date of each dropped note to an added note of the same content."""
        date_s_by_hash = latest_by_content(batch.dropped, entries, self.by_path)
        followed_hashes: set[str] = set()
        for read in batch.put:
            path, content_hash = read.note.path, read.note.content_hash
            date_s = date_s_by_hash.get(content_hash)
            if date_s is not None and path not in entries:
                self.by_path[path] = max(date_s, self.by_path.get(path, date_s))
                followed_hashes.add(content_hash)
        for path in batch.dropped:
            if path in entries and entries[path].note.content_hash in followed_hashes:
                self.by_path.pop(path, None)

    def add(self, dates_s: Mapping[str, float]) -> None:
        """Add dates and keep the latest of each path; with too many paths, drop the oldest."""
        for path, date_s in dates_s.items():
            self.by_path[path] = max(date_s, self.by_path.get(path, date_s))
        if len(self.by_path) > self._paths_max:
            dropped_count = int(self._paths_max * _DROPPED_SHARE)
            excess = len(self.by_path) - self._paths_max + dropped_count
            for path in nsmallest(excess, self.by_path, key=self.by_path.__getitem__):
                del self.by_path[path]


def known_dates(
    path: str,
    facts: NoteFacts,
    daily: DailyNotes,
    seen_s: float | None = None,
    commits: CommitDates | None = None,
) -> KnownDates:
    """Return all known dates of the note at ``path``: of front matter, name, file and so on.

    ``seen_s``: the last edit that the daemon saw. ``commits`` count only if the note still has the
    content of the last commit.
    """
    if commits is not None and commits.content_hash != facts.content_hash:
        commits = None
    days = days_in_name(path, daily_format(daily.format) if daily.format else None)
    return KnownDates(
        file_s=facts.stamp.modified_at_ns / 1e9,
        stated_created_s=facts.stated_created_s,
        stated_modified_s=facts.stated_modified_s,
        name_s=days.since_s if days else None,
        name_days=days.length_days if days else 0,
        first_commit_s=commits.first_s if commits else None,
        last_commit_s=commits.last_s if commits else None,
        seen_s=seen_s,
    )


def latest_by_content(
    dropped: Iterable[str], entries: Mapping[str, ReadNote], dates_s: Mapping[str, float]
) -> dict[str, float]:
    """Return the latest date of each content hash among the notes ``dropped``.

    ``entries`` are the notes before they were dropped. A renamed note is recognized by its content,
    so notes without text are left out: they all look the same.
    """
    latest_s: dict[str, float] = {}
    for path in dropped:
        entry, date_s = entries.get(path), dates_s.get(path)
        if entry is not None and date_s is not None and entry.note.text.strip():
            content_hash = entry.note.content_hash
            latest_s[content_hash] = max(date_s, latest_s.get(content_hash, date_s))
    return latest_s


def _grace_by_path(tiers: Mapping[str, float]) -> Callable[[str], float]:
    """Return a function from a path to the days of grace of the first glob that matches it."""
    in_tiers = [(path_matcher([glob]), float(days)) for glob, days in tiers.items()]

    def grace_days(path: str) -> float:
        return next((days for matches, days in in_tiers if matches(path)), DEFAULT_GRACE_DAYS)

    return grace_days
