"""An index of the notes that replace other notes, kept up to date note by note.

A note states its successors (``superseded_by``) or its predecessors (``supersedes``) by links. The
meaning of a link depends on the names of the whole vault. So each link depends on the keys of its
target, as in ``index.names``, and is resolved again when one of these keys changed.

Invariant: after any sequence of ``put`` and ``settle`` the index follows from the present notes and
names, whatever the order of edits.
"""

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet

from msgspec import Struct

from clew.index.structures import multimap
from clew.index.structures.columns import Column, Columns, named
from clew.index.structures.layered_map import LayeredMap
from clew.index.structures.stored_map import map_columns, pairs, read_map
from clew.values.packing import Unpacker, pack

KeysOfTarget = Callable[[str], Iterable[str]]
Resolve = Callable[[str], str | None]  # returns the path of the note that a target means


class Statement(Struct, frozen=True, array_like=True, gc=False):
    """The links by which one note states successors: their targets as written."""

    newer: tuple[str, ...]
    older: tuple[str, ...]


class Resolved(Struct, frozen=True, array_like=True, gc=False):
    """The paths to which a statement's links lead; ``broken``: targets that lead to no note."""

    newer: tuple[str, ...]
    older: tuple[str, ...]
    broken: tuple[str, ...]


_unpack_statement: Unpacker[Statement] = Unpacker(Statement)
_unpack_resolved: Unpacker[Resolved] = Unpacker(Resolved)


class SuccessorIndex:
    """The statements of all notes, and what follows from them."""

    def __init__(self) -> None:
        self._statements: LayeredMap[str, Statement] = LayeredMap()  # by path; of notes with one
        self._resolved: LayeredMap[str, Resolved] = LayeredMap()  # by path, of each statement
        self._holders: multimap.Multimap = LayeredMap()  # key of a target -> paths of notes
        self._sources: multimap.Multimap = LayeredMap()  # replaced note -> notes that state it
        self.known_circles: tuple[tuple[str, ...], ...] | None = None  # cache of ``circles``

    def copy(self) -> "SuccessorIndex":
        """Return an equal index, in constant time; later changes do not reach it."""
        other = SuccessorIndex()
        other._statements, other._resolved = self._statements.copy(), self._resolved.copy()
        other._holders, other._sources = self._holders.copy(), self._sources.copy()
        other.known_circles = self.known_circles
        return other

    # -- changes ------------------------------------------------------------------------------

    def put(self, path: str, statement: Statement | None, keys_of_target: KeysOfTarget) -> None:
        """Replace the statement of a note, ``None`` for none; call ``settle`` for it next."""
        before = self._statements.pop(path, None)
        if before is not None:
            for key in _keys(before, keys_of_target):
                multimap.discard(self._holders, key, path)
        self._forget(path)
        if statement is not None:
            self._statements[path] = statement
            for key in _keys(statement, keys_of_target):
                multimap.add(self._holders, key, path)

    def holders_of(self, keys: Iterable[str]) -> set[str]:
        """Return the notes with a target that depends on one of these keys."""
        if not self._holders:
            return set()
        return {path for key in keys for path in self._holders.get(key, ())}

    def settle(self, path: str, resolve: Resolve) -> None:
        """Resolve the statement of the note at ``path`` again, if it has one."""
        self._forget(path)
        statement = self._statements.get(path)
        if statement is None:
            return
        paths = {target: resolve(target) for target in (*statement.newer, *statement.older)}
        resolved = Resolved(
            newer=_distinct(paths[target] for target in statement.newer),
            older=_distinct(paths[target] for target in statement.older),
            broken=tuple(target for target, path_meant in paths.items() if path_meant is None),
        )
        self._resolved[path] = resolved
        for replaced in _replaced(path, resolved):
            multimap.add(self._sources, replaced, path)

    def _forget(self, path: str) -> None:
        resolved, self.known_circles = self._resolved.pop(path, None), None
        if resolved is not None:
            for replaced in _replaced(path, resolved):
                multimap.discard(self._sources, replaced, path)

    # -- reading ------------------------------------------------------------------------------

    @property
    def is_empty(self) -> bool:
        """Whether no note is replaced."""
        return not self._sources

    @property
    def replaced(self) -> AbstractSet[str]:
        """The paths of the notes that others replace."""
        return self._sources.keys()

    def is_replaced(self, path: str) -> bool:
        """Return whether the note at ``path`` is replaced, as it states itself or another note."""
        return path in self._sources

    def successors(self, path: str) -> set[str]:
        """Return the notes that replace the note at ``path``, by one step."""
        sources = self._sources.get(path, ())
        paths = {source for source in sources if path in self._resolved[source].older}
        return paths.union(self._resolved[path].newer) if path in sources else paths

    def broken(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each note with targets that lead to no note, and these targets."""
        return ((path, each.broken) for path, each in pairs(self._resolved) if each.broken)

    # -- storing ------------------------------------------------------------------------------

    def columns(self) -> Iterator[Column]:
        """Yield the index as columns, for ``read``."""
        yield from named("statements", map_columns(self._statements, pack))
        yield from named("resolved", map_columns(self._resolved, pack))
        yield from named("holders", multimap.columns(self._holders))
        yield from named("sources", multimap.columns(self._sources))

    @classmethod
    def read(cls, columns: Columns) -> "SuccessorIndex":
        """Return the index that ``columns`` wrote.

        Raises:
            ValueError, LookupError: there is none.
        """
        index = cls()
        index._statements = read_map(columns.of("statements"), _unpack_statement)
        index._resolved = read_map(columns.of("resolved"), _unpack_resolved)
        index._holders = multimap.read(columns.of("holders"))
        index._sources = multimap.read(columns.of("sources"))
        return index


def _keys(statement: Statement, keys_of_target: KeysOfTarget) -> set[str]:
    targets = (*statement.newer, *statement.older)
    return {key for target in targets for key in keys_of_target(target)}


def _distinct(paths: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(sorted({path for path in paths if path is not None}))


def _replaced(path: str, resolved: Resolved) -> set[str]:
    """Return the notes that are replaced according to the note at ``path``, perhaps itself."""
    return {*resolved.older, *((path,) if resolved.newer else ())}
