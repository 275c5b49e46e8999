"""Follow names, paths of names and types to the entities that they stand for.

The value of an ambiguous name is ``None``, unless all candidates are functions of one name in one
place, between which the number of arguments may decide (``Value.overloads``).
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from clew.index.code.bodies import is_declared, with_bodies
from clew.index.code.code_index import CodeIndex, Ref
from clew.index.code.families import GO, JAVA, PYTHON, RUST, SCRIPT, C, family_of
from clew.index.code.file_names import FileNames, Key
from clew.index.code.surroundings import (
    around_file,
    class_named,
    in_other_blocks,
    in_package,
    methods_apart,
    rust_module,
)
from clew.index.code.value import BASES_MAX, NO_MEMBER, OUTSIDE, Value, defined, extends_outside
from clew.values.code.code_file import (
    CLASSES,
    EXTERNAL,
    MODULE,
    NAMESPACE,
    OWN_NAMES,
    SELF,
    Binding,
    EntityKind,
    Import,
)

DEPTH_MAX = 24  # steps from name to name, which also ends cycles
STAR_DEPTH = 8  # steps that a star import counts as, since each one may ask all others

_STEP = re.compile(r"\(\)|[^.:()]+")


def lookup(
    index: CodeIndex,
    names: FileNames,
    scope: int,
    name: str,
    depth: int = 0,
    *,
    is_call: bool = True,
) -> Value | None:
    """Return what a bare ``name`` means in ``scope``; ``None`` if that is not known."""
    if depth > DEPTH_MAX:
        return None
    path, family = names.file.path, family_of(names.file)
    if family is JAVA and name[:1].isupper():  # a class that is constructed
        is_call = False
    for around in names.scopes_from(scope, with_classes=family.has_bare_members):
        if family.has_bare_members and names.file.entities[around].kind in CLASSES:
            bound, value = _bare_member(index, Value((path, around), True), name, depth, is_call)
        else:
            bound, value = _in_scope(index, names, (around, name), depth, is_call)
            if not bound and family.has_bare_members and names.apart:
                owner = _owner_apart(index, names, around, depth + 1)
                if owner is not None:
                    bound, value = _bare_member(index, owner, name, depth, is_call)
        if bound:
            return value
    return (
        _from_stars(index, names, names.stars, name, depth)
        or around_file(index, names, name, is_call=is_call)
        or in_other_blocks(index, path, name)
    )


def _in_scope(
    index: CodeIndex, names: FileNames, key: Key, depth: int, is_call: bool
) -> tuple[bool, Value | None]:
    """Return whether a scope binds a name, and what it means."""
    family = family_of(names.file)
    bindings = names.bindings.get(key, ())
    if any(binding.type == EXTERNAL for binding in bindings):
        bindings = ()
    prefers_variable = bindings and not is_call and family.has_overloads
    if key in names.entities and not prefers_variable:
        return True, defined(names, key, is_call=is_call)
    if key in names.imports:
        return True, import_value(index, names.file.path, names.imports[key], depth + 1)
    if any(binding.type == NAMESPACE for binding in bindings):
        return True, Value((names.file.path, MODULE))
    if bindings and not (is_call and family.has_method_namespace):
        return True, _variable(index, names, bindings, depth + 1)
    return False, None


def _bare_member(
    index: CodeIndex, owner: Value, name: str, depth: int, is_call: bool
) -> tuple[bool, Value | None]:
    """Return whether a class has a member of this bare name, and what it means.

    A class that extends one outside of the project may have any member.
    """
    assert owner.ref is not None
    if name == index.entity(owner.ref).name:
        return True, replace(owner, is_instance=False)
    value = member(index, owner, name, depth + 1, is_call=is_call)
    if value is None:
        return True, None
    if value != NO_MEMBER:
        return True, replace(value, is_own=True)
    return is_call and has_outside_base(index, owner.ref, depth + 1), None


def has_outside_base(index: CodeIndex, ref: Ref, depth: int = 0) -> bool:
    """Return whether a class may have members that the project does not know."""
    return extends_outside(ref, lambda each: _bases(index, each, depth))


def _bases(index: CodeIndex, ref: Ref, depth: int) -> list[Ref | None]:
    """Return the bases of a class, ``None`` for one that is not in the project."""
    names = index.names(ref[0])
    around = names.file.entities[ref[1]].parent
    values = (
        value_of(index, names, around, base.name, depth + 1) for base in names.bases.get(ref[1], ())
    )
    return [None if value is None else value.ref for value in values]


def _from_stars(
    index: CodeIndex, names: FileNames, stars: Iterable[Import], name: str, depth: int
) -> Value | None:
    """Return what ``name`` means in the first of the star imports that has it."""
    family = family_of(names.file)
    for star in stars if family is not C else ():  # for C, ``around_file`` looks at includes
        if family is RUST:
            module = value_of(index, names, star.scope, star.module, depth + STAR_DEPTH)
            is_known = module is not None and module.ref is not None
            value = member(index, module, name, depth + STAR_DEPTH) if module and is_known else None
        else:
            value = _from_module(index, names.file.path, star.module, name, depth + STAR_DEPTH)
        if value is not None and value.ref is not None:
            return value
    return None


def value_of(
    index: CodeIndex, names: FileNames, scope: int, path: str, depth: int = 0
) -> Value | None:
    """Return what a path of names stands for in ``scope``; ``None`` if that is not known."""
    if depth > DEPTH_MAX:
        return None
    steps = _STEP.findall(path)
    value, count = _first(index, names, scope, path, steps, depth)
    for number in range(count, len(steps)):
        if value is None or value in (OUTSIDE, NO_MEMBER):
            return value
        if steps[number] == "()":
            value = _called(index, value, depth + 1)
        else:
            is_call = steps[number + 1 : number + 2] == ["()"]
            value = member(index, value, steps[number], depth + 1, is_call=is_call)
            value = value if is_call else _read(index, value, depth + 1)
    return value


def _first(
    index: CodeIndex, names: FileNames, scope: int, path: str, steps: list[str], depth: int
) -> tuple[Value | None, int]:
    """Return the value of the first steps of a path, and the number of these steps."""
    if not steps:
        return None, 0
    first, family = steps[0], family_of(names.file)
    if family is RUST and (first in ("crate", "super") or path.startswith("self::")):
        return rust_module(index, names, scope, steps)
    is_own = first in OWN_NAMES and names.is_own(scope, first)
    if is_own or first == "super" or (first == SELF and family is RUST):
        value = owner_of(index, names, scope, depth + 1)
        if value is None:
            return None, 1
        if first in (SELF, "cls"):
            return replace(value, is_instance=False), 1
        if first == "super":
            assert value.ref is not None
            value = _base(index, index.names(value.ref[0]), value.ref[1], depth + 1)
            return value, 2 if steps[1:2] == ["()"] else 1
        return value, 1
    is_call = steps[1:2] == ["()"]
    return lookup(index, names, scope, first, depth + 1, is_call=is_call), 1


def owner_of(index: CodeIndex, names: FileNames, scope: int, depth: int = 0) -> Value | None:
    """Return an instance of the class around ``scope``, which may be in another file."""
    around = names.class_around(scope)
    if around is not None:
        return Value((names.file.path, around), is_instance=True)
    while scope > MODULE:
        value = _owner_apart(index, names, scope, depth)
        if value is not None:
            return value
        scope = names.file.entities[scope].parent
    return None


def _owner_apart(index: CodeIndex, names: FileNames, number: int, depth: int) -> Value | None:
    """Return an instance of the class in another file that the method ``number`` belongs to."""
    entity = names.file.entities[number]
    owner = names.owner_apart(number)
    if owner is None:
        return None
    value = value_of(index, names, entity.parent, owner, depth + 1)
    if value is None or value.ref is None or index.entity(value.ref).kind not in CLASSES:
        return None
    return Value(value.ref, is_instance=True)


def _base(index: CodeIndex, names: FileNames, entity: int, depth: int) -> Value | None:
    """Return an instance of the only base of a class."""
    bases = names.bases.get(entity, ())
    if family_of(names.file) is JAVA:  # the class that one extends comes before interfaces
        bases = bases[:1]
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
    if len({index.entity(ref).returns for ref in value.overloads}) > 1:
        return None
    return instance_of(index, index.names(value.ref[0]), value.ref[1], entity.returns, depth)


def _read(index: CodeIndex, value: Value | None, depth: int) -> Value | None:
    """Return what reading an attribute gives: of a property, what it returns."""
    if value is None or value.ref is None or value.is_instance:
        return value
    return _called(index, value, depth) if index.entity(value.ref).is_property else value


def instance_of(
    index: CodeIndex, names: FileNames, scope: int, type_path: str, depth: int
) -> Value | None:
    """Return an instance of the class that a type names."""
    if not type_path:
        return None
    if type_path == SELF:
        return owner_of(index, names, scope, depth + 1)
    value = value_of(index, names, scope, type_path, depth)
    if value is None:  # such as a built-in type
        return OUTSIDE
    if value.ref is None:
        return value
    is_class = index.entity(value.ref).kind in CLASSES
    return Value(value.ref, is_instance=True) if is_class else None


def member(
    index: CodeIndex, value: Value, name: str, depth: int = 0, *, is_call: bool = True
) -> Value | None:
    """Return the member ``name`` of a module, a class or an instance."""
    if depth > DEPTH_MAX:
        return None
    if value.ref is None:
        return value if value.module is None else find_module(index, "", f"{value.module}.{name}")
    if index.entity(value.ref).kind is EntityKind.MODULE:
        return _in_module(index, value.ref, name, depth + 1, is_call)
    waiting = [value.ref]
    seen: set[Ref] = set()
    while waiting and len(seen) < BASES_MAX:
        ref = waiting.pop(0)
        if ref in seen:
            continue
        seen.add(ref)
        bound, value_there = _in_scope(index, index.names(ref[0]), (ref[1], name), depth, is_call)
        if bound and not is_declared(index, value_there):
            return value_there
        apart = bodies_apart(index, ref, name, depth + 1)
        if bound or apart:
            return with_bodies(index, value_there, apart)
        waiting += [base for base in _bases(index, ref, depth) if base is not None]
    return NO_MEMBER


def bodies_apart(index: CodeIndex, ref: Ref, name: str, depth: int = 0) -> tuple[Ref, ...]:
    """Return the methods ``name`` of a class that other files define."""
    refs = methods_apart(index, ref, name)
    owners = {each: _owner_apart(index, index.names(each[0]), each[1], depth) for each in refs}
    return tuple(each for each, owner in owners.items() if owner and owner.ref == ref)


def _variable(
    index: CodeIndex, names: FileNames, bindings: tuple[Binding, ...], depth: int
) -> Value | None:
    """Return the value of a variable, if all of its assignments agree on its class."""
    annotated = [binding for binding in bindings if binding.type]
    values = set()
    for binding in annotated or bindings:
        if binding.type:
            values.add(instance_of(index, names, binding.scope, binding.type, depth))
        elif binding.value and depth <= DEPTH_MAX:
            function = binding.scope
            values.add(_read(index, value_of(index, names, function, binding.value, depth), depth))
        else:
            values.add(None)
    return values.pop() if len(values) == 1 else None


def import_value(index: CodeIndex, path: str, item: Import, depth: int) -> Value | None:
    """Return what the name that an import binds stands for."""
    family = family_of(index.files[path])
    if family is RUST:
        whole = f"{item.module}::{item.name}" if item.name else item.module
        names = index.names(path)
        if not item.name:  # a crate: the name itself would lead here again
            return find_module(index, path, item.module, item.scope)
        return value_of(index, names, item.scope, whole, depth)
    if item.name:
        return _from_module(index, path, item.module, item.name, depth)
    first, dot, _ = item.module.partition(".")
    if family in (PYTHON, SCRIPT) and dot and first and item.alias == item.module:
        is_here = find_module(index, path, item.module).ref is not None
        return find_module(index, path, first, is_package=True) if is_here else OUTSIDE
    return find_module(index, path, item.module)


def find_module(
    index: CodeIndex, path: str, module: str, scope: int = MODULE, *, is_package: bool = False
) -> Value:
    """Return the module of this name, or ``OUTSIDE``."""
    family = family_of(index.files[path]) if path else PYTHON
    if family is RUST:
        names = index.names(path)
        if "::" in module or module in ("crate", "self", "super"):
            return value_of(index, names, scope, module) or OUTSIDE
        file = index.modules.child(path, module) or index.modules.crate(module)
        return Value((file, MODULE)) if file is not None else OUTSIDE
    module_path = index.modules.find(path, module, family)
    if module_path is not None:
        return Value((module_path, MODULE))
    return Value(None, module=module) if is_package else OUTSIDE


def _from_module(index: CodeIndex, path: str, module: str, name: str, depth: int) -> Value | None:
    if family_of(index.files[path]) is JAVA:
        return _from_package(index, path, module, name, depth)
    parent = find_module(index, path, module)
    if parent.ref is not None:
        value = _in_module(index, parent.ref, name, depth + 1, is_call=True)
        if value is not None:
            return value
    separator = "" if module.endswith(".") else "."
    return find_module(index, path, f"{module}{separator}{name}") if parent.ref is None else None


def _from_package(index: CodeIndex, path: str, package: str, name: str, depth: int) -> Value | None:
    """Return a class of a package of Java, or a member of a class."""
    whole = class_named(index, path, f"{package}.{name}")
    if whole is not None:
        return whole
    owner = class_named(index, path, package)
    return OUTSIDE if owner is None else member(index, owner, name, depth + 1)


def _in_module(index: CodeIndex, module: Ref, name: str, depth: int, is_call: bool) -> Value | None:
    """Return what ``name`` means as a member of a module."""
    path, scope = module
    names = index.names(path)
    family = family_of(names.file)
    if family is GO:
        return in_package(index, path, name)
    if family is RUST:
        return _in_rust_module(index, names, (scope, name), depth, is_call)
    value = lookup(index, names, scope, name, depth, is_call=is_call)
    is_package = path.endswith("/__init__.py")
    if value is None and is_package and (MODULE, name) not in names.bindings:
        submodule = find_module(index, path, f".{name}")
        return submodule if submodule.ref is not None else None
    return value


def _in_rust_module(
    index: CodeIndex, names: FileNames, key: Key, depth: int, is_call: bool
) -> Value | None:
    """Return what a module of Rust has under a name; the modules around it do not count."""
    bound, value = _in_scope(index, names, key, depth, is_call)
    if bound:
        return value
    scope, name = key
    stars = (star for star in names.stars if star.scope == scope)
    value = _from_stars(index, names, stars, name, depth)
    if value is not None:
        return value
    file = index.modules.child(names.file.path, name) if scope == MODULE else None
    return Value((file, MODULE)) if file is not None else OUTSIDE
