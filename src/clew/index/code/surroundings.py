"""Find names outside of a file that are not imported by name: in its folder, or its includes."""

import posixpath
from collections.abc import Iterator

from clew.index.code.code_index import CodeIndex, Ref
from clew.index.code.families import GO, JAVA, RUST, C, Family, family_of
from clew.index.code.file_names import FileNames
from clew.index.code.value import OUTSIDE, Value, defined, only
from clew.values.code.code_file import CLASSES, EXTERNAL, MODULE, NAMESPACE, EntityKind, note_of

INCLUDED_MAX = 200  # files that one file includes, directly and through others
FOLDER_FILES_MAX = 5_000  # files with a name; with more, it is not looked for in a folder
DEFINERS_MAX = 64  # files with a name of a function of C; with more, it is not resolved


def in_folder(
    index: CodeIndex, path: str, name: str, family: Family, *, outside: bool
) -> list[Ref]:
    """Return what the other files in the folder of ``path`` define as ``name``.

    ``outside``: whether an import of the package asks, so that only exported names count.
    """
    if note_of(path) is not None or (outside and not name[:1].isupper()):
        return []
    folder = posixpath.dirname(path)
    paths = index.paths_with(name, FOLDER_FILES_MAX)
    return [
        ref
        for other in paths
        if posixpath.dirname(other) == folder and other != path and note_of(other) is None
        if family_of(index.files[other]) is family
        if not (outside and other.endswith("_test.go"))
        for ref in _defined(index, other, name)
        if family is GO or index.entity(ref).kind in CLASSES
    ]


def _defined(index: CodeIndex, path: str, name: str) -> list[Ref]:
    names = index.names(path)
    key = MODULE, name
    return [(path, names.entities[key])] if key in names.entities else []


def included(index: CodeIndex, path: str) -> tuple[str, ...]:
    """Return the files that a file of C or C++ includes, directly and through others."""
    cached = index.included.get(path)
    if cached is None:
        cached = tuple(_included(index, path))
        index.included.put(path, cached)
    return cached


def _included(index: CodeIndex, path: str) -> Iterator[str]:
    waiting, seen = [path], {path}
    while waiting and len(seen) <= INCLUDED_MAX:
        including = waiting.pop(0)
        for item in index.files[including].imports:
            file = index.modules.find(including, item.module, C)
            if file is not None and file not in seen:
                seen.add(file)
                waiting.append(file)
                yield file


def in_included(index: CodeIndex, names: FileNames, name: str, *, is_call: bool) -> list[Ref]:
    """Return what the files that a file includes define as ``name``.

    If they only declare a function, its definitions in other files are returned.
    """
    path = names.file.path
    defining = index.paths_with(name, FOLDER_FILES_MAX)
    if not defining:
        return []
    files = included(index, path)
    defining_includes = [other for other in files if other in defining]
    refs = [ref for other in defining_includes for ref in _defined(index, other, name)]
    if refs or not is_call:
        return refs
    key = MODULE, name
    if any(_declares(index.names(other), key) for other in (path, *files)):
        return _external(index, defining, name)
    return []


def _declares(names: FileNames, key: tuple[int, str]) -> bool:
    return any(binding.type == EXTERNAL for binding in names.bindings.get(key, ()))


def _external(index: CodeIndex, defining: set[str], name: str) -> list[Ref]:
    """Return the functions of this name that any file may call, since they are not static."""
    if len(defining) > DEFINERS_MAX:
        return []
    refs = [
        ref
        for path in sorted(defining)
        if note_of(path) is None and family_of(index.files[path]) is C
        for ref in _defined(index, path, name)
    ]
    return [
        ref
        for ref in refs
        if index.entity(ref).kind is EntityKind.FUNCTION
        and "static" not in index.entity(ref).decorators
    ]


