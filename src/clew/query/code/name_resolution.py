"""Resolution of names to entities of code, in a request or in the text of a note.

Files of code come before the fenced blocks of notes, which may quote them. Several definitions of
one name in one file are one entity in the text of a note: the last, as at run time.
"""

import re
from collections.abc import Iterable, Sequence

from clew.engine.snapshot import Snapshot
from clew.index.code.code_index import CodeIndex, Ref
from clew.index.code.constructors import constructed_class
from clew.index.code.edges import with_bodies
from clew.query.citations.note_lines import Effort, NoteLines, OutOfEffort
from clew.query.references.forms import line_fragment
from clew.query.references.locate import locate_place
from clew.query.slices import PAUSE, Slices
from clew.text.filename import shown_name
from clew.text.markdown.code_names import is_shaped, name_parts
from clew.text.uri import SCHEME, from_uri
from clew.values.code.code_file import FUNCTIONS, MODULE, Entity, EntityKind, note_of
from clew.values.errors import Ambiguous, UnknownNote

FILES_ASKED_MAX = 1_000  # files with a requested name that are searched
_COMPARED_LINES_MAX = 200_000  # to find lines that have moved, 60 ms of work
FILES_MEANT_MAX = 64  # in the text of a note, a name that more files have means no entity
ENDS_MAX = 8  # dotted ends of a name that are looked up
_FILES_A_STEP = 16
_DOT = re.compile(r"\.")


def resolve_request(snapshot: Snapshot, text: str) -> Slices[list[Ref]]:
    """Return the entities that ``text`` names in a request, by path and line.

    ``text``: a symbol id, a reference to a file, a note or a part of one, or a name. Entities in
    notes are returned only if no file has one of this name. If no entity has the name, it may be
    that of a note, whose entities are returned.
    """
    text, index = text.strip(), snapshot.code
    refs = _in_file(index, from_uri(text))
    if not refs and (text.startswith(SCHEME) or text.partition("#")[0] in snapshot.entries):
        refs = yield from _in_note(snapshot, text)
    refs = refs or _with_symbol(index, text)
    if refs:
        return _with_bodies(index, refs)
    matching = yield from _matching(index, name_parts(text))
    refs = in_files_or_all(matching or _as_shown(index, text))
    return refs or (yield from _in_note(snapshot, text))


def symbol_id_of(index: CodeIndex, ref: Ref) -> str:
    """Return the id of an entity, as replies show it."""
    return shown_name(index.entity(ref).symbol_id)


def _with_symbol(index: CodeIndex, text: str) -> list[Ref]:
    halves = text.rsplit("::", 2)  # the path, the qualified name and the kind
    if len(halves) < 3:
        return []
    return [ref for ref in _as_shown(index, halves[1]) if symbol_id_of(index, ref) == text]


def _as_shown(index: CodeIndex, name: str) -> list[Ref]:
    """Return the entities whose qualified name ends with exactly ``name``, such as ``A.'x-y'``.

    The last part may contain dots, so each dotted end of ``name`` is looked up.
    """
    starts = [0, *(match.end() for match in _DOT.finditer(name))][-ENDS_MAX:]
    ends = [name[start:] for start in starts if start < len(name)]
    return [
        ref
        for last in ends
        for path in index.paths_with_entities((last,))[:FILES_ASKED_MAX]
        for ref in index.named_in(path, last)
        if index.entity(ref).name == last and _path_of(index, ref).endswith(f".{name}")
    ]


def _in_file(index: CodeIndex, text: str) -> list[Ref]:
    """Return the module of the file that ``text`` names, or the entities at lines of it."""
    path, mark, fragment = text.partition("#")
    if path not in index.files:
        return []
    lines = line_fragment(fragment)
    if lines is None:
        return [] if mark else [(path, MODULE)]
    return _at_lines(index, _entities_of(index, path), (lines.first, lines.last))


def _in_note(snapshot: Snapshot, text: str) -> Slices[list[Ref]]:
    """Return the entities in the code of the note, or of the part of one, that ``text`` names."""
    index = snapshot.code
    try:
        place = locate_place(snapshot, text)
    except (UnknownNote, Ambiguous):
        return []
    refs = [ref for path in index.block_paths(place.path) for ref in _entities_of(index, path)]
    if not refs or not place.fragment:
        return [ref for ref in refs if index.entity(ref).parent == MODULE]
    numbered = line_fragment(place.fragment)
    try:
        note_lines = NoteLines(snapshot.note(place.path), Effort(_COMPARED_LINES_MAX))
        lines = yield from note_lines.now(place.fragment)
    except OutOfEffort:
        lines = None
    if lines is None and numbered is not None:  # they changed, and some code may still be there
        lines = numbered.first, numbered.last
    return _at_lines(index, refs, lines) if lines else []


def _entities_of(index: CodeIndex, path: str) -> list[Ref]:
    """Return the entities of a file or a block; a block is no module of its own."""
    first = MODULE if note_of(path) is None else MODULE + 1
    return [(path, number) for number in range(first, len(index.files[path].entities))]


