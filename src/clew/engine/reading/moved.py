"""Detect notes that may have been renamed: they must be applied together with the deletion.

A note may be renamed if it is gone while another with its inode or its content arrives. If one
batch has both, the note keeps its dates and vectors, and no revision has it twice or not at all.
"""

from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet

from clew.index.notes.facts import NoteFacts
from clew.values.vault import ReadNote


class MovedNotes:
    """Keeps back new notes that may be renamed ones, until the round ends."""

    def __init__(
        self, facts: Mapping[str, NoteFacts], gone: AbstractSet[str], leaving: Collection[str]
    ) -> None:
        """``facts``: of the indexed notes; the caller may add more paths to ``gone`` later.

        ``leaving``: the notes that were gone in earlier rounds and are not dropped yet.
        """
        self._facts = facts
        self._gone = gone
        self._known_gone: set[str] = set()
        self._inodes: set[int] = set()
        self._hashes: set[str] = set()
        self.add(leaving, facts)
        self.kept: list[ReadNote] = []

    def keep(self, reads: tuple[ReadNote, ...]) -> list[ReadNote]:
        """Keep back the notes of ``reads`` that may have been renamed; return the others."""
        self._look_for_more()
        kept = [read for read in reads if self.may_be_moved(read)]
        self.kept += kept
        paths = {read.note.path for read in kept}
        return [read for read in reads if read.note.path not in paths]

    def may_be_moved(self, read: ReadNote) -> bool:
        """Return whether a note may be one that is gone under its old name."""
        if not self._inodes or read.note.path in self._facts:
            return False
        return read.stamp.inode in self._inodes or read.note.content_hash in self._hashes

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