def around_file(index: CodeIndex, names: FileNames, name: str, *, is_call: bool) -> Value | None:
    """Return what a name means outside of the file without being imported by name."""
    path, family = names.file.path, family_of(names.file)
    if family.shares_folders:
        return only(in_folder(index, path, name, family, outside=False))
    if family is C:
        value = only(in_included(index, names, name, is_call=is_call))
        if value is None and name != "std" and not is_call and _is_namespace(index, names, name):
            return Value((path, MODULE))
        return value
    if family is RUST and note_of(path) is None:
        file = index.modules.child(path, name) or (None if is_call else index.modules.crate(name))
        return Value((file, MODULE)) if file is not None else None
    if family is RUST and not is_call:
        file = index.modules.crate(name)
        return Value((file, MODULE)) if file is not None else None
    return None


def _is_namespace(index: CodeIndex, names: FileNames, name: str) -> bool:
    key = MODULE, name
    return any(
        binding.type == NAMESPACE
        for path in included(index, names.file.path)
        for binding in index.names(path).bindings.get(key, ())
    )


def same_family(index: CodeIndex, path: str, ref: Ref) -> bool:
    """Return whether the code of a file can call an entity, by their languages."""
    return family_of(index.files[path]) is family_of(index.files[ref[0]])


def in_other_blocks(index: CodeIndex, path: str, name: str) -> Value | None:
    """Return what another block of the same note defines as ``name``, if only one does."""
    note = note_of(path)
    refs = [
        (other, names.entities[MODULE, name])
        for other in (index.block_paths(note) if note is not None else ())
        if other != path
        and (MODULE, name) in (names := index.names(other)).entities
        and same_family(index, path, (other, MODULE))
    ]
    return only(refs)


def in_package(index: CodeIndex, path: str, name: str) -> Value | None:
    """Return what a package of Go exports as ``name``."""
    names = index.names(path)
    exported = names.entities.get((MODULE, name)) if name[:1].isupper() else None
    others = in_folder(index, path, name, GO, outside=True)
    return only([*others, *([(path, exported)] if exported is not None else [])]) or OUTSIDE


def methods_apart(index: CodeIndex, ref: Ref, name: str) -> list[Ref]:
    """Return the methods in other files that may belong to a class, by the names of both."""
    entity = index.entity(ref)
    qualified = f"{entity.qualified}.{name}"
    return [
        (path, number)
        for path in index.paths_with_method_of(entity.name, name)
        if path != ref[0] and same_family(index, path, ref)
        for other, numbers in index.names(path).apart.items()
        if other == qualified or other.endswith(f".{qualified}")
        for number in numbers
    ]


def class_named(index: CodeIndex, path: str, name: str) -> Value | None:
    """Return the class of Java with this fully qualified name."""
    file = index.modules.find(path, name, JAVA)
    key = MODULE, name.rpartition(".")[2]
    if file is None or key not in index.names(file).entities:
        return None
    return defined(index.names(file), key, is_call=False)


def rust_module(
    index: CodeIndex, names: FileNames, scope: int, steps: list[str]
) -> tuple[Value | None, int]:
    """Return the module that leading ``crate``, ``self`` or ``super`` name, and their number."""
    path, entities = names.file.path, names.file.entities
    if note_of(path) is not None:
        return None, 1
    if steps[0] == "crate":
        root = index.modules.crate_around(path)
        return (Value((root, MODULE)) if root is not None else None), 1
    while entities[scope].kind is not EntityKind.MODULE:
        scope = entities[scope].parent
    count = 0
    for step in steps:
        if step == "super":
            if scope != MODULE:
                scope = entities[scope].parent
                while entities[scope].kind is not EntityKind.MODULE:
                    scope = entities[scope].parent
            else:
                parent = index.modules.parent(path)
                if parent is None:
                    return None, count
                path, scope = parent, MODULE
                entities = index.files[path].entities
        elif step != "self":
            break
        count += 1
    return Value((path, scope)), count
