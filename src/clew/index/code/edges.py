"""The edges of an entity: calls, callers, hand-overs, imports, bases and what implements it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from clew.index.code.code_index import CodeIndex, Ref
from clew.index.code.constructors import OWN_CLASS_CALLS, constructed_class
from clew.index.code.families import family_of
from clew.index.code.lookup import bodies_apart, find_module, import_value, value_of
from clew.index.code.renaming import last_name
from clew.index.code.resolve import fitting, resolve_call, resolve_passed
from clew.values.code.code_file import (
    CLASSES,
    NO_CALL,
    PACKAGE,
    Base,
    Call,
    EntityKind,
    Import,
    Passed,
    Via,
    defines,
    note_of,
)


@dataclass(frozen=True, slots=True)
class Receiver:
    """The function or class that is called with an entity as a value in its arguments."""

    name: str  # with the path of names before it
    ref: Ref | None  # the entity that it means, if that is sure


@dataclass(frozen=True, slots=True)
class Edge:
    """A call between two entities, or a place in one that hands the other over as a value."""

    source: Ref
    target: Ref
    line: int  # of the call or place, in the file of ``source``
    via: Via
    comment: str = ""  # that belongs to it in the source
    is_passed: bool = False  # whether it is handed over, not called
    receiver: Receiver | None = None  # if it is handed over as an argument of a call


@dataclass(frozen=True, slots=True)
class Calls:
    """The calls in an entity, in the order of the text."""

    edges: tuple[Edge, ...]
    unresolved: tuple[str, ...]  # the names of calls without an edge, each once


def calls_of(index: CodeIndex, ref: Ref) -> Calls:
    """Return the calls directly in an entity, without those in the entities inside it."""
    path, entity = ref
    edges: list[Edge] = []
    unresolved: dict[str, None] = {}
    for call in index.files[path].calls:
        if call.scope == entity:
            resolved = resolve_call(index, path, call)
            if resolved is None:
                if call.name not in OWN_CLASS_CALLS:
                    unresolved[call.name] = None
            else:
                edges.append(Edge(ref, resolved.ref, call.line, resolved.via, call.comment))
    return Calls(tuple(edges), tuple(unresolved))


def callers_by_file(index: CodeIndex, ref: Ref) -> Iterator[list[Edge]]:
    """Yield the calls of an entity, file by file: first files of code, then blocks of notes.

    A constructor has the calls of its class too, if their arguments fit it.
    """
    yield from ([edge for edge, _ in calls] for calls in _calls_by_file(index, ref))
    constructed = constructed_class(index, ref)
    if constructed is None:
        return
    members = [
        each
        for each in members_of(index, constructed)
        if constructed_class(index, each) == constructed
    ]
    constructors = list(dict.fromkeys((*members, ref)))
    for calls in _calls_by_file(index, constructed):
        yield [
            replace(edge, target=ref)
            for edge, call in calls
            if ref in fitting(index, constructors, call, family_of(index.files[ref[0]]))
        ]


def _calls_by_file(index: CodeIndex, ref: Ref) -> Iterator[list[tuple[Edge, Call]]]:
    names = set(index.names_of(ref))
    paths = {path for name in names for path in index.paths_with_call(name)}
    paths_inside: set[str] = set()  # where ``OWN_CLASS_CALLS`` may mean the class or its base
    if index.entity(ref).kind is EntityKind.CLASS:
        paths_inside = {ref[0], *(path for name in names for path in index.paths_with_base(name))}
    for path in sorted(paths | paths_inside, key=_files_first):
        resolved = (
            (call, resolve_call(index, path, call))
            for call in index.files[path].calls
            if call.name in names or (call.name in OWN_CLASS_CALLS and path in paths_inside)
        )
        yield [
            (Edge((path, call.scope), ref, call.line, target.via, call.comment), call)
            for call, target in resolved
            if target is not None and target.ref == ref
        ]


def passed_by_file(index: CodeIndex, ref: Ref) -> Iterator[list[Edge]]:
    """Yield the places that hand over an entity as a value, in the order of ``callers_by_file``."""
    names = set(index.names_of(ref))
    paths = {path for name in names for path in index.paths_with_passed(name)}
    for path in sorted(paths, key=_files_first):
        resolved = (
            (passed, resolve_passed(index, path, passed))
            for passed in index.files[path].passed
            if last_name(passed.path) in names
        )
        edges = (
            Edge(
                (path, passed.scope),
                ref,
                passed.line,
                target.via,
                passed.comment,
                is_passed=True,
                receiver=_receiver(index, path, passed),
            )
            for passed, target in resolved
            if target is not None and target.ref == ref
        )
        yield list(dict.fromkeys(edges))  # two calls on one line may be given the same entity


def _receiver(index: CodeIndex, path: str, passed: Passed) -> Receiver | None:
    if passed.receiver == NO_CALL:
        return None
    call = index.files[path].calls[passed.receiver]
    resolved = resolve_call(index, path, call)
    is_sure = resolved is not None and resolved.via is not Via.UNIQUE
    before = call.receiver
    before += "." if before and not before.endswith("::") else ""
    name = "".join(f"{before}{call.name}".removeprefix("?.").split())
    return Receiver(name, resolved.ref if resolved is not None and is_sure else None)


def _files_first(path: str) -> tuple[bool, str]:
    return note_of(path) is not None, path


def implements(index: CodeIndex, ref: Ref) -> tuple[Ref, ...]:
    """Return the classes and interfaces of the project that an entity extends or implements."""
    bases = index.names(ref[0]).bases.get(ref[1], ())
    base_refs = (_base(index, ref[0], base) for base in bases)
    return tuple(dict.fromkeys(base for base in base_refs if base is not None))


def implementations_by_file(index: CodeIndex, ref: Ref) -> Iterator[list[Ref]]:
    """Yield the classes and interfaces that extend or implement an entity, file by file."""
    names = set(index.names_of(ref))
    for path in sorted({path for name in names for path in index.paths_with_base(name)}):
        yield [
            (path, base.entity)
            for base in index.files[path].bases
            if last_name(base.name) in names and _base(index, path, base) == ref
        ]


def members_of(index: CodeIndex, ref: Ref) -> tuple[Ref, ...]:
    """Return the entities directly in an entity, in the order of the text.

    A method that is only declared there is replaced by its definition in another file.
    """
    path, parent = ref
    entities = enumerate(index.files[path].entities)
    members = [(path, number) for number, entity in entities if entity.parent == parent]
    return with_bodies(index, members)


def with_bodies(index: CodeIndex, refs: Iterable[Ref]) -> tuple[Ref, ...]:
    """Return entities, each once, with definitions in other files in place of declarations.

    Declarations of the same class, name and parameters are looked up once.
    """
    bodies: dict[tuple[Ref, str, int], tuple[Ref, ...]] = {}
    defined: dict[Ref, None] = {}
    for ref in refs:
        declared = index.entity(ref)
        if not declared.is_declared:
            defined[ref] = None
            continue
        key = (ref[0], declared.parent), declared.name, declared.parameters
        if key not in bodies:
            bodies[key] = tuple(
                each
                for each in bodies_apart(index, key[0], declared.name)
                if defines(index.entity(each), declared)
            )
            defined |= dict.fromkeys(bodies[key])
        if not bodies[key]:
            defined[ref] = None
    return tuple(defined)


def imports_of(index: CodeIndex, ref: Ref) -> tuple[tuple[Import, Ref | None], ...]:
    """Return the imports directly in a module, each with the entity that it leads to."""
    path, scope = ref
    return tuple(
        (item, imported(index, path, item))
        for item in index.files[path].imports
        if item.scope == scope and item.alias != PACKAGE
    )


def imported(index: CodeIndex, path: str, item: Import) -> Ref | None:
    """Return the entity that an import in the file at ``path`` leads to, if it is known."""
    if item.name == "*":
        return find_module(index, path, item.module, item.scope).ref
    value = import_value(index, path, item, 0)
    return value.ref if value is not None else None


def _base(index: CodeIndex, path: str, base: Base) -> Ref | None:
    names = index.names(path)
    parent = names.file.entities[base.entity].parent
    value = value_of(index, names, parent, base.name)
    if value is None or value.ref is None or value.ref == (path, base.entity):
        return None
    is_class = index.entity(value.ref).kind in CLASSES
    return value.ref if is_class and not value.is_instance else None
