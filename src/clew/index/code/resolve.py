"""Decide which entity of the project a call, a base or a path of names means.

A ladder: names of the scopes around it, or of one other block of the same note (``local``), through
imports (``import``), members of the class around it (``self``), and last a method name that one
class has (``unique``): one of all files, for a block first one of its note.
What is certain to lead outside the project, or may lead to several places, is left unresolved.
"""

import re
from dataclasses import dataclass

from clew.index.code.code_index import CodeIndex, Ref
from clew.index.code.file_names import CLASSES, FileNames
from clew.values.code.code_file import (
    MODULE,
    Binding,
    Call,
    EntityKind,
    Import,
    Via,
    note_of,
)

DEPTH_MAX = 24  # steps from name to name, which also ends cycles
BASES_MAX = 64  # classes searched for one member

# A method with such a name may be one of a built-in type, whose variables have no annotation.
_BUILT_IN_TYPES = (str, bytes, list, dict, set, int, float, tuple, type, re.Pattern, re.Match)
_LIBRARY_METHODS = """
    open close read write readline readlines flush seek tell fileno send recv throw next then catch
    finally push shift unshift slice splice concat map filter reduce forEach find some every
    includes has add set get delete keys values entries toString test exec match replace trim
    apply call bind put start stop run wait cancel result done
"""
_COMMON_METHODS = frozenset(_LIBRARY_METHODS.split()).union(*map(dir, _BUILT_IN_TYPES))
_CLASS_NAMES = frozenset(("self", "cls", "this"))
_STEP = re.compile(r"\(\)|[^.()]+")


@dataclass(frozen=True, slots=True)
class Value:
    """What a path of names stands for: an entity, an instance of one, or a module."""

    ref: Ref | None  # None for something outside the project
    is_instance: bool = False
    module: str | None = None  # the name of a package that is no file


OUTSIDE = Value(None)


@dataclass(frozen=True, slots=True)
class Resolved:
    """The entity that a call means, and how that was decided."""

    ref: Ref
    via: Via


def resolve_call(index: CodeIndex, path: str, call: Call) -> Resolved | None:
    """Return the entity that ``call`` in the file at ``path`` means, if that is sure."""
    names = index.names(path)
    if not call.receiver:
        value = lookup(index, names, call.scope, call.name)
        return _resolved(index, path, value, is_self=False)
    receiver = value_of(index, names, call.scope, call.receiver)
    if receiver is None:
        only = None if call.name in _COMMON_METHODS else index.only_method(call.name, path)
        if only is None or not _same_language(index, path, only):
            return None
        return Resolved(only, Via.UNIQUE)
    value = member(index, receiver, call.name)
    is_self = call.receiver in _CLASS_NAMES or call.receiver in ("super", "super()")
    return _resolved(index, path, value, is_self)


def _resolved(index: CodeIndex, path: str, value: Value | None, is_self: bool) -> Resolved | None:
    if value is None or value.ref is None or value.is_instance:
        return None
    if index.entity(value.ref).kind is EntityKind.MODULE:
        return None
    if is_self:
        return Resolved(value.ref, Via.SELF)
    is_local = value.ref[0] == path or note_of(value.ref[0]) is not None
    return Resolved(value.ref, Via.LOCAL if is_local else Via.IMPORT)


def _same_language(index: CodeIndex, path: str, ref: Ref) -> bool:
    python = {index.files[each].language == "python" for each in (path, ref[0])}
    return len(python) == 1


def lookup(
    index: CodeIndex, names: FileNames, scope: int, name: str, depth: int = 0
) -> Value | None:
    """Return what a bare ``name`` means in ``scope``; ``None`` if that is not known."""
    if depth > DEPTH_MAX:
        return None
    path = names.file.path
    for around in names.scopes_from(scope):
        key = around, name
        if key in names.entities:
            return Value((path, names.entities[key]))
        if key in names.imports:
            return _imported(index, path, names.imports[key], depth + 1)
        if key in names.bindings:
            return _variable(index, names, names.bindings[key], depth + 1)
    for star in names.stars:
        value = _from_module(index, path, star.module, name, depth + 1)
        if value is not None and value.ref is not None:
            return value
    return _in_other_blocks(index, path, name)


def _in_other_blocks(index: CodeIndex, path: str, name: str) -> Value | None:
    """Return what only one other block of the same note defines under this name."""
    note = note_of(path)
    refs = [
        (other, names.entities[MODULE, name])
        for other in (index.block_paths(note) if note is not None else ())
        if other != path
        and (MODULE, name) in (names := index.names(other)).entities
        and _same_language(index, path, (other, MODULE))
    ]
    return Value(refs[0]) if len(refs) == 1 else None


def value_of(
    index: CodeIndex, names: FileNames, scope: int, path: str, depth: int = 0
) -> Value | None:
    """Return what a path of names stands for in ``scope``; ``None`` if that is not known."""
    if depth > DEPTH_MAX:
        return None
    first, *steps = _STEP.findall(path)
    if first in _CLASS_NAMES or first == "super":
        around = names.class_around(scope)
        if around is None:
            return None
        value: Value | None = Value((names.file.path, around), is_instance=True)
        if first == "super":
            value = _base(index, names, around, depth + 1)
            steps = steps[1:] if steps[:1] == ["()"] else steps
    else:
        value = lookup(index, names, scope, first, depth + 1)
    for step in steps:
        if value is None or value == OUTSIDE:
            return value
        if step == "()":
            value = _called(index, value, depth + 1)
        else:
            value = _read(index, member(index, value, step, depth + 1), depth + 1)
    return value


