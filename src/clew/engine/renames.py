"""Renames of notes that were seen, so that a reference to an old path can be followed.

A rename is a note that disappears while another with the same content appears, in one batch. The
history is in memory only, and bounded; the index does not depend on it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from clew.index.notes.facts import NoteFacts
from clew.index.structures.layered_map import LayeredMap
from clew.values.vault import ReadNote

RENAMES_MAX = 20_000


class Renames:
    """The present path of each renamed note, by each of its former paths."""

    def __init__(self) -> None:
        self.by_path: LayeredMap[str, str] = LayeredMap()
        self._earlier_paths: dict[str, dict[str, None]] = {}  # by the present path of a note
        self._oldest_first: dict[str, None] = {}

    def follow(self, dropped: Iterable[str], renamed: Sequence[tuple[str, str]]) -> None:
        """Record renames (old path, new path); forget the history of other ``dropped`` notes."""
        left = {old: self._earlier_paths.pop(old, {}) for old in dropped}
        for old, new in renamed:
            for path in (*left.pop(old, {}), old):
                self._set(path, new)
        for paths in left.values():  # of notes that are gone
            for path in paths:
                self._forget(path)

    def continue_with(self, later: Mapping[str, str]) -> None:
        """Add the history of ``later``, whose renames may be known already in part.

        Following a chain of renames twice would lead astray: after a swap, to the other note.
        """
        chained = [
            (path, new)
            for left, new in later.items()
            for path in self._earlier_paths.get(left, ())
            if path not in later
        ]
        for path, new in (*chained, *later.items()):
            self._set(path, new)

    def _set(self, path: str, new: str) -> None:
        self._forget(path)
        if path != new:
            self.by_path[path] = new
            self._oldest_first[path] = None
            self._earlier_paths.setdefault(new, {})[path] = None
        if len(self._oldest_first) > RENAMES_MAX:
            self._forget(next(iter(self._oldest_first)))

    def _forget(self, path: str) -> None:
        new = self.by_path.pop(path, None)
        self._oldest_first.pop(path, None)
        if new is not None:
            self._earlier_paths.get(new, {}).pop(path, None)


def renames_in(
    dropped: Iterable[str],
    put: Iterable[tuple[str, str]],
    facts: Mapping[str, NoteFacts],
    entries: Mapping[str, ReadNote],
) -> list[tuple[str, str]]:
    """Return the old and the new path of each renamed note.

    ``put``: paths and content hashes of notes that a batch puts; ``facts`` and ``entries``: all
    notes before it. Of several new notes with the same content, the one with the same file name is
    chosen, else the first by path. Notes without text are left out: they all look the same.
    """
    paths_by_hash = defaultdict[str, list[str]](list)
    for path, content_hash in put:
        if content_hash and path not in facts:
            paths_by_hash[content_hash].append(path)
    renamed: list[tuple[str, str]] = []
    for old in sorted(dropped) if paths_by_hash else ():
        new_paths = paths_by_hash.get(facts[old].content_hash) if old in facts else None
        if new_paths and entries[old].note.text.strip():
            name = old.rpartition("/")[2]
            renamed.append((old, min(new_paths, key=lambda p: (p.rpartition("/")[2] != name, p))))
    return renamed
