"""The names of one file by the scope that binds them. Depends on the file alone."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from clew.values.code.code_file import CLASSES, MODULE, Base, Binding, CodeFile, EntityKind, Import

Key = tuple[int, str]  # a scope, and a name in it


@dataclass(frozen=True, slots=True)
class FileNames:
    """The names that the scopes of a file bind."""

    file: CodeFile
    entities: Mapping[Key, int]  # the last one of a name counts, as at run time
    redefined: Mapping[Key, tuple[int, ...]]  # all entities of a name that has several
    apart: Mapping[str, tuple[int, ...]]  # methods of classes in other files, by qualified name
    imports: Mapping[Key, Import]
    stars: tuple[Import, ...]  # imports of all names of a module
    bindings: Mapping[Key, tuple[Binding, ...]]
    bases: Mapping[int, tuple[Base, ...]]

    def owner_apart(self, number: int) -> str | None:
        """Return the path of names of the class in another file that an entity is a method of."""
        entity = self.file.entities[number]
        if number not in self.apart.get(entity.qualified, ()):
            return None
        around = self.file.entities[entity.parent]
        before = f"{around.qualified}." if entity.parent != MODULE else ""
        return entity.qualified.removeprefix(before).removesuffix(f".{entity.name}")

    def binds(self, scope: int, name: str) -> bool:
        """Return whether ``scope``, or one around it, binds a name."""
        keys = [(around, name) for around in self.scopes_from(scope, with_classes=True)]
        tables = (self.entities, self.imports, self.bindings)
        return bool(self.stars) or any(key in names for key in keys for names in tables)

    def class_around(self, scope: int) -> int | None:
        """Return the innermost class around ``scope``."""
        entities = self.file.entities
        while scope >= 0 and entities[scope].kind not in CLASSES:
            scope = entities[scope].parent
        return scope if scope >= 0 else None

    def is_own(self, scope: int, name: str) -> bool:
        """Return whether ``name`` in ``scope`` means the class around it, or an instance of that.

        ``cls`` does where a method binds it and does not bind ``self``.
        """
        if name != "cls":
            return True
        for around in self.scopes_from(scope, with_classes=False):
            if (around, name) in self.bindings:
                is_method = self.file.entities[around].kind is EntityKind.METHOD
                return is_method and (around, "self") not in self.bindings
        return False

    def scopes_from(self, scope: int, *, with_classes: bool) -> list[int]:
        """Return the scopes where a bare name is looked up, the innermost first.

        Without ``with_classes``, a class is such a scope only for code directly in its body.
        """
        scopes, start = [], scope
        while scope >= 0:
            entity = self.file.entities[scope]
            if with_classes or scope == start or entity.kind not in CLASSES:
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
    numbers_by_key: dict[Key, list[int]] = defaultdict(list)
    apart: dict[str, list[int]] = defaultdict(list)
    for number, entity in enumerate(file.entities):
        if is_apart(file, number):
            apart[entity.qualified].append(number)
        elif is_bound(file, number):
            numbers_by_key[entity.parent, entity.name].append(number)
    return FileNames(
        file,
        {key: numbers[-1] for key, numbers in numbers_by_key.items()},
        {key: tuple(numbers) for key, numbers in numbers_by_key.items() if len(numbers) > 1},
        {name: tuple(numbers) for name, numbers in apart.items()},
        {(item.scope, bound_name(item)): item for item in file.imports if item.name != "*"},
        tuple(item for item in file.imports if item.name == "*"),
        {key: tuple(values) for key, values in bindings.items()},
        {key: tuple(values) for key, values in bases.items()},
    )


def is_apart(file: CodeFile, number: int) -> bool:
    """Return whether an entity is a method of a class that another file has."""
    entity = file.entities[number]
    if entity.kind is not EntityKind.METHOD:
        return False
    around = file.entities[entity.parent]
    before = f"{around.qualified}." if entity.parent != MODULE else ""
    return around.kind not in CLASSES and entity.qualified != f"{before}{entity.name}"


def is_bound(file: CodeFile, number: int) -> bool:
    """Return whether the scope around an entity binds its name; for a method, only a class does."""
    entity = file.entities[number]
    return entity.kind is not EntityKind.METHOD or file.entities[entity.parent].kind in CLASSES


def is_of_class(file: CodeFile, number: int) -> bool:
    """Return whether a method belongs to a class, perhaps in another file, and not to an object."""
    kind = file.entities[file.entities[number].parent].kind
    return is_apart(file, number) or (kind in CLASSES and kind is not EntityKind.OBJECT)


def bound_name(item: Import) -> str:
    """Return the name that an import binds: ``import a.b`` binds ``a``."""
    return item.alias.partition(".")[0]
