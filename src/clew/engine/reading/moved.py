"""Detect notes that may have been renamed: they must be applied together with the deletion.

A note may be renamed if it is gone while another with its inode or its content arrives. If one
batch has both, the note keeps its dates and vectors, and no revision has it twice or not at all.
"""

from collections.abc import Collection, Mapping
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
        self._add(leaving)
        self.kept: list[ReadNote] = []

    def keep(self, reads: tuple[ReadNote, ...]) -> list[ReadNote]:
        """Keep back the notes of ``reads`` that may have been renamed; return the others."""
        self._look_for_more()
        kept = [read for read in reads if self._may_be_moved(read)]
        self.kept += kept
        paths = {read.note.path for read in kept}
        return [read for read in reads if read.note.path not in paths]

    def _may_be_moved(self, read: ReadNote) -> bool:
        if not self._inodes or read.note.path in self._facts:
            return False
        return read.stamp.inode in self._inodes or read.note.content_hash in self._hashes

    def _look_for_more(self) -> None:
        if len(self._gone) > len(self._known_gone):
            self._add(self._gone - self._known_gone)
            self._known_gone |= self._gone

    def _add(self, paths: Collection[str]) -> None:
        for path in paths:
            if path in self._facts:
                self._inodes.add(self._facts[path].stamp.inode)
                self._hashes.add(self._facts[path].content_hash)
