"""Debouncing of file changes: which observed changes are held back, and when to check them again.

A walk may see a vault in the middle of a change. There are four cases:

- **A file is being written.** It is read after ``QUIET_NS`` without a change, or after
  ``QUIET_WAIT_NS_MAX`` if the changes never stop, and read again when it is ``YOUNG_NS`` old.
- **A note was emptied.** Many programs truncate a file before they write it, so an emptied note is
  indexed as empty only after ``EMPTIED_WAIT_NS``.
- **A note is gone.** It may be half of a rename, recognized by its inode, so it waits
  ``LEAVING_WAIT_NS`` for the other half, or ``LEAVING_WAIT_NS_OF_MANY`` if others are gone too.
- **Most of the vault is gone at once.** That is more often an unmounted disk than a decision: the
  notes are kept until a second walk, ``MASS_WAIT_NS`` later, agrees.

Reads no clock: callers pass every time, in nanoseconds of one steady clock.
"""

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from clew.values.vault import Stamp

QUIET_NS = 10_000_000
QUIET_WAIT_NS_MAX = 200_000_000
YOUNG_NS = 100_000_000
EMPTIED_WAIT_NS = 1_000_000_000
LEAVING_WAIT_NS = 30_000_000
# Where many notes are renamed, a look at a folder finds names gone of which the hints are to come.
LEAVING_WAIT_NS_OF_MANY = 100_000_000
MASS_NOTES_MIN = 20
MASS_SHARE = 0.5
MASS_WAIT_NS = 2_000_000_000


