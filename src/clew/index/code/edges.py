"""The edges of an entity: calls, callers, hand-overs, imports, bases and what implements it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from clew.index.code.code_index import CodeIndex, Ref
from clew.index.code.constructors import CALLS_OF_OWN, class_made
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
    """What is called with the value that is handed over."""

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
    receiver: Receiver | None = None  # of what is handed over in the arguments of a call


@dataclass(frozen=True, slots=True)
class Calls:
    """The calls in an entity, in the order of the text."""

    edges: tuple[Edge, ...]
    unresolved: tuple[str, ...]  # the names of the others, each once


def calls_of(index: CodeIndex, ref: Ref) -> Calls:
    """Return the calls right in an entity: those in the entities in it are theirs."""
    path, entity = ref
    edges: list[Edge] = []
    unresolved: dict[str, None] = {}
    for call in index.files[path].calls:
        if call.scope == entity:
            resolved = resolve_call(index, path, call)
            if resolved is None:
                if call.name not in CALLS_OF_OWN:
                    unresolved[call.name] = None
            else:
                edges.append(Edge(ref, resolved.ref, call.line, resolved.via, call.comment))
    return Calls(tuple(edges), tuple(unresolved))


def callers_by_file(index: CodeIndex, ref: Ref) -> Iterator[list[Edge]]:
    """Yield the calls that mean an entity, file by file: those in files of code, then in notes.

    Those of a constructor are the calls of its class whose arguments fit it.
    """
    yield from ([edge for edge, _ in calls] for calls in _calls_by_file(index, ref))
    made = class_made(index, ref)
    if made is None:
        return
    members = [each for each in members_of(index, made) if class_made(index, each) == made]
    constructors = list(dict.fromkeys((*members, ref)))
    for calls in _calls_by_file(index, made):
        yield [
            replace(edge, target=ref)
            for edge, call in calls
            if ref in fitting(index, constructors, call, family_of(index.files[ref[0]]))
        ]


def _calls_by_file(index: CodeIndex, ref: Ref) -> Iterator[list[tuple[Edge, Call]]]:
    names = set(index.names_of(ref))
    paths = {path for name in names for path in index.paths_with_call(name)}
    own: set[str] = set()
    if index.entity(ref).kind is EntityKind.CLASS:  # which its methods, and classes, may call so
        own = {ref[0], *(path for name in names for path in index.paths_with_base(name))}
    for path in sorted(paths | own, key=_files_first):
        resolved = (
            (call, resolve_call(index, path, call))
            for call in index.files[path].calls
            if call.name in names or (call.name in CALLS_OF_OWN and path in own)
        )
        yield [
            (Edge((path, call.scope), ref, call.line, meant.via, call.comment), call)
            for call, meant in resolved
            if meant is not None and meant.ref == ref
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
                meant.via,
                passed.comment,
                is_passed=True,
                receiver=_receiver(index, path, passed),
            )
            for passed, meant in resolved
            if meant is not None and meant.ref == ref
        )
        yield list(dict.fromkeys(edges))  # two calls in a line may be given the same


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
    found = (_base(index, ref[0], base) for base in bases)
    return tuple(dict.fromkeys(base for base in found if base is not None))


def implementations(index: CodeIndex, ref: Ref) -> tuple[Ref, ...]:
    """Return the classes and interfaces that extend or implement an entity."""
    return tuple(dict.fromkeys(chain.from_iterable(implementations_by_file(index, ref))))


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
    """Return the entities right in an entity, in the order of the text.

    Of a method that is only declared there, it is the one that has the body.
    """
    path, parent = ref
    entities = enumerate(index.files[path].entities)
    members = [(path, number) for number, entity in entities if entity.parent == parent]
    return with_bodies(index, members)


def with_bodies(index: CodeIndex, refs: Iterable[Ref]) -> tuple[Ref, ...]:
    """Return entities, each once, with the methods of other files in place of declarations.

    Those of one name and class are looked up once.
    """
    bodies: dict[tuple[Ref, str, int], tuple[Ref, ...]] = {}
    found: dict[Ref, None] = {}
    for ref in refs:
        declared = index.entity(ref)
        if not declared.is_declared:
            found[ref] = None
            continue
        key = (ref[0], declared.parent), declared.name, declared.parameters
        if key not in bodies:
            bodies[key] = tuple(
                each
                for each in bodies_apart(index, key[0], declared.name)
                if defines(index.entity(each), declared)
            )
            found |= dict.fromkeys(bodies[key])
        if not bodies[key]:
            found[ref] = None
    return tuple(found)


def imports_of(index: CodeIndex, ref: Ref) -> tuple[tuple[Import, Ref | None], ...]:
    """Return the imports right in a module, each with the entity that it leads to."""
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
