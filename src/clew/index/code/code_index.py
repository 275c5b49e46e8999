"""The code of a vault, kept file by file; edges are resolved when asked for.

Only the facts of each file are kept, with maps from names to the files that have them. So removing
a file removes its edges, and those that lead to it, exactly. A fenced block of a note is a file
with a path of its own (``block_path``), which no import names.

Invariant: after any ``put`` and ``drop`` all answers equal those of an index of the same files.
"""

from collections.abc import Iterator, Sequence
from itertools import compress, count

from clew.index.code.families import family_of
from clew.index.code.file_names import FileNames, file_names, is_apart, is_of_class
from clew.index.code.module_paths import ModulePaths, module_key
from clew.index.code.renaming import last_name, name_to_follow, renamed
from clew.index.structures import multimap
from clew.index.structures.columns import Column, Columns, named
from clew.index.structures.layered_map import LayeredMap
from clew.index.structures.lru import LruCache
from clew.index.structures.records import Records
from clew.index.structures.stored_map import StoredMap, map_columns, read_map
from clew.index.structures.string_table import StringTable
from clew.values.code.code_file import (
    CodeFile,
    Entity,
    EntityKind,
    block_path,
    note_of,
    without_declarations,
)
from clew.values.note import Problem
from clew.values.packing import Unpacker, pack
from clew.values.vault import ReadCode, Stamp

NAMES_MAX = 64  # names of one entity that are followed, through imports and assignments
PATHS_WITH_METHOD_MAX = 64  # a method name that more files have is never taken as unique
FILE_CACHE_BYTES = 4 * 1024 * 1024  # records of files that are kept decoded
NAMES_CACHED = 100_000  # names in the cached tables of files, in all
INCLUDES_CACHED = 100_000  # cached paths that files include, in all

Ref = tuple[str, int]  # an entity: the path of its file, and its index there
_Key = tuple[str, str]  # the kind of a name, a key of ``_KINDS``, and the name

# Files are looked up by the names of: the module, its entities, its methods, what it calls, what
# its classes extend, what it gives another name, its methods of classes in other files
# (``Store.open``), and what it hands over.
_KINDS = ("module", "entity", "method", "call", "base", "renamed", "apart", "passed")
_unpack_file: Unpacker[CodeFile] = Unpacker(CodeFile)
_unpack_stamp: Unpacker[Stamp] = Unpacker(Stamp)
_unpack_problem: Unpacker[Problem] = Unpacker(Problem)