@dataclass(slots=True)
class Settling:
    """The changes of one vault that are held back, and the times of the checks they wait for."""

    # All mappings are by path. Checks: the earliest and the latest time at which one is due.
    _checks_ns: dict[str, tuple[int, int]] = field(default_factory=dict)
    _being_written_since_ns: dict[str, int] = field(default_factory=dict)
    _emptied: dict[str, tuple[int, int]] = field(default_factory=dict)  # changed at, empty since
    _inodes: dict[str, int] = field(default_factory=dict)  # of copies that replaced a file
    _leaving: dict[str, tuple[int, int]] = field(default_factory=dict)  # missing since, inode
    _held_deletions: set[str] = field(default_factory=set)
    _held_until_ns: int = 0

    def defer_if_being_written(self, path: str, age_ns: int, now_ns: int) -> bool:
        """Return whether a file changed too recently to be read; if so, schedule the check."""
        since_ns = self._being_written_since_ns.setdefault(path, now_ns)
        has_waited = now_ns - since_ns >= QUIET_WAIT_NS_MAX
        if has_waited or age_ns >= QUIET_NS:
            del self._being_written_since_ns[path]
            return False
        self.check_at(path, now_ns + QUIET_NS)
        return True

    def defer_if_emptied(self, path: str, stamp: Stamp, now_ns: int) -> bool:
        """Return whether to keep the old content of an emptied note for now; schedule the check.

        Each change of the empty file starts the wait again.
        """
        changed_at_ns, since_ns = self._emptied.get(path, (None, now_ns))
        if changed_at_ns != stamp.changed_at_ns:
            since_ns = now_ns
        self._emptied[path] = stamp.changed_at_ns, since_ns
        if now_ns - since_ns >= EMPTIED_WAIT_NS:
            del self._emptied[path]
            return False
        self.check_at(path, since_ns + EMPTIED_WAIT_NS)
        return True

    def clear_emptied(self, path: str) -> None:
        """Stop waiting for the content of a note: it has some, never had any, or is unreadable."""
        self._emptied.pop(path, None)

    def note_copy(self, path: str, indexed: Stamp | None, stamp: Stamp) -> None:
        """Record the inode of a file if it is a copy that replaced the file with stamp ``indexed``.

        The index keeps the old inode, since on some file systems inodes change all the time.
        ``indexed`` is ``None`` if the file is indexed anew, with its own inode.
        """
        is_same = indexed is not None and indexed.modified_at_ns == stamp.modified_at_ns
        if indexed is not None and is_same and indexed.inode != stamp.inode:
            self._inodes[path] = stamp.inode
        else:
            self._inodes.pop(path, None)

    def forget(self, paths: Iterable[str]) -> None:
        """Drop what is held back of files that are deleted or out of reach."""
        for path in paths:
            self._being_written_since_ns.pop(path, None)
            self._emptied.pop(path, None)

    @property
    def waiting(self) -> frozenset[str]:
        """The files that were seen and are not indexed yet: being written, or emptied."""
        return frozenset(self._being_written_since_ns.keys() | self._emptied.keys())

    def recheck_if_young(self, path: str, age_ns: int, now_ns: int) -> bool:
        """Return whether a file is so young that it must be read again; if so, schedule that."""
        if age_ns >= YOUNG_NS:
            return False
        self.check_at(path, now_ns - age_ns + YOUNG_NS)
        return True

    def check_at(self, path: str, at_ns: int) -> None:
        """Schedule a check of ``path``. Of several times the earliest and the latest are kept."""
        first_ns, last_ns = self._checks_ns.get(path, (at_ns, at_ns))
        self._checks_ns[path] = min(at_ns, first_ns), max(at_ns, last_ns)

    def confirm_deletions(
        self,
        gone: Mapping[str, int],
        arrived: AbstractSet[int],
        note_count: int,
        now_ns: int,
        *,
        is_whole: bool,
        arriving: AbstractSet[int],
    ) -> set[str]:
        """Return the notes to drop now: of ``gone``, and of deletions held back earlier.

        ``gone`` maps the path of each missing note to its inode in the index. ``arrived`` has the
        inodes of new notes, ``arriving`` of new files that are not read yet: a renamed note
        is dropped when it arrives under its new name. ``is_whole`` tells whether the whole vault
        was walked.
        """
        gone = {path: self._inodes.pop(path, indexed) for path, indexed in gone.items()}
        renamed = {path for path, inode in gone.items() if inode in arrived}
        lost = gone.keys() - renamed
        if len(lost) >= MASS_NOTES_MIN and len(lost) > MASS_SHARE * note_count:
            self.hold_deletions(lost, now_ns)
            return renamed
        for path in lost:
            self._leaving.setdefault(path, (now_ns, gone[path]))
        if not is_whole:
            return renamed | self._take_left(now_ns, lambda inode: inode in arrived)
        # A whole walk would have seen the file under its new name.
        left = self._take_left(now_ns, lambda inode: inode not in arriving)
        return renamed | left | self._take_held_deletions(now_ns)

    def _take_held_deletions(self, now_ns: int) -> set[str]:
        """Return the held deletions that a walk over the whole vault confirms."""
        if now_ns < self._held_until_ns:
            return set()
        confirmed, self._held_deletions = self._held_deletions, set()
        return confirmed

    def _take_left(self, now_ns: int, is_decided: Callable[[int], bool]) -> set[str]:
        """Remove and return the leaving notes to drop; schedule checks of the others.

        A note is dropped once ``is_decided`` holds for its inode, or after the longest wait.
        """
        wait_ns = LEAVING_WAIT_NS if len(self._leaving) == 1 else LEAVING_WAIT_NS_OF_MANY
        left = {
            path
            for path, (since_ns, inode) in self._leaving.items()
            if now_ns - since_ns >= wait_ns or is_decided(inode)
        }
        for path in left:
            del self._leaving[path]
        # The others need a later check: this one may have been too early, caused by another event.
        for path, (since_ns, _) in self._leaving.items():
            self.check_at(path, since_ns + wait_ns)
        return left

    def hold_deletions(self, gone: Iterable[str], now_ns: int) -> None:
        """Keep notes that seem deleted until a second walk agrees."""
        self._held_deletions |= set(gone)
        self._held_until_ns = now_ns + MASS_WAIT_NS

    def confirm_present(self, paths: Iterable[str]) -> None:
        """Cancel the deletion of notes that a walk has found."""
        self._held_deletions.difference_update(paths)
        for path in self._leaving.keys() & set(paths):
            del self._leaving[path]

    @property
    def leaving(self) -> frozenset[str]:
        """The notes that are gone and not dropped yet, since they may come under a new name."""
        return frozenset(self._leaving)

    @property
    def being_written(self) -> frozenset[str]:
        """The files that were seen and are not read yet, because they changed a moment ago."""
        return frozenset(self._being_written_since_ns)

    @property
    def held_deletion_count(self) -> int:
        """The number of notes that seem deleted and are kept."""
        return len(self._held_deletions)

    @property
    def walk_due_ns(self) -> int | None:
        """The time of the walk that confirms or cancels the held deletions."""
        return self._held_until_ns if self._held_deletions else None

    @property
    def unsettled(self) -> frozenset[tuple[str, int]]:
        """The changes that were observed but not applied yet: paths, each with a start time.

        A deletion that is held has the time 0, since further deletions prolong its wait.
        """
        since = list(self._being_written_since_ns.items())
        since += [(path, since_ns) for path, (since_ns, _) in self._leaving.items()]
        since += [(path, since_ns) for path, (_, since_ns) in self._emptied.items()]
        since += [(path, 0) for path in self._held_deletions]
        return frozenset(since)

    @property
    def check_due_ns(self) -> int | None:
        """The time of the next check of a path."""
        return min((first_ns for first_ns, _ in self._checks_ns.values()), default=None)

    def take_due_checks(self, now_ns: int) -> set[str]:
        """Return the paths whose check is due, each once, and remove these checks."""
        due = {path for path, (first_ns, _) in self._checks_ns.items() if first_ns <= now_ns}
        for path in due:
            _, last_ns = self._checks_ns.pop(path)
            if last_ns > now_ns:
                self._checks_ns[path] = last_ns, last_ns
        return due