def _at_lines(index: CodeIndex, refs: Sequence[Ref], lines: tuple[int, int]) -> list[Ref]:
    """Return the entities with exactly these lines, else entities around them or within them.

    That is the innermost function around the lines, else the outermost entities that overlap them,
    else the innermost class or module around them.
    """
    first, last = lines
    enclosing: list[Ref] = []
    overlapping: dict[Ref, Entity] = {}
    for ref in refs:
        entity = index.entity(ref)
        if (entity.first_line, entity.last_line) == lines:
            return [each for each in refs if _span(index, each) == lines]
        if entity.first_line <= first and last <= entity.last_line:
            enclosing.append(ref)
        elif entity.first_line <= last and first <= entity.last_line:
            overlapping[ref] = entity
    if enclosing and index.entity(enclosing[-1]).kind in FUNCTIONS:
        return enclosing[-1:]
    outermost = [
        ref for ref, entity in overlapping.items() if (ref[0], entity.parent) not in overlapping
    ]
    return outermost or enclosing[-1:]


def _span(index: CodeIndex, ref: Ref) -> tuple[int, int]:
    entity = index.entity(ref)
    return entity.first_line, entity.last_line


def _matching(index: CodeIndex, parts: Sequence[str]) -> Slices[list[Ref]]:
    """Return the entities whose qualified name ends with the path of names ``parts``."""
    refs: list[Ref] = []
    for count, path in enumerate(index.paths_with_entities(parts)[:FILES_ASKED_MAX]):
        if count % _FILES_A_STEP == 0:
            yield PAUSE
        refs += _matching_in(index, path, parts)
    return _with_bodies(index, refs)


def _with_bodies(index: CodeIndex, refs: Iterable[Ref]) -> list[Ref]:
    """Return entities with the methods of C++ in place of their declarations.

    Constructors are left out where their class is among the entities, since they have its name.
    """
    defined = with_bodies(index, refs)
    present = set(defined)
    return [ref for ref in defined if constructed_class(index, ref) not in present]


def _matching_in(index: CodeIndex, path: str, parts: Sequence[str]) -> list[Ref]:
    """Return the entities of a file that a path of names can mean.

    Entities whose qualified name has all of the path exclude those that need the name of the file
    for it. A class or function excludes the file that is named after it.
    """
    wanted = ".".join(("", *parts))
    refs = index.named_in(path, parts[-1])
    refs = [ref for ref in refs if _path_of(index, ref).endswith(wanted)]
    refs = [ref for ref in refs if f".{index.entity(ref).qualified}".endswith(wanted)] or refs
    has_top_level = any(index.entity(ref).parent == MODULE for ref in refs)
    return [ref for ref in refs if ref[1] != MODULE or not has_top_level]


def _path_of(index: CodeIndex, ref: Ref) -> str:
    """Return the qualified name of an entity below its module's name, with a dot before each."""
    entity, file = index.entity(ref), index.files[ref[0]]
    if entity.kind is EntityKind.MODULE:
        return f".{entity.name}"
    module = "" if note_of(ref[0]) else f".{file.entities[MODULE].name}"
    return f"{module}.{entity.qualified}"


def in_files_or_all(refs: Sequence[Ref]) -> list[Ref]:
    """Return the entities that are in files of code; if there are none, all entities."""
    return [ref for ref in refs if note_of(ref[0]) is None] or list(refs)


# -- in notes -------------------------------------------------------------------------------------


def resolve_in_note(index: CodeIndex, note: str, parts: Sequence[str]) -> Ref | None:
    """Return the only entity that a path of names in the text of ``note`` can mean.

    Entities in files come first, then those in the note's own blocks, then those of other notes.
    """
    refs = resolve_in_text(index, parts)
    in_note = [ref for ref in refs if note_of(ref[0]) == note]
    in_files = [ref for ref in refs if note_of(ref[0]) is None]
    nearest = in_files or in_note or refs
    return nearest[0] if len(nearest) == 1 else None


def resolve_in_text(index: CodeIndex, parts: Sequence[str]) -> list[Ref]:
    """Return the entities that a path of names in a text can mean, also those in notes.

    If the whole path, such as ``app.AuthService``, means nothing, its last part is tried, unless
    the part before that is an entity; and then its first part. Either must be written as only
    identifiers are.
    """
    refs = _few_matching(index, parts)
    if not refs and len(parts) > 1:
        if is_shaped(parts[-1]) and not index.has_entity(parts[-2]):
            refs = _few_matching(index, parts[-1:])
        if not refs and is_shaped(parts[0]):
            refs = _few_matching(index, parts[:1])
    return refs


def _few_matching(index: CodeIndex, parts: Sequence[str]) -> list[Ref]:
    """Return the entities that a path of names can mean; none if it is in too many files."""
    paths = index.paths_with_entities(parts)
    if len(paths) > FILES_MEANT_MAX:
        return []
    refs = [ref for path in paths for ref in _matching_in(index, path, parts)]
    return _last_of_each(index, _with_bodies(index, refs))


def _last_of_each(index: CodeIndex, refs: Iterable[Ref]) -> list[Ref]:
    """Return the last entity of each file and qualified name."""
    last = {(ref[0], index.entity(ref).qualified): ref for ref in refs}
    return list(last.values())
