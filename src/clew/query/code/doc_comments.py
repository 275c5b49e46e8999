"""The docstrings and comments of code, as packs show them: masked, on one line, cut to length."""

import re

from clew.engine.snapshot import Snapshot
from clew.index.code.code_index import CodeIndex, Ref
from clew.query.quoting.note_text import in_label, one_line
from clew.text.filename import shown_name
from clew.text.masking.secrets import masked
from clew.text.regions.sentences import STOPS
from clew.values.code.code_file import CLASSES, MODULE, Entity, EntityKind

NAME_CHARACTERS_MAX = 120
ABOUT_CHARACTERS_MAX = 1_200
_ROOM_AFTER = 60  # characters that the first sentence leaves to the sentence with a name
# Doc comments are on one line, with single spaces and with semicolons between their parts.
_CLAUSE_END = re.compile(rf"[{STOPS}:] (?=\S)")
_SENTENCE_END = re.compile(rf"[{STOPS};] (?=\S)")


def about(entity: Entity) -> str:
    """Return the doc comment of an entity, on one line."""
    return in_label(masked(entity.about)[0], ABOUT_CHARACTERS_MAX)


def inside(entity: Entity) -> str:
    """Return what an entity raises and the comments in it, on one line."""
    return in_label(masked(entity.inside)[0], ABOUT_CHARACTERS_MAX)


def first_sentence(text: str) -> str:
    """Return a text up to its first sentence end or colon; without that sign if more follows."""
    return _CLAUSE_END.split(text, maxsplit=1)[0]


def sentences(text: str) -> list[str]:
    """Return the sentences of a text."""
    return _SENTENCE_END.split(text)


def about_file(index: CodeIndex, path: str) -> str:
    """Return the doc comment of a file."""
    return about(index.files[path].entities[MODULE])


def about_own_file(index: CodeIndex, ref: Ref) -> str:
    """Return the doc comment of an entity's file: if it names the entity, shortened to that part.

    "" for the entity that is the file itself.
    """
    if ref[1] == MODULE:
        return ""
    text = about_file(index, ref[0])
    return _around_name(text, index.entity(ref).name, ABOUT_CHARACTERS_MAX) or text


def about_user(snapshot: Snapshot, ref: Ref, used: Ref, characters_max: int) -> str:
    """Return the doc comment of the entity ``ref``, which uses another; "" for a module.

    If that is too long, it is shortened to the first sentence and the part that names what is used.
    """
    if ref[1] == MODULE or not characters_max:
        return ""
    text = about(snapshot.code.entity(ref))
    if len(text) > characters_max:
        text = _around_name(text, snapshot.code.entity(used).name, characters_max - _ROOM_AFTER)
        text = text or first_sentence(about(snapshot.code.entity(ref)))
    return quotable(text, characters_max)


def about_class_of(snapshot: Snapshot, ref: Ref, used: Ref, characters_max: int) -> str:
    """Return the doc comment of the class of a method, as ``about_user`` does; "" without one."""
    entity = snapshot.code.entity(ref)
    parent = ref[0], entity.parent
    is_member = entity.kind is EntityKind.METHOD and snapshot.code.entity(parent).kind in CLASSES
    return about_user(snapshot, parent, used, characters_max) if is_member else ""


def name_of(snapshot: Snapshot, ref: Ref) -> str:
    """Return the qualified name of an entity as it is shown."""
    return quoted_name(snapshot.code.entity(ref).qualified)


def quoted_name(name: str) -> str:
    """Return a name of the source as it is shown."""
    return one_line(masked(shown_name(name))[0], NAME_CHARACTERS_MAX)


def quotable(text: str, characters_max: int) -> str:
    """Return a text as it is shown between quotation marks."""
    return in_label(text.rstrip(".:").replace('"', "'"), characters_max)


def _around_name(text: str, name: str, first_max: int) -> str:
    """Return the first sentence of a text, and all from the sentence on that has ``name``.

    "" if the name is not in a later sentence, or the first one has over ``first_max`` characters.
    """
    named = re.search(rf"\b{re.escape(name)}\b", text)
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    start = max((end for end in ends if named is not None and end <= named.start()), default=0)
    if not start or ends[0] > first_max:
        return ""
    return text if start == ends[0] else f"{text[: ends[0]]}… {text[start:]}"
