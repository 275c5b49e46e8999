"""Methods that a class of C++ only declares, and their definitions in other files."""

from clew.index.code.code_index import CodeIndex, Ref
from clew.index.code.value import Value
from clew.values.code.code_file import defines


def with_bodies(index: CodeIndex, value: Value | None, bodies: tuple[Ref, ...]) -> Value | None:
    """Return a member of a class, with the definitions ``bodies`` in place of declarations.

    ``value``: the member as the file of the class has it, if it has it.
    """
    refs = () if value is None or value.ref is None else value.overloads or (value.ref,)
    declared = tuple(
        ref
        for ref in refs
        if not any(defines(index.entity(body), index.entity(ref)) for body in bodies)
    )
    refs = (*bodies, *declared)
    return Value(refs[0], overloads=refs if len(refs) > 1 else ()) if refs else None


def is_declared(index: CodeIndex, value: Value | None) -> bool:
    """Return whether one of the methods that a value stands for is only declared there."""
    if value is None or value.ref is None or value.is_instance:
        return False
    return any(index.entity(ref).is_declared for ref in value.overloads or (value.ref,))
