"""Decide which entity of the project a call means, or a name that is handed over as a value.

These are tried in order: names of the scopes around it or of one other block of the same note
(``local``), imports (``import``), members of the class around it (``self``), and last a method name
that only one class has (``unique``), among all files or, for a block, first in its note.
A name that must lead outside the project, or may lead to several places, is left unresolved.
"""

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from clew.index.code.code_index import CodeIndex, Ref
from clew.index.code.common_methods import is_common
from clew.index.code.families import GO, JAVA, PYTHON, SCRIPT, C, Family, family_of
from clew.index.code.file_names import FileNames
from clew.index.code.lookup import has_outside_base, lookup, member, owner_of, value_of
from clew.index.code.surroundings import same_family
from clew.index.code.value import Value
from clew.values.code.code_file import (
    DEFAULT,
    MANY,
    MODULE,
    OWN_NAMES,
    SELF,
    Call,
    EntityKind,
    Passed,
    Via,
    note_of,
)

_METHOD_CALLED = re.compile(r"\.([^.()]+)\(\)")
_STEP_END = re.compile(r"\.|::")
_PASSED = frozenset((EntityKind.FUNCTION, EntityKind.METHOD, EntityKind.CLASS))
_CONSTRUCT = frozenset(("this", "super"))  # called in a constructor, they run another one
_OWN = OWN_NAMES | {"super", "super()", SELF, f"{SELF}::"}


@dataclass(frozen=True, slots=True)
class Resolved:
    """The entity that a call means, and how that was decided."""

    ref: Ref
    via: Via


def resolve_call(index: CodeIndex, path: str, call: Call) -> Resolved | None:
    """Return the entity that ``call`` in the file at ``path`` means, if that is sure."""
    names = index.names(path)
    if call.name == "cls" and not call.receiver:
        value = value_of(index, names, call.scope, call.name)
        return _resolved(index, path, value, call, is_self=True)
    if call.name in _CONSTRUCT and not call.receiver and names.file.language != "python":
        value = value_of(index, names, call.scope, call.name)
        class_value = replace(value, is_instance=False) if value is not None else None
        return _resolved(index, path, class_value, call, is_self=True)
    if not call.receiver:
        value = lookup(index, names, call.scope, call.name)
        return _resolved(index, path, value, call, is_self=False)
    receiver = value_of(index, names, call.scope, call.receiver)
    if receiver is None:
        return _unique(index, path, call)
    value = member(index, receiver, call.name)
    is_self = call.receiver in _OWN or _is_receiver(names, call.scope, call.receiver)
    return _resolved(index, path, value, call, is_self)


def resolve_passed(index: CodeIndex, path: str, passed: Passed) -> Resolved | None:
    """Return the function, method or class that the file at ``path`` hands over, if that is sure.

    A name is never resolved for being unique, since most values are variables.
    """
    names = index.names(path)
    *before, _ = _STEP_END.split(passed.path)
    if before:
        value = value_of(index, names, passed.scope, passed.path)
    else:  # as for a call, a name stands for a function before anything else
        value = lookup(index, names, passed.scope, passed.path)
    if value is None or value.ref is None or value.is_instance or value.overloads:
        return None
    if index.entity(value.ref).kind not in _PASSED:
        return None
    receiver = ".".join(before)
    is_self = receiver in _OWN or _is_receiver(names, passed.scope, receiver)
    return Resolved(value.ref, _via(index, path, value, value.ref, is_self))


def _is_receiver(names: FileNames, scope: int, receiver: str) -> bool:
    """Return whether ``receiver`` is the receiver of the method of Go at ``scope``."""
    bindings = names.bindings.get((scope, receiver), ())
    return any(binding.type == SELF for binding in bindings)


