"""Compare listings of a folder: which notes changed, and which files came or went.

Two details make this correct:

- *Racy stamps.* A note is changed if its stamp differs. But two writes shortly after each other may
  leave the same stamp on file systems with coarse times. So a note whose stamp is younger than
  ``RACY_NS`` is reported again by the next look, whatever its stamp, until it is older.
- *Age.* The age of a file follows from its stamp and the wall clock. A stamp in the future (the
  clock was set back, or a file server's clock is ahead) has no age by that clock; such a file is as
  old as the time since the view first saw the stamp.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from clew.values.vault import Difference, Moment
from clew.vault.scan import FolderListing

# A second write within this time may leave the same stamp on a file system with coarse times.
RACY_NS = 2_000_000_000


@dataclass(slots=True)
class FileChanges:
    """The changes that one look has found so far.

    A look may list a file twice, with a change in between. The later listing counts.
    """

    _changed: set[str] = field(default_factory=set)
    _gone: set[str] = field(default_factory=set)
    _others_added: set[str] = field(default_factory=set)
    _others_gone: set[str] = field(default_factory=set)

    def compare(self, before: FolderListing, after: FolderListing, now: Moment) -> None:
        """Add how the files of a folder changed between two listings.

        Enters into ``after`` which notes the next look must report again, and since when a stamp in
        the future is known.
        """
        settled_ns = now.wall_ns - RACY_NS
        for path, stamp in after.notes.items():
            if (
                stamp.modified_at_ns <= settled_ns
                and stamp.changed_at_ns <= now.wall_ns
                and before.notes.get(path) == stamp
                and path not in before.recheck
                and path not in before.first_seen_ns
            ):
                continue  # unchanged and old, as most notes: a fast path
            is_known = before.notes.get(path) == stamp
            if max(stamp.modified_at_ns, stamp.changed_at_ns) > now.wall_ns:
                seen_ns = before.first_seen_ns.get(path) if is_known else None
                after.first_seen_ns[path] = now.steady_ns if seen_ns is None else seen_ns
            elif path in before.first_seen_ns:
                # The clock has reached this stamp: a write now leaves the same stamp again.
                is_known = False
            if not is_known or path in before.recheck:
                self._change(path)
            if file_age_ns(stamp.modified_at_ns, after.first_seen_ns.get(path), now) < RACY_NS:
                after.recheck.add(path)
        self.lose(before.notes.keys() - after.notes.keys())
        self._add_others(after.others - before.others)
        self.lose_others(before.others - after.others)

    def _change(self, note: str) -> None:
        self._changed.add(note)
        self._gone.discard(note)

    def lose(self, notes: Collection[str]) -> None:
        """Add notes that are gone."""
        self._gone.update(notes)
        self._changed.difference_update(notes)

    def _add_others(self, files: Collection[str]) -> None:
        self._others_added.update(files)
        self._others_gone.difference_update(files)

    def lose_others(self, files: Collection[str]) -> None:
        """Add files that are gone and were no indexed notes."""
        self._others_gone.update(files)
        self._others_added.difference_update(files)

    def difference(self) -> Difference:
        """Return all changes so far."""
        sides = (self._changed, self._gone, self._others_added, self._others_gone)
        return Difference(*(tuple(sorted(side)) for side in sides))


def file_age_ns(written_at_ns: int, first_seen_ns: int | None, now: Moment) -> int:
    """Return the time since a file was written.

    ``first_seen_ns``: the steady time at which its stamp was first seen, if it is in the future.
    """
    if first_seen_ns is not None:
        return now.steady_ns - first_seen_ns
    return max(0, now.wall_ns - written_at_ns)
