"""Renames of notes that were seen, so that a reference to an old path can be followed.

A rename is a note that disappears while another with the same content appears, in one batch. The
history is in memory only, and bounded; the index does not depend on it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from clew.index.facts import NoteFacts
from clew.index.structures.layered_map import LayeredMap
from clew.values.vault import ReadNote

RENAMES_MAX = 20_000
STEPS_MAX = 100  # of one note, one after the other


class Renames:
    """The path that each renamed note got, by the path that it had."""

    def __init__(self) -> None:
        self.by_path: LayeredMap[str, str] = LayeredMap()
        self._oldest_first: dict[str, None] = {}

    def add(self, renames: Iterable[tuple[str, str]]) -> None:
        """Record renames: the old and the new path of each."""
        for old, new in renames:
            for path in (new, old):  # so no path leads back to itself
                if self._oldest_first.pop(path, old) is None:
                    del self.by_path[path]
            self.by_path[old] = new
            self._oldest_first[old] = None
        while len(self._oldest_first) > RENAMES_MAX:
            oldest = next(iter(self._oldest_first))
            del self._oldest_first[oldest], self.by_path[oldest]


def latest_path(by_path: Mapping[str, str], path: str) -> str | None:
    """Return where the note that was at ``path`` is now; ``None`` if it was not renamed."""
    latest = by_path.get(path)
    for _ in range(STEPS_MAX):
        if latest is None or latest not in by_path:
            break
        latest = by_path[latest]
    return latest


def renames_in(
    dropped: Iterable[str],
    put: Iterable[tuple[str, str]],
    facts: Mapping[str, NoteFacts],
    entries: Mapping[str, ReadNote],
) -> list[tuple[str, str]]:
    """Return the old and the new path of each renamed note.

    ``put`` are the paths and content hashes of the notes that came; ``facts`` and ``entries`` are
    those before. If several notes with the same content came, the one with the same name is meant,
    else the first by path. Notes without text are left out: they all look the same.
    """
    paths_by_hash = defaultdict[str, list[str]](list)
    for path, content_hash in put:
        if content_hash and path not in facts:
            paths_by_hash[content_hash].append(path)
    found: list[tuple[str, str]] = []
    for old in sorted(dropped) if paths_by_hash else ():
        new_paths = paths_by_hash.get(facts[old].content_hash) if old in facts else None
        if new_paths and entries[old].note.text.strip():
            name = old.rpartition("/")[2]
            found.append((old, min(new_paths, key=lambda p: (p.rpartition("/")[2] != name, p))))
    return found
