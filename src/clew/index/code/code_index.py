"""The code of a project, kept file by file; edges are resolved when asked for.

Only what each file says is kept, with maps from names to the files that have them. So removing a
file removes its edges, and those that lead to it, exactly.

Invariant: after any ``put`` and ``drop`` all answers equal those of an index of the same files.
"""

from clew.index.code.file_names import FileNames, file_names
from clew.index.code.module_paths import ModulePaths, module_key
from clew.index.code.name_map import NameMap
from clew.values.code.code_file import CodeFile, Entity, EntityKind

NAMES_MAX = 64  # that one entity has through imports and assignments

Ref = tuple[str, int]  # an entity: the path of its file, and its index there


class CodeIndex:
    """Files of code by path, and by the names in them."""

    def __init__(self) -> None:
        self.files: dict[str, CodeFile] = {}
        self._names: dict[str, FileNames] = {}  # of the files that were asked for
        self._paths_by_module = NameMap()
        self._paths_by_entity = NameMap()
        self._paths_by_method = NameMap()
        self._paths_by_call = NameMap()
        self._paths_by_base = NameMap()
        self._paths_by_renamed = NameMap()
        self.modules = ModulePaths(self.files, self._paths_by_module)

    def put(self, file: CodeFile) -> None:
        """Add ``file``, in place of the one at its path."""
        self.drop(file.path)
        self.files[file.path] = file
        for names, key in self._keys(file):
            names.add(key, file.path)

    def drop(self, path: str) -> None:
        """Remove the file at ``path``, if there is one."""
        file = self.files.pop(path, None)
        self._names.pop(path, None)
        if file is not None:
            for names, key in self._keys(file):
                names.discard(key, path)

    def names(self, path: str) -> FileNames:
        """Return the names of the file at ``path`` by scope."""
        names = self._names.get(path)
        if names is None:
            names = self._names[path] = file_names(self.files[path])
        return names

    def entity(self, ref: Ref) -> Entity:
        """Return the entity that ``ref`` stands for."""
        return self.files[ref[0]].entities[ref[1]]

    def named(self, name: str) -> list[Ref]:
        """Return the entities with this name or qualified name, in the order of paths and lines."""
        last = name.rpartition(".")[2]
        return [
            (path, index)
            for path in sorted(self._paths_by_entity.get(last))
            for index, entity in enumerate(self.files[path].entities)
            if name in (entity.name, entity.qualified)
        ]

    def only_method(self, name: str) -> Ref | None:
        """Return the method of this name if one class of the project has it, else ``None``."""
        paths = self._paths_by_method.get(name)
        if len(paths) != 1:
            return None
        (path,) = paths
        refs = [
            (path, index)
            for index, entity in enumerate(self.files[path].entities)
            if entity.kind is EntityKind.METHOD and entity.name == name
        ]
        return refs[0] if len(refs) == 1 else None

    def paths_with_call(self, name: str) -> list[str]:
        """Return the files with a call of this name, sorted."""
        return sorted(self._paths_by_call.get(name))

    def paths_with_base(self, name: str) -> list[str]:
        """Return the files with a class or interface that extends something of this name."""
        return sorted(self._paths_by_base.get(name))

    def names_of(self, name: str) -> list[str]:
        """Return all names that what is called ``name`` may have: by imports and assignments."""
        names = [name]
        for each in names:
            for path in sorted(self._paths_by_renamed.get(each)):
                for old, new in sorted(renamed(self.files[path])):
                    if old == each and new not in names and len(names) < NAMES_MAX:
                        names.append(new)
        return names

    def _keys(self, file: CodeFile) -> set[tuple[NameMap, str]]:
        return {
            (self._paths_by_module, module_key(file.path)),
            *((self._paths_by_entity, entity.name) for entity in file.entities),
            *(
                (self._paths_by_method, entity.name)
                for entity in file.entities
                if entity.kind is EntityKind.METHOD
            ),
            *((self._paths_by_call, call.name) for call in file.calls),
            *((self._paths_by_base, base.name.rpartition(".")[2]) for base in file.bases),
            *((self._paths_by_renamed, old) for old, _ in renamed(file)),
        }


def renamed(file: CodeFile) -> set[tuple[str, str]]:
    """Return the old and the new names of what ``file`` gives another name."""
    pairs = {(item.name, item.alias) for item in file.imports}
    for binding in file.bindings:
        if binding.value and not binding.value.endswith(")"):
            pairs.add((binding.value.rpartition(".")[2], binding.name))
    return {(old, new) for old, new in pairs if old != new}
