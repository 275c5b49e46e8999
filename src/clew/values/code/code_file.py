"""The parsed content of one file of code, as frozen values: entities, calls, imports and names.

A fenced block of a note counts as a file of its own, with a path such as ``a.md#2`` for the second.

A *path* of names is written as in the source, without arguments: ``self.store.open().read``,
``crate::store::open()``. A step that is no name (a subscript, a literal) is ``?``. Entity 0 of a
file is the module itself.
"""

from collections import defaultdict
from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

MODULE = 0  # the index of the entity that stands for the whole file
MANY = -1  # an unknown or variable number of parameters or arguments
NO_CALL = -1  # in place of the index of a call

DEFAULT = "default"  # JavaScript's name for the unnamed export of a file
PACKAGE = "package"  # in place of an alias: an import of all names of the file's own package

# Markers in place of a name's type. No type can have such a name in the languages that use it.
EXTERNAL = "extern"  # a function that another file defines
NAMESPACE = "namespace"  # a namespace of C++
SELF = "Self"  # the enclosing class


def block_path(note: str, number: int) -> str:
    """Return the path of a block of a note; ``number`` is 1 for the first."""
    return f"{note}#{number}"


def note_of(path: str) -> str | None:
    """Return the note that a block is in; ``None`` for the path of a file of code.

    The name of a file of code ends with the extension of its language.
    """
    note, _, number = path.rpartition("#")
    return note if note and number.isdecimal() else None


class EntityKind(StrEnum):
    """The kinds of entities."""

    MODULE = "module"
    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    INTERFACE = "interface"
    TYPE = "type"
    OBJECT = "object"  # an object of functions, in JavaScript


METHOD_OWNERS = frozenset((EntityKind.CLASS, EntityKind.INTERFACE, EntityKind.OBJECT))
CLASSES = METHOD_OWNERS | {EntityKind.TYPE}
FUNCTIONS = frozenset((EntityKind.FUNCTION, EntityKind.METHOD))
OWN_NAMES = frozenset(("self", "cls", "this"))  # mean the enclosing class or its instance


class Via(StrEnum):
    """How a call was resolved."""

    LOCAL = "local"
    IMPORT = "import"
    SELF = "self"
    UNIQUE = "unique"


class Entity(Struct, frozen=True, array_like=True, gc=False):
    """A module, function, method, class, interface, type or object of one file."""

    name: str
    qualified: str  # with the names of the enclosing entities: "Store.open"
    kind: EntityKind
    # Index of the enclosing entity or, for a method, of its class in this file; -1 for the module.
    parent: int
    first_line: int  # 1-based
    last_line: int
    symbol_id: str  # ``path::qualified::kind``; later ones of the same name end with ``#2``, ``#3``
    returns: str = ""  # the type it returns, as a path of names
    decorators: tuple[str, ...] = ()
    tokens: int = 0  # of its lines; may be slightly too high
    parameters: int = MANY
    about: str = ""  # its docstring, or the comment above it: running text on one line
    inside: str = ""  # the errors that its docstring names, and the comments in its body
    is_declared: bool = False  # a method of C++ without its body, which another file may have

    @property
    def is_property(self) -> bool:
        """Whether it is a Python method that is read as an attribute."""
        return any("property" in decorator for decorator in self.decorators)


def may_be_one(parameters: int, other_parameters: int) -> bool:
    """Return whether a declaration and a body with these parameter counts may belong together."""
    return MANY in (parameters, other_parameters) or parameters == other_parameters


def defines(entity: Entity, declared: Entity) -> bool:
    """Return whether an entity may be the body of a method that is declared in another file."""
    names, others = (each.qualified.split(".")[-2:] for each in (entity, declared))
    is_body = not entity.is_declared and names == others
    return is_body and may_be_one(entity.parameters, declared.parameters)


def without_declarations(entities: Sequence[Entity]) -> list[bool]:
    """Return a mask that is false for each declaration whose body is in ``entities``."""
    bodies: defaultdict[tuple[str, ...], set[int]] = defaultdict(set)
    names = [tuple(entity.qualified.split(".")[-2:]) for entity in entities]
    for entity, name in zip(entities, names, strict=True):
        if not entity.is_declared:
            bodies[name].add(entity.parameters)
    return [
        not entity.is_declared
        or not any(may_be_one(entity.parameters, count) for count in bodies.get(name, ()))
        for entity, name in zip(entities, names, strict=True)
    ]


class Call(Struct, frozen=True, array_like=True, gc=False):
    """One call."""

    name: str  # the last name of the called path
    receiver: str  # the path before the name, including a ``::`` at its end; "" for none
    scope: int  # index of the innermost entity around it
    line: int  # 1-based
    column: int  # of the name, in bytes, from 0
    arguments: int = MANY
    comment: str = ""  # the comment on the call in the source, as running text on one line


class Passed(Struct, frozen=True, array_like=True, gc=False):
    """A use of a name as a value, without a call.

    Examples are an argument, an item of a table, a returned name and a decorator.
    """

    path: str  # the path of names that is used
    scope: int  # index of the innermost entity around it
    line: int  # 1-based
    comment: str = ""  # as in ``Call``
    receiver: int = NO_CALL  # index of the call whose arguments contain it


class Import(Struct, frozen=True, array_like=True, gc=False):
    """One name that an import binds."""

    module: str  # as it is written, with its leading dots
    name: str  # the imported name; "" for the module itself, "*" for all names
    alias: str  # the name in this file
    scope: int
    line: int


class Base(Struct, frozen=True, array_like=True, gc=False):
    """A class or interface that another one extends or implements."""

    entity: int
    name: str  # a path of names
    line: int


class Binding(Struct, frozen=True, array_like=True, gc=False):
    """A variable, parameter or field, with its annotated type or its value."""

    scope: int  # the function or module; the class of a field
    name: str
    type: str  # a path of names, or "" if it is not annotated
    value: str  # the path of names that is assigned, or ""


class CodeFile(Struct, frozen=True, array_like=True, gc=False):
    """The data that the code graph stores for one file, or for one block in a note."""

    path: str
    language: str
    entities: tuple[Entity, ...]
    calls: tuple[Call, ...]
    imports: tuple[Import, ...]
    bases: tuple[Base, ...]
    bindings: tuple[Binding, ...]
    passed: tuple[Passed, ...] = ()  # uses whose names may be entities
