"""Constructors of Java, C++ and JavaScript: methods that a call of their class runs.

Calls lead to the class, since the number of their arguments may fit several constructors.
"""

from clew.index.code.code_index import CodeIndex, Ref
from clew.index.code.families import JAVA, SCRIPT, C, Family, family_of
from clew.index.code.lookup import owner_of
from clew.values.code.code_file import Entity, EntityKind

OWN_CLASS_CALLS = frozenset(("cls", "this", "super"))  # of the class around, or of its base

_SCRIPT_NAME = "constructor"


def constructed_class(index: CodeIndex, ref: Ref) -> Ref | None:
    """Return the class that an entity is a constructor of; ``None`` if it is no constructor."""
    entity, family = index.entity(ref), family_of(index.files[ref[0]])
    if entity.kind is not EntityKind.METHOD or not _has_constructor_name(entity, family):
        return None
    owner = owner_of(index, index.names(ref[0]), ref[1])
    return owner.ref if owner is not None else None


def _has_constructor_name(entity: Entity, family: Family) -> bool:
    if family is SCRIPT:
        return entity.name == _SCRIPT_NAME
    names = entity.qualified.split(".")[-2:]
    return family in (JAVA, C) and names == [entity.name, entity.name] and not entity.returns
