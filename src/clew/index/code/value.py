"""The value that a name or a path of names stands for, as far as one file tells."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clew.index.code.code_index import Ref
from clew.index.code.families import family_of
from clew.index.code.file_names import FileNames, Key
from clew.values.code.code_file import CLASSES, FUNCTIONS, EntityKind

BASES_MAX = 64  # classes searched for one member

_TYPES = frozenset((EntityKind.INTERFACE, EntityKind.TYPE))


@dataclass(frozen=True, slots=True)
class Value:
    """What a path of names stands for: an entity, an instance of one, or a module."""

    ref: Ref | None  # None for something outside the project
    is_instance: bool = False
    module: str | None = None  # the name of a package that is no file
    overloads: tuple[Ref, ...] = ()  # all functions that it may be, where there are several
    is_own: bool = False  # a member of the class around the place that names it


OUTSIDE = Value(None)
NO_MEMBER = Value(None, is_own=True)  # not in a class of the project; its bases outside may have it


def defined(names: FileNames, key: Key, is_call: bool) -> Value | None:
    """Return what a scope defines under a name."""
    path, family = names.file.path, family_of(names.file)
    numbers = names.redefined.get(key, ())
    if family.has_inner_scopes and names.file.entities[key[0]].kind not in CLASSES:
        return _defined_once(names, key)
    if not family.has_overloads or not numbers:
        return Value((path, names.entities[key]))
    entities = names.file.entities
    functions = [number for number in numbers if entities[number].kind in FUNCTIONS]
    others = [number for number in numbers if entities[number].kind not in FUNCTIONS]
    refs = tuple((path, number) for number in (functions if is_call and functions else others))
    if not refs:
        refs = tuple((path, number) for number in functions)
    if len(refs) == 1:
        return Value(refs[0])
    return Value(refs[0], overloads=refs) if functions else None


def _defined_once(names: FileNames, key: Key) -> Value | None:
    """Return what a scope defines under a name; ``None`` if it is bound there more than once.

    Blocks and anonymous functions count as part of the scope around them, so another binding may be
    theirs. An interface or type may have the name of a function or class.
    """
    entities = names.file.entities
    numbers = names.redefined.get(key, (names.entities[key],))
    numbers = tuple(each for each in numbers if entities[each].kind not in _TYPES) or numbers[-1:]
    if len(numbers) > 1 or key in names.imports or key in names.bindings:
        return None
    return Value((names.file.path, numbers[0]))


def only(refs: Sequence[Ref]) -> Value | None:
    """Return what the only one of ``refs`` stands for."""
    return Value(refs[0]) if len(refs) == 1 else None


def extends_outside(ref: Ref, bases_of: Callable[[Ref], list[Ref | None]]) -> bool:
    """Return whether a class extends an unknown class, directly or through others."""
    waiting, seen = [ref], set[Ref]()
    while waiting and len(seen) < BASES_MAX:
        ref = waiting.pop()
        seen.add(ref)
        bases = bases_of(ref)
        if None in bases:
            return True
        waiting += [base for base in bases if base is not None and base not in seen]
    return False
