"""The files of a vault by name: indexed notes, and other files to which links may lead."""

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet

from clew.index.same_named import SameNamed
from clew.index.structures import multimap
from clew.index.structures.columns import Column, Columns, named
from clew.index.structures.layered_map import LayeredMap
from clew.index.structures.stored_map import pairs

SORTED_MAX = 1_024  # names of several files whose files are kept sorted


class NamedFiles:
    """Paths by folded name: that of the file, without folders and ``.md``."""

    def __init__(self) -> None:
        self._notes: multimap.Multimap = LayeredMap()
        self._others: multimap.Multimap = LayeredMap()  # files that are not indexed notes
        self._sorted: dict[str, SameNamed] = {}  # of names of several files

    def copy(self) -> "NamedFiles":
        """Return equal files, in constant time; later changes do not reach them."""
        other = NamedFiles()
        other._notes, other._others = self._notes.copy(), self._others.copy()
        other._sorted = self._sorted.copy()
        return other

    # -- changes ------------------------------------------------------------------------------

    def put_note(self, name: str, path: str) -> None:
        """Add an indexed note."""
        self._change(multimap.add, self._notes, name, path)

    def drop_note(self, name: str, path: str) -> None:
        """Remove an indexed note."""
        self._change(multimap.discard, self._notes, name, path)

    def put_other(self, name: str, path: str) -> None:
        """Add a file that is not an indexed note."""
        self._change(multimap.add, self._others, name, path)

    def drop_other(self, name: str, path: str) -> None:
        """Remove a file that is not an indexed note."""
        self._change(multimap.discard, self._others, name, path)

    def _change(
        self,
        change: Callable[[multimap.Multimap, str, str], None],
        files: multimap.Multimap,
        name: str,
        path: str,
    ) -> None:
        change(files, name, path)
        self._sorted.pop(name, None)

    # -- reading ------------------------------------------------------------------------------

    def called(self, name: str) -> SameNamed:
        """Return the files with a name."""
        same = self._sorted.get(name)
        if same is None:
            same = SameNamed({*self._notes.get(name, ()), *self._others.get(name, ())})
            if self.are_several(name):
                if len(self._sorted) >= SORTED_MAX:
                    self._sorted.clear()
                self._sorted[name] = same
        return same

    def are_several(self, name: str) -> bool:
        """Return whether several files have a name."""
        return len(self._notes.get(name, ())) + len(self._others.get(name, ())) > 1

    def notes_called(self, name: str) -> AbstractSet[str]:
        """Return the indexed notes with a name."""
        return self._notes.get(name, frozenset())

    def shared_names(self) -> Iterator[AbstractSet[str]]:
        """Yield, for each name that several indexed notes have, these notes."""
        return (paths for _, paths in pairs(self._notes) if len(paths) > 1)

    def others(self) -> set[str]:
        """Return the paths of all files that are not indexed notes."""
        return {path for paths in self._others.values() for path in paths}

    def has_other(self, name: str, path: str) -> bool:
        """Return whether there is a file at ``path`` that is not an indexed note."""
        return path in self._others.get(name, ())

    # -- storing ------------------------------------------------------------------------------

    def columns(self) -> Iterator[Column]:
        """Yield the files as columns, for ``read``."""
        yield from named("notes", multimap.columns(self._notes))
        yield from named("others", multimap.columns(self._others))

    @classmethod
    def read(cls, columns: Columns) -> "NamedFiles":
        """Return the files that ``columns`` wrote.

        Raises:
            ValueError, LookupError: there are none.
        """
        files = cls()
        files._notes = multimap.read(columns.of("notes"))
        files._others = multimap.read(columns.of("others"))
        return files
