"""Detect notes that may have been renamed: they must be applied together with the deletion.

A note may be renamed if it is gone while another with its inode or its content arrives. If one
batch has both, the note keeps its dates and vectors, and no revision has it twice or not at all.

A look may see the new name and not yet that the old one is gone: its folder was listed before, or
its hint comes later. So if a file that arrives is older than its name, and another note has had its
inode, that note's path is checked at once.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from itertools import chain

from clew.index.notes.facts import NoteFacts
from clew.values.vault import ReadNote, Stamp
from clew.vault.scan import is_gone
from clew.vault.view import VaultView

# A file whose content is older than its last change of name or owner by more may be a renamed one.
RENAMED_NS = 1_000_000_000


class MovedNotes:
    """Keeps back new notes that may be renamed ones, until the round ends."""

    def __init__(
        self,
        facts: Mapping[str, NoteFacts],
        gone: set[str],
        leaving: Collection[str],
        view: VaultView | None = None,
    ) -> None:
        """``facts``: of the indexed notes; both this and the caller may add paths to ``gone``.

        ``leaving``: the notes that were gone in earlier rounds and are not dropped yet. ``view``:
        ``None`` if no other note may be gone without being known to be.
        """
        self._facts = facts
        self._gone = gone
        self._view = view
        self._paths_by_inode = defaultdict[int, list[str]](list)  # empty until it is needed
        self._known_gone: set[str] = set()
        self._inodes: set[int] = set()
        self._hashes: set[str] = set()
        self.add(leaving, facts)
        self.kept: list[ReadNote] = []

    def keep(self, reads: tuple[ReadNote, ...]) -> list[ReadNote]:
        """Keep back the notes of ``reads`` that may have been renamed; return the others."""
        self._look_for_more()
        self._find_left_by(reads)
        kept = [read for read in reads if self.may_be_moved(read)]
        self.kept += kept
        paths = {read.note.path for read in kept}
        return [read for read in reads if read.note.path not in paths]

    def may_be_moved(self, read: ReadNote) -> bool:
        """Return whether a note may be one that is gone under its old name."""
        if not self._inodes or read.note.path in self._facts:
            return False
        return read.stamp.inode in self._inodes or read.note.content_hash in self._hashes

    def _find_left_by(self, reads: tuple[ReadNote, ...]) -> None:
        """Add the indexed notes that are gone and had the inode of a new note of ``reads``."""
        inodes = {
            read.stamp.inode
            for read in reads
            if is_older_than_its_name(read.stamp) and read.note.path not in self._facts
        } - self._inodes
        view = self._view
        if view is None or not inodes:
            return
        if not self._paths_by_inode:
            for listing in view.listings.values():
                for path, stamp in listing.notes.items():
                    self._paths_by_inode[stamp.inode].append(path)
        had_inode = chain.from_iterable(self._paths_by_inode.get(inode, ()) for inode in inodes)
        paths = [path for path in had_inode if path in self._facts]
        gone = {path for path in paths if is_gone(view.root, path, view.rules)}
        self._gone |= gone
        view.recheck(*gone)  # they may return with the old stamps
        self._look_for_more()

    def _look_for_more(self) -> None:
        if len(self._gone) > len(self._known_gone):
            self.add(self._gone - self._known_gone, self._facts)
            self._known_gone |= self._gone

    def add(self, gone: Iterable[str], facts: Mapping[str, NoteFacts]) -> None:
        """Add notes that are gone; ``facts``: of the notes that are indexed now."""
        for path in gone:
            if path in facts:
                self._inodes.add(facts[path].stamp.inode)
                self._hashes.add(facts[path].content_hash)


def is_older_than_its_name(stamp: Stamp) -> bool:
    """Return whether a file was renamed, or given to someone, a while after it was written."""
    return stamp.changed_at_ns - stamp.modified_at_ns > RENAMED_NS
