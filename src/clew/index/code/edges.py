"""The edges of an entity: its calls and callers, what it implements and what implements it."""

from dataclasses import dataclass

from clew.index.code.code_index import CodeIndex, Ref
from clew.index.code.file_names import CLASSES
from clew.index.code.resolve import resolve_call, value_of
from clew.values.code.code_file import Base, Via


@dataclass(frozen=True, slots=True)
class Edge:
    """A call between two entities."""

    source: Ref
    target: Ref
    line: int  # of the call, in the file of ``source``
    via: Via


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
                unresolved[call.name] = None
            else:
                edges.append(Edge(ref, resolved.ref, call.line, resolved.via))
    return Calls(tuple(edges), tuple(unresolved))


def callers_of(index: CodeIndex, ref: Ref) -> tuple[Edge, ...]:
    """Return the calls that mean an entity, in the order of paths and lines."""
    names = set(index.names_of(index.entity(ref).name))
    edges = []
    for path in sorted({path for name in names for path in index.paths_with_call(name)}):
        for call in index.files[path].calls:
            if call.name in names:
                resolved = resolve_call(index, path, call)
                if resolved is not None and resolved.ref == ref:
                    edges.append(Edge((path, call.scope), ref, call.line, resolved.via))
    return tuple(edges)


def implements(index: CodeIndex, ref: Ref) -> tuple[Ref, ...]:
    """Return the classes and interfaces of the project that an entity extends or implements."""
    bases = index.names(ref[0]).bases.get(ref[1], ())
    found = (_base(index, ref[0], base) for base in bases)
    return tuple(dict.fromkeys(base for base in found if base is not None))


def implementations(index: CodeIndex, ref: Ref) -> tuple[Ref, ...]:
    """Return the classes and interfaces that extend or implement an entity."""
    names = set(index.names_of(index.entity(ref).name))
    paths = sorted({path for name in names for path in index.paths_with_base(name)})
    found = (
        (path, base.entity)
        for path in paths
        for base in index.files[path].bases
        if base.name.rpartition(".")[2] in names and _base(index, path, base) == ref
    )
    return tuple(dict.fromkeys(found))


def _base(index: CodeIndex, path: str, base: Base) -> Ref | None:
    names = index.names(path)
    parent = names.file.entities[base.entity].parent
    value = value_of(index, names, parent, base.name)
    if value is None or value.ref is None or value.ref == (path, base.entity):
        return None
    is_class = index.entity(value.ref).kind in CLASSES
    return value.ref if is_class and not value.is_instance else None
