"""From what is known of a note's dates to its age, which decides how much it weighs.

Reads no clock: times are POSIX seconds, and come with the batches.
"""

from collections.abc import Callable, Iterable, Mapping

from pathspec import GitIgnoreSpec

from clew.engine.settings import DEFAULT_GRACE_DAYS
from clew.index.ages import NoteAge
from clew.index.facts import NoteFacts
from clew.index.formulas.note_dates import KnownDates, note_dates
from clew.index.structures.layered_map import LayeredMap
from clew.text.dates.daily_format import daily_format
from clew.text.dates.names import days_in_name
from clew.values.vault import Batch, DailyNotes, ReadNote

READS_MAX = 200_000


class DateBook:
    """The read dates of one vault's notes, and the age that follows from all dates of a note."""

    def __init__(self, tiers: Mapping[str, float], reads_s: Mapping[str, float]) -> None:
        self._grace_days = _grace_by_path(tiers)
        self.reads_s = LayeredMap(dict(reads_s))  # path -> last explicit read

    def age(self, path: str, facts: NoteFacts, daily: DailyNotes) -> NoteAge:
        """Return the dates of a note and what its weight follows from."""
        dates = note_dates(known_dates(path, facts, daily))
        touched_s = max(dates.created_s, dates.changed_s)
        return NoteAge(
            touched_s=max(touched_s, self.reads_s.get(path, touched_s)),
            dates=dates,
            grace_days=self._grace_days(path),
            pinned=facts.pinned,
        )

    def follow_renames(self, batch: Batch, entries: Mapping[str, ReadNote]) -> None:
        """Move the read date of each dropped note to an added note of the same content.

        ``entries`` are the notes before ``batch`` is applied.
        """
        read_s_by_hash = latest_reads(batch.dropped, entries, self.reads_s)
        followed_hashes: set[str] = set()
        for read in batch.put:
            path, content_hash = read.note.path, read.note.content_hash
            read_s = read_s_by_hash.get(content_hash)
            if read_s is not None and path not in entries:
                self.reads_s[path] = max(read_s, self.reads_s.get(path, read_s))
                followed_hashes.add(content_hash)
        for path in batch.dropped:
            if path in entries and entries[path].note.content_hash in followed_hashes:
                self.reads_s.pop(path, None)

    def add(self, reads_s: Mapping[str, float]) -> None:
        """Add read dates; the latest date of each path is kept."""
        for path, read_s in reads_s.items():
            self.reads_s[path] = max(read_s, self.reads_s.get(path, read_s))
        # The dates of deleted notes stay, since a note may come back. The oldest dates go first.
        while len(self.reads_s) > READS_MAX:
            del self.reads_s[min(self.reads_s, key=self.reads_s.__getitem__)]


def known_dates(path: str, facts: NoteFacts, daily: DailyNotes) -> KnownDates:
    """Return what front matter, name and file say of when the note at ``path`` was written."""
    days = days_in_name(path, daily_format(daily.format) if daily.format else None)
    return KnownDates(
        file_s=facts.stamp.modified_at_ns / 1e9,
        stated_created_s=facts.stated_created_s,
        stated_modified_s=facts.stated_modified_s,
        name_s=days.since_s if days else None,
        name_days=days.length_days if days else 0,
    )


def latest_reads(
    dropped: Iterable[str], entries: Mapping[str, ReadNote], reads_s: Mapping[str, float]
) -> dict[str, float]:
    """Return the latest read date of each content hash among the notes ``dropped``.

    ``entries`` are the notes before they were dropped. A renamed note is recognized by its content,
    so notes without text are left out: they all look the same.
    """
    latest_s: dict[str, float] = {}
    for path in dropped:
        entry, read_s = entries.get(path), reads_s.get(path)
        if entry is not None and read_s is not None and entry.note.text.strip():
            content_hash = entry.note.content_hash
            latest_s[content_hash] = max(read_s, latest_s.get(content_hash, read_s))
    return latest_s


def _grace_by_path(tiers: Mapping[str, float]) -> Callable[[str], float]:
    """Return a function from a path to its days of grace: those of the first matching glob."""
    specs = [(GitIgnoreSpec.from_lines([glob]), float(days)) for glob, days in tiers.items()]

    def grace_days(path: str) -> float:
        return next((days for spec, days in specs if spec.match_file(path)), DEFAULT_GRACE_DAYS)

    return grace_days
