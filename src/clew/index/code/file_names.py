"""The names of one file by the scope that binds them. Follows from the file alone."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from clew.values.code.code_file import Base, Binding, CodeFile, EntityKind, Import

CLASSES = frozenset((EntityKind.CLASS, EntityKind.INTERFACE, EntityKind.TYPE))

Key = tuple[int, str]  # a scope, and a name in it


@dataclass(frozen=True, slots=True)
class FileNames:
    """What each scope of a file binds."""

    file: CodeFile
    entities: Mapping[Key, int]  # the last one of a name counts, as at run time
    imports: Mapping[Key, Import]
    stars: tuple[Import, ...]
    bindings: Mapping[Key, tuple[Binding, ...]]
    bases: Mapping[int, tuple[Base, ...]]

    def class_around(self, scope: int) -> int | None:
        """Return the innermost class around ``scope``."""
        entities = self.file.entities
        while scope >= 0 and entities[scope].kind not in CLASSES:
            scope = entities[scope].parent
        return scope if scope >= 0 else None

    def scopes_from(self, scope: int) -> list[int]:
        """Return the scopes where a bare name is looked up, the innermost first.

        A class is one only for the code right in its body.
        """
        scopes, start = [], scope
        while scope >= 0:
            entity = self.file.entities[scope]
            if scope == start or entity.kind not in CLASSES:
                scopes.append(scope)
            scope = entity.parent
        return scopes


def file_names(file: CodeFile) -> FileNames:
    """Return the names that the scopes of ``file`` bind."""
    bindings: dict[Key, list[Binding]] = defaultdict(list)
    for binding in file.bindings:
        bindings[binding.scope, binding.name].append(binding)
    bases: dict[int, list[Base]] = defaultdict(list)
    for base in file.bases:
        bases[base.entity].append(base)
    return FileNames(
        file,
        {(entity.parent, entity.name): index for index, entity in enumerate(file.entities)},
        {(item.scope, bound_name(item)): item for item in file.imports if item.name != "*"},
        tuple(item for item in file.imports if item.name == "*"),
        {key: tuple(values) for key, values in bindings.items()},
        {key: tuple(values) for key, values in bases.items()},
    )


def bound_name(item: Import) -> str:
    """Return the name that an import binds: ``import a.b`` binds ``a``."""
    return item.alias.partition(".")[0]
