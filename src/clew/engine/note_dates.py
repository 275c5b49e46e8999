"""The dates that decide how much a note weighs: its own, its file's, and its last explicit read.

Knows no clock: times are POSIX seconds, and come in with the batches.
"""

from collections.abc import Callable, Mapping

from pathspec import GitIgnoreSpec

from clew.engine.settings import DEFAULT_GRACE_DAYS
from clew.index.ages import NoteAge
from clew.values.vault import Batch, ReadNote

READS_MAX = 200_000


class NoteDates:
    """The read dates of one vault's notes, and the age that follows from all dates of a note."""

    def __init__(self, tiers: Mapping[str, float]) -> None:
        self._grace_days = _grace_by_path(tiers)
        self.reads_s: dict[str, float] = {}  # path -> last explicit read

    def age(self, path: str, entry: ReadNote) -> NoteAge:
        """Return the dates of a note from which its weight follows."""
        fields = entry.note.fields
        file_s = entry.stamp.modified_at_ns / 1e9
        stated = [at for at in (fields.modified_at_s, fields.created_at_s) if at is not None]
        touched_s = max(stated) if stated else file_s
        modified_s = fields.modified_at_s
        return NoteAge(
            touched_s=max(touched_s, self.reads_s.get(path, touched_s)),
            modified_s=modified_s if modified_s is not None else file_s,
            grace_days=self._grace_days(path),
            pinned=fields.pinned,
        )

    def follow_renames(self, batch: Batch, entries: Mapping[str, ReadNote]) -> None:
        """Move the read date of each dropped note to an added note of the same content.

        ``entries`` are the notes before ``batch`` is applied.
        """
        read_s_by_hash = {
            entries[path].note.content_hash: self.reads_s[path]
            for path in batch.dropped
            if path in self.reads_s and is_followable(entries.get(path))
        }
        followed_hashes: set[str] = set()
        for read in batch.put:
            read_s = read_s_by_hash.get(read.note.content_hash)
            if read_s is not None and read.note.path not in self.reads_s:
                self.reads_s[read.note.path] = read_s
                followed_hashes.add(read.note.content_hash)
        for path in batch.dropped:
            entry = entries.get(path)
            if entry is not None and entry.note.content_hash in followed_hashes:
                self.reads_s.pop(path, None)

    def add(self, reads_s: Mapping[str, float]) -> None:
        """Take in read dates; a path keeps its latest."""
        for path, read_s in reads_s.items():
            self.reads_s[path] = max(read_s, self.reads_s.get(path, read_s))
        # The dates of deleted notes stay, since a note may come back. The oldest dates go first.
        while len(self.reads_s) > READS_MAX:
            del self.reads_s[min(self.reads_s, key=self.reads_s.__getitem__)]


def is_followable(entry: ReadNote | None) -> bool:
    """Tell whether a renamed note can be recognized by its content: it must have some."""
    return entry is not None and not entry.note.name_only and bool(entry.note.text.strip())


def _grace_by_path(tiers: Mapping[str, float]) -> Callable[[str], float]:
    """Return a function from a path to its days of grace: those of the first matching glob."""
    specs = [(GitIgnoreSpec.from_lines([glob]), float(days)) for glob, days in tiers.items()]

    def grace_days(path: str) -> float:
        return next((days for spec, days in specs if spec.match_file(path)), DEFAULT_GRACE_DAYS)

    return grace_days
