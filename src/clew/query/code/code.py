"""The method ``code``: an entity with its callers, calls, implementations and notes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from clew.engine.snapshot import Snapshot
from clew.index.code.code_index import Ref
from clew.index.code.edges import (
    Edge,
    Receiver,
    callers_by_file,
    calls_of,
    implementations_by_file,
    implements,
    imports_of,
    members_of,
    passed_by_file,
)
from clew.query.citations.passage_hash import line_reference, passage_hash
from clew.query.code.mentions import Mention, mentions_of_entity
from clew.query.code.name_resolution import resolve_request, symbol_id_of
from clew.query.cursors import cursor_after, last_key, outdated
from clew.query.notes.shown_lines import shown_line
from clew.query.slices import PAUSE, Slices
from clew.query.suggest import close_names
from clew.text.filename import shown_name
from clew.text.markdown.code_names import name_parts
from clew.text.uri import to_uri
from clew.values.code.code_file import Import, note_of
from clew.values.code.replies import (
    CodeEdge,
    CodeEntity,
    CodeImport,
    CodeNote,
    CodeReceiver,
    CodeReply,
    CodeSymbol,
)
from clew.values.requests import Code

Row = TypeVar("Row")

ROWS_OF_SEVERAL = 10  # rows of each list of an entity, if several entities are shown
FILES_SEARCHED_MAX = 5_000  # for callers, or for implementations
NAMES_COMPARED_MAX = 200_000  # names; an index with more suggests no similar ones


class _Shown(NamedTuple):
    """The place in the lists: how many rows of each earlier pages had, and a digest of them."""

    row_count: int
    digest: bytes


def code(snapshot: Snapshot, request: Code) -> Slices[CodeReply]:
    """Return the entities that a name means, with their edges and the notes that speak of them.

    Raises:
        InvalidParams: the cursor is not one that a reply to this request gave, or the rows of
            earlier pages have changed.
    """
    refs = yield from resolve_request(snapshot, request.name)
    if len(refs) == 1:
        details = yield from _details(snapshot, refs[0])
        start, end, cursor = _place(request, details.lists)
        entities = [_entity(snapshot, refs[0], details, start, end)]
        return _reply(snapshot, entities, start, details.longest, cursor, truncated=details.is_cut)
    start, end, cursor = _place(request, [refs])
    entities, is_cut = [], False
    for ref in refs[start:end]:
        details = yield from _details(snapshot, ref)
        entities.append(_entity(snapshot, ref, details, 0, ROWS_OF_SEVERAL))
        is_cut |= details.is_cut
    is_ambiguous = len(refs) > 1
    reply = _reply(
        snapshot, entities, start, len(refs), cursor, truncated=is_cut, ambiguous=is_ambiguous
    )
    if refs:
        return reply
    return replace(reply, suggestions=(yield from _similar(snapshot, request.name)))


def _place(request: Code, lists: Sequence[Sequence[object]]) -> tuple[int, int, str | None]:
    """Return the start and the end of this page in each list, and the cursor of the next page."""
    last = last_key(request, _Shown)
    start = last.row_count if last is not None else 0
    if last is not None and last.digest != _digest(lists, start):
        raise outdated("the code or its notes have changed")
    end, longest = start + request.limit, max(map(len, lists))
    has_more = end < longest
    cursor = cursor_after(request, _Shown(end, _digest(lists, end))) if has_more else None
    return start, end, cursor


def _digest(lists: Sequence[Sequence[object]], end: int) -> bytes:
    shown = repr([rows[:end] for rows in lists])
    return blake2b(shown.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _reply(
    snapshot: Snapshot,
    entities: Sequence[CodeEntity],
    start: int,
    total: int,
    cursor: str | None,
    *,
    truncated: bool,
    ambiguous: bool = False,
) -> CodeReply:
    return CodeReply(
        revision=snapshot.revision,
        entities=tuple(entities),
        ambiguous=ambiguous,
        truncated=truncated,
        suggestions=(),
        start=start,
        total=total,
        cursor=cursor,
    )


def _similar(snapshot: Snapshot, name: str) -> Slices[tuple[str, ...]]:
    """Return the names of entities similar to an unknown one."""
    if snapshot.code.name_count > NAMES_COMPARED_MAX:
        return ()
    last = (name_parts(name) or (name,))[-1]
    return (yield from close_names(last, snapshot.code.entity_names()))


@dataclass(frozen=True, slots=True)
class _Details:
    """All edges of an entity, and the notes that speak of it."""

    members: Sequence[Ref]
    callers: Sequence[Edge]
    passed: Sequence[Edge]
    calls: Sequence[Edge]
    unresolved: Sequence[str]
    implements: Sequence[Ref]
    implementations: Sequence[Ref]
    imports: Sequence[tuple[Import, Ref | None]]
    notes: Sequence[Mention]
    is_cut: bool  # whether not all files and notes were looked at

    @property
    def lists(self) -> tuple[Sequence[object], ...]:
        """All lists; a page has the same range of rows of each."""
        edges = self.members, self.callers, self.passed, self.calls, self.unresolved
        return (*edges, self.implementations, self.implements, self.imports, self.notes)

    @property
    def longest(self) -> int:
        """The length of the longest list."""
        return max(map(len, self.lists))


def _details(snapshot: Snapshot, ref: Ref) -> Slices[_Details]:
    index = snapshot.code
    callers, has_more_callers = yield from rows_of_first(
        callers_by_file(index, ref), FILES_SEARCHED_MAX
    )
    passed, has_more_passed = yield from rows_of_first(
        passed_by_file(index, ref), FILES_SEARCHED_MAX
    )
    classes, has_more_classes = yield from rows_of_first(
        implementations_by_file(index, ref), FILES_SEARCHED_MAX
    )
    calls = calls_of(index, ref)
    yield PAUSE
    notes, has_more_notes = yield from mentions_of_entity(snapshot, ref)
    return _Details(
        members=members_of(index, ref),
        callers=callers,
        passed=passed,
        calls=calls.edges,
        unresolved=calls.unresolved,
        implements=implements(index, ref),
        implementations=list(dict.fromkeys(classes)),
        imports=imports_of(index, ref),
        notes=notes,
        is_cut=has_more_callers or has_more_passed or has_more_classes or has_more_notes,
    )


def rows_of_first(
    rows_by_file: Iterable[list[Row]], files_max: int
) -> Slices[tuple[list[Row], bool]]:
    """Return the rows of the first ``files_max`` files, and whether there were more files."""
    rows: list[Row] = []
    for count, of_file in enumerate(rows_by_file):
        if count == files_max:
            return rows, True
        rows += of_file
        yield PAUSE
    return rows, False


def _entity(snapshot: Snapshot, ref: Ref, details: _Details, start: int, end: int) -> CodeEntity:
    """Return an entity with the rows from ``start`` to ``end`` of each list."""
    symbol = _symbol(snapshot, ref)

    def symbols(refs: Sequence[Ref]) -> tuple[CodeSymbol, ...]:
        return tuple(_symbol(snapshot, each) for each in refs[start:end])

    return CodeEntity(
        symbol_id=symbol.symbol_id,
        name=symbol.name,
        kind=symbol.kind,
        file=symbol.file,
        lines=symbol.lines,
        ref=symbol.ref,
        language=snapshot.code.files[ref[0]].language,
        about=snapshot.code.entity(ref).about or None,
        inside=snapshot.code.entity(ref).inside or None,
        members=symbols(details.members),
        member_count=len(details.members),
        callers=tuple(_edge(snapshot, edge.source, edge) for edge in details.callers[start:end]),
        caller_count=len(details.callers),
        passed=tuple(_edge(snapshot, edge.source, edge) for edge in details.passed[start:end]),
        passed_count=len(details.passed),
        calls=tuple(_edge(snapshot, edge.target, edge) for edge in details.calls[start:end]),
        call_count=len(details.calls),
        unresolved_calls=tuple(details.unresolved[start:end]),
        unresolved_count=len(details.unresolved),
        implements=symbols(details.implements),
        implementations=symbols(details.implementations),
        implementation_count=len(details.implementations),
        imports=tuple(_import(snapshot, *each) for each in details.imports[start:end]),
        import_count=len(details.imports),
        notes=tuple(
            CodeNote(uri=to_uri(each.path), line=each.line, text=shown_line(each.text))
            for each in details.notes[start:end]
        ),
        note_count=len(details.notes),
    )


def _symbol(snapshot: Snapshot, ref: Ref) -> CodeSymbol:
    entity = snapshot.code.entity(ref)
    return CodeSymbol(
        symbol_id=symbol_id_of(snapshot.code, ref),
        name=shown_name(entity.qualified),
        kind=entity.kind,
        file=file_of(ref[0]),
        lines=(entity.first_line, entity.last_line),
        ref=reference_of(snapshot, ref),
    )


def _edge(snapshot: Snapshot, other: Ref, edge: Edge) -> CodeEdge:
    symbol = _symbol(snapshot, other)
    return CodeEdge(
        symbol_id=symbol.symbol_id,
        name=symbol.name,
        kind=symbol.kind,
        file=symbol.file,
        ref=symbol.ref,
        line=edge.line,
        via=edge.via,
        comment=edge.comment or None,
        receiver=_receiver(snapshot, edge.receiver) if edge.receiver is not None else None,
    )


def _receiver(snapshot: Snapshot, receiver: Receiver) -> CodeReceiver:
    name = shown_name(receiver.name)
    if receiver.ref is None:
        return CodeReceiver(name=name, symbol_id=None, file=None, ref=None)
    symbol = _symbol(snapshot, receiver.ref)
    return CodeReceiver(name=name, symbol_id=symbol.symbol_id, file=symbol.file, ref=symbol.ref)


def _import(snapshot: Snapshot, item: Import, ref: Ref | None) -> CodeImport:
    return CodeImport(
        module=shown_name(item.module),
        name=item.name or None,
        line=item.line,
        symbol_id=None if ref is None else symbol_id_of(snapshot.code, ref),
        file=None if ref is None else file_of(ref[0]),
    )


def file_of(path: str) -> str:
    """Return the file of an entity: the URI of a note, or the path of a file of code."""
    note = note_of(path)
    return to_uri(note) if note is not None else shown_name(path)


def reference_of(snapshot: Snapshot, ref: Ref) -> str:
    """Return the reference of an entity's lines; in a note with their hash."""
    entity, note = snapshot.code.entity(ref), note_of(ref[0])
    lines = entity.first_line, entity.last_line
    if note is None:
        return f"{shown_name(ref[0])}#L{lines[0]}-L{lines[1]}"
    text = snapshot.note(note).text.split("\n")[lines[0] - 1 : lines[1]]
    return line_reference(to_uri(note), lines, passage_hash(text))