def _base(index: CodeIndex, names: FileNames, entity: int, depth: int) -> Value | None:
    """Return an instance of the only base of a class."""
    bases = names.bases.get(entity, ())
    if len(bases) != 1:
        return None
    value = value_of(index, names, names.file.entities[entity].parent, bases[0].name, depth)
    return Value(value.ref, is_instance=True) if value is not None and value.ref else value


def _called(index: CodeIndex, value: Value, depth: int) -> Value | None:
    """Return what calling ``value`` gives."""
    if value.ref is None or value.is_instance:
        return None
    entity = index.entity(value.ref)
    if entity.kind in CLASSES:
        return Value(value.ref, is_instance=True)
    return _instance_of(index, index.names(value.ref[0]), value.ref[1], entity.returns, depth)


def _read(index: CodeIndex, value: Value | None, depth: int) -> Value | None:
    """Return what reading an attribute gives: of a property, what it returns."""
    if value is None or value.ref is None or value.is_instance:
        return value
    entity = index.entity(value.ref)
    if any("property" in decorator for decorator in entity.decorators):
        return _called(index, value, depth)
    return value


def _instance_of(
    index: CodeIndex, names: FileNames, scope: int, type_path: str, depth: int
) -> Value | None:
    """Return an instance of the class that a type names."""
    if not type_path:
        return None
    if type_path == "Self":
        around = names.class_around(scope)
        return None if around is None else Value((names.file.path, around), is_instance=True)
    value = value_of(index, names, scope, type_path, depth)
    if value is None:  # such as a built-in type
        return OUTSIDE
    if value.ref is None:
        return value
    is_class = index.entity(value.ref).kind in CLASSES
    return Value(value.ref, is_instance=True) if is_class else None


def member(index: CodeIndex, value: Value, name: str, depth: int = 0) -> Value | None:
    """Return the member ``name`` of a module, a class or an instance."""
    if depth > DEPTH_MAX:
        return None
    if value.ref is None:
        return value if value.module is None else _module(index, "", f"{value.module}.{name}")
    if index.entity(value.ref).kind is EntityKind.MODULE:
        return _in_file(index, value.ref[0], name, depth + 1)
    waiting = [value.ref]
    seen: set[Ref] = set()
    while waiting and len(seen) < BASES_MAX:
        ref = waiting.pop(0)
        if ref in seen:
            continue
        seen.add(ref)
        names = index.names(ref[0])
        key = ref[1], name
        if key in names.entities:
            return Value((ref[0], names.entities[key]))
        if key in names.bindings:
            return _variable(index, names, names.bindings[key], depth + 1)
        for base in names.bases.get(ref[1], ()):
            parent = names.file.entities[ref[1]].parent
            found = value_of(index, names, parent, base.name, depth + 1)
            if found is not None and found.ref is not None:
                waiting.append(found.ref)
    return OUTSIDE


def _variable(
    index: CodeIndex, names: FileNames, bindings: tuple[Binding, ...], depth: int
) -> Value | None:
    """Return the value of a variable, if all of its assignments agree on its class."""
    annotated = [binding for binding in bindings if binding.type]
    values = set()
    for binding in annotated or bindings:
        if binding.type:
            values.add(_instance_of(index, names, binding.scope, binding.type, depth))
        elif binding.value and depth <= DEPTH_MAX:
            function = binding.scope
            values.add(_read(index, value_of(index, names, function, binding.value, depth), depth))
        else:
            values.add(None)
    return values.pop() if len(values) == 1 else None


def imported(index: CodeIndex, path: str, item: Import) -> Ref | None:
    """Return the entity that an import in the file at ``path`` leads to, if it is known."""
    module = _module(index, path, item.module)
    value = module if item.name == "*" else _imported(index, path, item, 0)
    return value.ref if value is not None else None


def _imported(index: CodeIndex, path: str, item: Import, depth: int) -> Value | None:
    if item.name:
        return _from_module(index, path, item.module, item.name, depth)
    if item.alias == item.module and "." in item.module and not item.module.startswith("."):
        first = item.module.partition(".")[0]
        whole = _module(index, path, item.module)
        return _module(index, path, first, is_package=True) if whole.ref else OUTSIDE
    return _module(index, path, item.module)


def _module(index: CodeIndex, path: str, module: str, is_package: bool = False) -> Value:
    """Return the module of this name, or ``OUTSIDE``."""
    is_python = not path or index.files[path].language == "python"
    found = index.modules.find(path, module, is_python)
    if found is not None:
        return Value((found, MODULE))
    return Value(None, module=module) if is_package else OUTSIDE


def _from_module(index: CodeIndex, path: str, module: str, name: str, depth: int) -> Value | None:
    found = _module(index, path, module)
    if found.ref is not None:
        value = _in_file(index, found.ref[0], name, depth + 1)
        if value is not None:
            return value
    separator = "" if module.endswith(".") else "."
    return _module(index, path, f"{module}{separator}{name}") if found.ref is None else None


def _in_file(index: CodeIndex, path: str, name: str, depth: int) -> Value | None:
    """Return what ``name`` means as a member of the module at ``path``."""
    names = index.names(path)
    value = lookup(index, names, MODULE, name, depth)
    is_package = path.endswith("/__init__.py")
    if value is None and is_package and (MODULE, name) not in names.bindings:
        submodule = _module(index, path, f".{name}")
        return submodule if submodule.ref is not None else None
    return value