def _resolved(
    index: CodeIndex, path: str, value: Value | None, call: Call, is_self: bool
) -> Resolved | None:
    family = family_of(index.files[path])
    if family is SCRIPT and value is not None and value.ref is not None and value.ref[1] == MODULE:
        value = member(index, value, DEFAULT)  # a file of CommonJS that is called
    if value is None or value.ref is None or value.is_instance:
        return None
    ref = value.ref
    if family not in (PYTHON, SCRIPT):
        refs = fitting(index, value.overloads or (value.ref,), call, family)
        if len(refs) != 1:
            return None
        ref = refs[0]
    if index.entity(ref).kind is EntityKind.MODULE:
        return None
    return Resolved(ref, _via(index, path, value, ref, is_self))


def _via(index: CodeIndex, path: str, value: Value, ref: Ref, is_self: bool) -> Via:
    """Return how ``value`` was found to mean ``ref`` from the file at ``path``."""
    if is_self or (value.is_own and index.entity(ref).kind is EntityKind.METHOD):
        return Via.SELF
    is_local = ref[0] == path or note_of(ref[0]) is not None
    if family_of(index.files[path]).shares_folders and note_of(path) is None:
        is_local = is_local or posixpath.dirname(ref[0]) == posixpath.dirname(path)
    return Via.LOCAL if is_local else Via.IMPORT


def fitting(index: CodeIndex, refs: Iterable[Ref], call: Call, family: Family) -> list[Ref]:
    """Return the functions that accept a call's arguments; only the exact matches if some exist."""
    able = [ref for ref in refs if _fits(index.entity(ref).parameters, call, family)]
    exact = [ref for ref in able if index.entity(ref).parameters == call.arguments]
    return exact or able


def _fits(parameters: int, call: Call, family: Family) -> bool:
    count = call.arguments
    if MANY in (parameters, count) or count == parameters:
        return True
    if family is C:  # a declaration elsewhere may have default arguments
        return count < parameters or parameters == 0
    if family is GO:  # one call may return all arguments
        return count == 1
    return call.receiver.endswith("::") and count == parameters + 1  # the first one is ``self``


def _unique(index: CodeIndex, path: str, call: Call) -> Resolved | None:
    """Return the method of this name that only one class has."""
    family = family_of(index.files[path])
    if is_common(call.name, family):
        return None
    only = index.only_method(call.name, path)
    if only is None or not same_family(index, path, only):
        return None
    if family in (PYTHON, SCRIPT):
        is_likely = not (_is_built_in(index, path, call) or _is_library_result(index, call, family))
    else:
        is_likely = _is_likely(index, only, call, family)
    return Resolved(only, Via.UNIQUE) if is_likely else None


def _is_built_in(index: CodeIndex, path: str, call: Call) -> bool:
    """Return whether a receiver begins with a name that its file binds nowhere, as ``Promise``.

    In a block of a note, only a capitalized name counts: the text may explain the others.
    """
    first = call.receiver.partition(".")[0]
    if not first.isidentifier() or first in OWN_NAMES:
        return False
    is_bound = index.names(path).binds(call.scope, first)
    return not is_bound and (note_of(path) is None or first[:1].isupper())


def _is_library_result(index: CodeIndex, call: Call, family: Family) -> bool:
    """Return whether a receiver is the result of a library's method, as in ``page.goto().click``.

    Common methods do not count: those of a container return what was put in, whatever that is.
    """
    methods = _METHOD_CALLED.findall(call.receiver)
    return any(not index.has_entity(name) and not is_common(name, family) for name in methods)


def _is_likely(index: CodeIndex, only: Ref, call: Call, family: Family) -> bool:
    """Return whether a call may mean a method, where variables have types.

    A receiver that ends with ``::``, or whose last name is capitalized, is an unknown type. If a
    class extends one outside of the project, a method may be that one's.
    """
    is_type = call.receiver.endswith("::") or call.receiver.rpartition(".")[2][:1].isupper()
    if is_type or not fitting(index, (only,), call, family):
        return False
    if family not in (JAVA, C):
        return True
    owner = owner_of(index, index.names(only[0]), only[1])
    return owner is not None and owner.ref is not None and not has_outside_base(index, owner.ref)
