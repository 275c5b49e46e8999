"""Resolution of names to entities of code, in a request or in the text of a note.

Files of code come before the fenced blocks of notes, which may quote them. Several definitions of
one name in one file are one entity in the text of a note: the last, as at run time.
"""

from collections.abc import Iterable, Sequence

from clew.index.code.code_index import CodeIndex, Ref
from clew.query.references.forms import line_fragment
from clew.query.slices import PAUSE, Slices
from clew.text.filename import shown_name
from clew.text.markdown.code_names import is_shaped, name_parts
from clew.text.uri import from_uri
from clew.values.code.code_file import MODULE, EntityKind, note_of

FILES_ASKED_MAX = 1_000  # that have a name which is asked for
FILES_MEANT_MAX = 64  # a name in the text of a note that more files have is never one entity
_FILES_A_STEP = 16


def resolve_request(index: CodeIndex, text: str) -> Slices[list[Ref]]:
    """Return the entities that ``text`` names in a request, by path and line.

    It is a symbol id, a reference to a file, a note or lines of one, or a name. If a file has an
    entity of this name, those in notes are not meant.
    """
    text = text.strip()
    found = _at_reference(index, text) or (yield from _with_symbol(index, text))
    return found or in_files_first((yield from _matching(index, name_parts(text))))


def symbol_id_of(index: CodeIndex, ref: Ref) -> str:
    """Return the id of an entity, as replies show it."""
    return shown_name(index.entity(ref).symbol_id)


def _with_symbol(index: CodeIndex, text: str) -> Slices[list[Ref]]:
    halves = text.rsplit("::", 2)  # the path, the qualified name and the kind
    if len(halves) < 3:
        return []
    refs = yield from _matching(index, halves[1].split("."))
    return [ref for ref in refs if symbol_id_of(index, ref) == text]


def _at_reference(index: CodeIndex, text: str) -> list[Ref]:
    """Return the entities at a reference to a file or a note, or to lines of it."""
    path, mark, fragment = from_uri(text).partition("#L")
    lines = line_fragment(f"L{fragment}") if mark else None
    is_file = path in index.files
    if mark and lines is None:
        return []
    if lines is None and is_file:
        return [(path, MODULE)]
    paths = [path] if is_file else list(index.block_paths(path))
    refs = [(each, number) for each in paths for number in range(len(index.files[each].entities))]
    if lines is None:
        return [ref for ref in refs if index.entity(ref).parent == MODULE]
    return _with_lines(index, refs, lines.first, lines.last)


def _with_lines(index: CodeIndex, refs: Sequence[Ref], first: int, last: int) -> list[Ref]:
    """Return the entities with exactly these lines, else the innermost one around them."""
    named = [ref for ref in refs if ref[1] != MODULE or note_of(ref[0]) is None]
    spans = [(index.entity(ref).first_line, index.entity(ref).last_line) for ref in named]
    exact = [ref for ref, span in zip(named, spans, strict=True) if span == (first, last)]
    around = [
        ref
        for ref, (start, end) in zip(named, spans, strict=True)
        if start <= first and last <= end
    ]
    return exact or around[-1:]


def _matching(index: CodeIndex, parts: Sequence[str]) -> Slices[list[Ref]]:
    """Return the entities that a path of names can mean: its end, or all of it."""
    refs: list[Ref] = []
    for count, path in enumerate(index.paths_with_entities(parts)[:FILES_ASKED_MAX]):
        if count % _FILES_A_STEP == 0:
            yield PAUSE
        refs += _matching_in(index, path, parts)
    return refs


def _matching_in(index: CodeIndex, path: str, parts: Sequence[str]) -> list[Ref]:
    wanted = ".".join(("", *parts))
    refs = index.named_in(path, parts[-1])
    return [ref for ref in refs if _path_of(index, ref).endswith(wanted)]


def _path_of(index: CodeIndex, ref: Ref) -> str:
    """Return the names around an entity and its own, each with a dot before it."""
    entity, file = index.entity(ref), index.files[ref[0]]
    if entity.kind is EntityKind.MODULE:
        return f".{entity.name}"
    module = "" if note_of(ref[0]) else f".{file.entities[MODULE].name}"
    return f"{module}.{entity.qualified}"


def in_files_first(refs: Sequence[Ref]) -> list[Ref]:
    """Return the entities in files of code, or all if none is."""
    return [ref for ref in refs if note_of(ref[0]) is None] or list(refs)


# -- in notes -------------------------------------------------------------------------------------


def resolve_in_note(index: CodeIndex, note: str, parts: Sequence[str]) -> Ref | None:
    """Return the only entity that a path of names in the text of ``note`` can mean.

    That is one in a file, else in the note's own blocks, else in those of other notes.
    """
    refs = resolve_in_text(index, parts)
    own = [ref for ref in refs if note_of(ref[0]) == note]
    files = [ref for ref in refs if note_of(ref[0]) is None]
    nearest = files or own or refs
    return nearest[0] if len(nearest) == 1 else None


def resolve_in_text(index: CodeIndex, parts: Sequence[str]) -> list[Ref]:
    """Return the entities that a path of names in a text can mean, those in notes too.

    Where the path as a whole means nothing, such as ``app.AuthService``, its last part may, or its
    first, if it is written as only identifiers are, and the part before it is no entity itself.
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
    return _last_of_each(index, (ref for path in paths for ref in _matching_in(index, path, parts)))


def _last_of_each(index: CodeIndex, refs: Iterable[Ref]) -> list[Ref]:
    """Return the last entity of each file and qualified name."""
    last = {(ref[0], index.entity(ref).qualified): ref for ref in refs}
    return list(last.values())
