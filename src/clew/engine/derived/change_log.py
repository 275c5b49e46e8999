"""Which notes the latest revisions changed, so that derived values can follow the changes."""

from collections import deque
from collections.abc import Container, Mapping
from dataclasses import dataclass
from enum import StrEnum

from clew.values.vault import Batch

# In all; older revisions are forgotten. Clients are told of at most a thousand notes at a time.
PATHS_MAX = 2_000


class Change(StrEnum):
    """What a revision did to a note."""

    ADDED = "added"
    MODIFIED = "modified"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Changes:
    """The notes that differ between two revisions, by path."""

    added: tuple[str, ...]
    modified: tuple[str, ...]
    removed: tuple[str, ...]

    @property
    def count(self) -> int:
        """The number of notes that differ."""
        return len(self.added) + len(self.modified) + len(self.removed)


class ChangeLog:
    """The notes that each of the latest revisions changed; earlier revisions are not recorded."""

    def __init__(self) -> None:
        self._first = 0  # the log is complete for all later revisions
        self._changes: deque[tuple[int, Mapping[str, Change]]] = deque()
        self._size = 0

    def add(self, revision: int, changes: Mapping[str, Change]) -> None:
        """Record the changes of ``revision``, which must be later than all recorded ones."""
        if not changes:
            return
        self._changes.append((revision, changes))
        self._size += len(changes)
        while self._size > PATHS_MAX:
            self._first, forgotten = self._changes.popleft()
            self._size -= len(forgotten)

    def forget(self, revision: int) -> None:
        """Drop all records; the log is complete again for the revisions after ``revision``."""
        self._first, self._size = revision, 0
        self._changes.clear()

    def hiding(self, paths: Container[str]) -> "ChangeLog":
        """Return a log in which the last recorded revision hides these notes.

        For whom they are hidden, it has removed those that were there before, and added none.
        """
        log = ChangeLog()
        log._first, log._changes, log._size = self._first, self._changes.copy(), self._size
        if self._changes:
            revision, changes = log._changes.pop()
            shown = {path: change for path, change in changes.items() if path not in paths}
            gone = {path for path in changes.keys() - shown if changes[path] != Change.ADDED}
            log._size -= len(changes)
            log.add(revision, {**shown, **dict.fromkeys(gone, Change.REMOVED)})
        return log

    def between(self, before: int, after: int) -> set[str] | None:
        """Return the notes that changed after revision ``before``, up to revision ``after``.

        ``None`` if the log does not reach back to ``before``.
        """
        revisions = self._revisions_between(before, after)
        return None if revisions is None else set().union(*revisions)

    def difference(self, before: int, after: int) -> Changes | None:
        """Return how the notes of revision ``after`` differ from those of ``before``.

        A note that was added and removed in between is left out. ``None`` as for ``between``.
        """
        revisions = self._revisions_between(before, after)
        if revisions is None:
            return None
        first: dict[str, Change] = {}
        last: dict[str, Change] = {}
        for changes in revisions:
            last.update(changes)
            first = {**changes, **first}
        by_change: dict[Change, list[str]] = {change: [] for change in Change}
        for path in sorted(last):
            if change := _net(first[path], last[path]):
                by_change[change].append(path)
        return Changes(*(tuple(paths) for paths in by_change.values()))

    def _revisions_between(self, before: int, after: int) -> list[Mapping[str, Change]] | None:
        """Return the changes of each revision between, in order; ``None`` as for ``between``."""
        if before < self._first or after < before:
            return None
        newest_first: list[Mapping[str, Change]] = []
        for revision, changes in reversed(self._changes):
            if revision <= before:
                break
            if revision <= after:
                newest_first.append(changes)
        return newest_first[::-1]


def _net(first: Change, last: Change) -> Change | None:
    """Return the net change of a note from its first and last change; ``None`` for none."""
    if first == Change.ADDED:
        return None if last == Change.REMOVED else Change.ADDED
    return last if last == Change.REMOVED else Change.MODIFIED


def changes_of(batch: Batch, entries: Container[str]) -> dict[str, Change]:
    """Return the change of each note by ``batch``; ``entries`` has the notes before it."""
    changes = {path: Change.REMOVED for path in batch.dropped if path in entries}
    for read in batch.put:
        path = read.note.path
        changes[path] = Change.MODIFIED if path in entries else Change.ADDED
    return changes