class CodeIndex:
    """Files of code by path, and by the names in them."""

    def __init__(self) -> None:
        self.files: LayeredMap[str, CodeFile] = LayeredMap()
        self.stamps: LayeredMap[str, Stamp] = LayeredMap()  # of files below roots, parsed or not
        self.problems: LayeredMap[str, Problem] = LayeredMap()  # of such files
        self._paths: dict[str, multimap.Multimap] = {kind: LayeredMap() for kind in _KINDS}
        # Copies share this cache; an entry counts only for the same file object.
        self._names: LruCache[str, FileNames] = LruCache(NAMES_CACHED, _name_count)
        # By path: the files that a file of C includes. Any change of the index empties this cache.
        self.included: LruCache[str, tuple[str, ...]] = LruCache(INCLUDES_CACHED, _include_count)

    def copy(self) -> "CodeIndex":
        """Return an equal index, in constant time; later changes do not reach it."""
        other = CodeIndex()
        other.files = self.files.copy()
        other.stamps, other.problems = self.stamps.copy(), self.problems.copy()
        other._paths = {kind: paths.copy() for kind, paths in self._paths.items()}
        other._names = self._names
        return other

    # -- changes ------------------------------------------------------------------------------

    def put(self, file: CodeFile) -> None:
        """Add ``file``, in place of the one at its path."""
        before = self.files.get(file.path)
        self.files[file.path] = file
        self._forget_includes()
        old, new = set() if before is None else _keys(before), _keys(file)
        for kind, name in old - new:
            multimap.discard(self._paths[kind], name, file.path)
        for kind, name in new - old:
            multimap.add(self._paths[kind], name, file.path)

    def drop(self, path: str) -> None:
        """Remove the file at ``path``, if there is one."""
        file = self.files.pop(path, None)
        if file is not None:
            self._forget_includes()
            for kind, name in _keys(file):
                multimap.discard(self._paths[kind], name, path)

    def put_read(self, read: ReadCode) -> None:
        """Add a file below a root as it was read, in place of the one at its path.

        A file that cannot be read now is kept as it was.
        """
        if read.problem is not None:
            self.problems[read.path] = read.problem
        else:
            self.problems.pop(read.path, None)
        if read.stamp is None:
            return
        self.stamps[read.path] = read.stamp
        if read.file is not None:
            self.put(read.file)
        else:
            self.drop(read.path)

    def drop_read(self, path: str) -> None:
        """Remove a file below a root."""
        self.stamps.pop(path, None)
        self.problems.pop(path, None)
        self.drop(path)

    def put_note(self, note: str, blocks: Sequence[CodeFile]) -> None:
        """Replace the code of a note by these blocks, the first of which is block 1."""
        for block in blocks:
            self.put(block)
        self._drop_blocks(note, len(blocks) + 1)

    def drop_note(self, note: str) -> None:
        """Remove the code of a note, if it has some."""
        self._drop_blocks(note, 1)

    def _drop_blocks(self, note: str, first: int) -> None:
        if not self.files:
            return
        for number in count(first):
            path = block_path(note, number)
            if path not in self.files:
                break
            self.drop(path)

    def _forget_includes(self) -> None:
        if self.included:
            self.included = LruCache(INCLUDES_CACHED, _include_count)

    # -- reading ------------------------------------------------------------------------------

    def blocks_of(self, note: str) -> tuple[CodeFile, ...]:
        """Return the code of a note, in the order of its text."""
        return tuple(self.files[path] for path in self.block_paths(note))

    def block_paths(self, note: str) -> Iterator[str]:
        """Yield the paths of a note's blocks, in the order of its text."""
        for number in count(1) if self.files else ():
            path = block_path(note, number)
            if path not in self.files:
                return
            yield path

    def names(self, path: str) -> FileNames:
        """Return the names of the file at ``path`` by scope."""
        file, names = self.files[path], self._names.get(path)
        if names is None or names.file is not file:
            names = file_names(file)
            self._names.put(path, names)
        return names

    @property
    def modules(self) -> ModulePaths:
        """The files by the names of their modules."""
        return ModulePaths(self.files, self._paths["module"])

    def entity(self, ref: Ref) -> Entity:
        """Return the entity that ``ref`` stands for."""
        return self.files[ref[0]].entities[ref[1]]

    def named(self, name: str) -> list[Ref]:
        """Return the entities with this name or qualified name, in the order of paths and lines."""
        last = name.rpartition(".")[2]
        return [ref for path in self._paths_of("entity", last) for ref in self.named_in(path, name)]

    def named_in(self, path: str, name: str) -> list[Ref]:
        """Return the entities of one file with this name or qualified name."""
        return [
            (path, index)
            for index, entity in enumerate(self.files[path].entities)
            if name in (entity.name, entity.qualified) and not _is_block(path, entity)
        ]

    def paths_with_entities(self, names: Sequence[str]) -> list[str]:
        """Return the files that have entities of all these names, sorted.

        A file with a method of a class in another file counts as if it had the class.
        """
        path_sets = [self._paths["entity"].get(name, set()) for name in names]
        paths = set.intersection(*path_sets) if path_sets else set()
        if len(names) > 1:
            paths |= self._paths["apart"].get(".".join(names[-2:]), set())
        return sorted(paths)

    def paths_with(self, name: str, count_max: int) -> set[str]:
        """Return the files that have entities of this name; none if there are very many."""
        paths = self._paths["entity"].get(name, set())
        return paths if len(paths) <= count_max else set()

    def paths_with_method_of(self, owner: str, name: str) -> list[str]:
        """Return the files that have a method of a class in another file, sorted."""
        return self._paths_of("apart", f"{owner}.{name}")

    def has_entity(self, name: str) -> bool:
        """Return whether an entity has this name."""
        return name in self._paths["entity"]

    @property
    def name_count(self) -> int:
        """The number of distinct names of entities."""
        return len(self._paths["entity"])

    def entity_names(self) -> Iterator[str]:
        """Yield the names of all entities, in no order."""
        return iter(self._paths["entity"])

    def only_method(self, name: str, path: str) -> Ref | None:
        """Return the method of this name if the surroundings of ``path`` have only one.

        The surroundings of a file are all files of code, since notes only quote them. Those of a
        block are the blocks of its note, or else the files of code, or else all other notes.
        """
        paths = self._paths["method"].get(name, ())
        if not 0 < len(paths) <= PATHS_WITH_METHOD_MAX:
            return None
        note, family = note_of(path), family_of(self.files[path])
        by_distance: tuple[list[str], list[str], list[str]] = [], [], []
        for each in paths:
            other = note_of(each)
            by_distance[1 if other is None else 0 if other == note else 2].append(each)
        nearest = next(filter(None, by_distance)) if note else by_distance[1]
        refs = [
            (each, index)
            for each in nearest
            for index, entity in enumerate(self.files[each].entities)
            if entity.kind is EntityKind.METHOD
            and entity.name == name
            and family_of(self.files[each]) is family
            and is_of_class(self.files[each], index)
        ]
        are_kept = without_declarations([self.entity(ref) for ref in refs])
        kept = list(compress(refs, are_kept))
        return kept[0] if len(kept) == 1 else None

    def call_file_count(self, name: str) -> int:
        """Return how many files have a call of this name."""
        return len(self._paths["call"].get(name, ()))

    def paths_with_call(self, name: str) -> list[str]:
        """Return the files with a call of this name, sorted."""
        return self._paths_of("call", name)

    def paths_with_passed(self, name: str) -> list[str]:
        """Return the files that hand over something of this name, sorted."""
        return self._paths_of("passed", name)

    def paths_with_base(self, name: str) -> list[str]:
        """Return the files with a class or interface that extends something of this name."""
        return self._paths_of("base", name)

    def names_of(self, ref: Ref) -> list[str]:
        """Return all names that an entity may have: by imports, exports and assignments."""
        name = self.entity(ref).name
        names = list(dict.fromkeys((name, name_to_follow(self.files[ref[0]], name))))
        for each in names:
            for path in self._paths_of("renamed", each):
                for old, new in sorted(renamed(self.files[path])):
                    if old == each and new not in names and len(names) < NAMES_MAX:
                        names.append(new)
        return names

    def _paths_of(self, kind: str, name: str) -> list[str]:
        return sorted(self._paths[kind].get(name, ()))

    # -- storing ------------------------------------------------------------------------------

    def columns(self) -> Iterator[Column]:
        """Yield the index as columns, for ``read``."""
        yield from named("files", map_columns(self.files, pack))
        yield from named("stamps", map_columns(self.stamps, pack))
        yield from named("problems", map_columns(self.problems, pack))
        for kind, paths in self._paths.items():
            yield from named(kind, multimap.columns(paths))

    @classmethod
    def read(cls, columns: Columns) -> "CodeIndex":
        """Return the index that ``columns`` wrote.

        Raises:
            ValueError, LookupError: the columns hold no such index.
        """
        index = cls()
        files = columns.of("files")
        keys, values = StringTable(files.of("keys")), Records(files.of("values"))
        index.files = LayeredMap(StoredMap(keys, values, _unpack_file, FILE_CACHE_BYTES))
        index.stamps = read_map(columns.of("stamps"), _unpack_stamp)
        index.problems = read_map(columns.of("problems"), _unpack_problem)
        index._paths = {kind: multimap.read(columns.of(kind)) for kind in _KINDS}
        return index


def _keys(file: CodeFile) -> set[_Key]:
    """Return the names by which a file is looked up."""
    keys = {("entity", each.name) for each in file.entities if not _is_block(file.path, each)}
    keys |= {("method", each.name) for each in file.entities if each.kind is EntityKind.METHOD}
    keys |= {
        ("apart", ".".join(each.qualified.split(".")[-2:]))
        for number, each in enumerate(file.entities)
        if is_apart(file, number)
    }
    keys |= {("call", call.name) for call in file.calls}
    keys |= {("base", last_name(base.name)) for base in file.bases}
    keys |= {("passed", last_name(each.path)) for each in file.passed}
    keys |= {("renamed", old) for old, _ in renamed(file)}
    if note_of(file.path) is None:
        keys.add(("module", module_key(file.path)))
    return keys


def _is_block(path: str, entity: Entity) -> bool:
    """Return whether an entity stands for a whole block of a note, which has no name."""
    return entity.kind is EntityKind.MODULE and note_of(path) is not None


def _include_count(paths: tuple[str, ...]) -> int:
    return 1 + len(paths)


def _name_count(names: FileNames) -> int:
    file = names.file
    return 1 + len(file.entities) + len(file.imports) + len(file.bindings) + len(file.bases)
