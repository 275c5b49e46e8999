"""The methods ``read`` and ``why``: the text of one note, and whether it is indexed."""

from collections.abc import Sequence

from clew.engine.snapshot import Snapshot
from clew.index.formulas.note_dates import DateSource
from clew.query.citations.cited import citation
from clew.query.citations.note_lines import Effort, NoteLines, OutOfEffort
from clew.query.dates import iso
from clew.query.notes.contested import with_written_alias
from clew.query.references.forms import LineFragment, is_note_path, line_fragment
from clew.query.references.fragments import Lines, lines_of, lines_of_text
from clew.query.references.locate import (
    Place,
    left_out_note,
    locate,
    locate_place,
    locate_title,
    written_path,
)
from clew.query.slices import finished
from clew.text.filename import folders_with_parents
from clew.text.uri import to_uri
from clew.values import replies, requests
from clew.values.errors import ECHO_CHARACTERS_MAX, InvalidParams, NotFound
from clew.values.note import DEFAULT_TYPE, Note, Problem

_HEADINGS_SHOWN_MAX = 10
_IN_FILE = "its text is in the file alone, and `doctor` says what mends that"
_COMPARED_LINES_MAX = 200_000  # compared to find cited lines that moved, in 60 ms


def place_to_read(snapshot: Snapshot, request: requests.Read) -> Place:
    """Return the note, or the part of one, that a ``read`` request names.

    Raises:
        InvalidParams: not exactly one of ``uri`` and ``title`` is given.
        NotFound: the request names no note.
        Ambiguous: it names several.
    """
    if (request.uri is None) == (request.title is None):
        raise InvalidParams("give either uri or title", "uri")
    if request.uri is not None:
        return locate_place(snapshot, request.uri)
    assert request.title is not None
    return locate_title(snapshot, request.title)


def read(snapshot: Snapshot, request: requests.Read) -> replies.Read:
    """Return a note's text, or some of its lines, at this revision.

    Raises:
        InvalidParams: the lines are out of order or start after the note's end.
        NotFound: the request names no note or no part of it, or the note is indexed by name only.
        Ambiguous: it names several notes.
    """
    place = place_to_read(snapshot, request)
    path = place.path
    note = snapshot.note(path)
    if note.name_only:
        reason = note.problems[0].message if note.problems else "its content is not read"
        reason = reason.partition(": indexed by name")[0]
        raise NotFound(f"{to_uri(path)} is indexed by name only: {reason}", _IN_FILE)
    lines = lines_of_text(note.text)
    cited = _cited_lines(place)
    standing = _lines_standing(note, cited) if cited else None
    if standing and request.lines is None:
        first, last = standing
    else:
        first, last = _line_range(request, place, note, lines)
    is_whole = request.lines is None and not place.fragment
    return replies.Read(
        revision=snapshot.revision,
        uri=to_uri(path),
        title=note.title,
        content=note.text if is_whole else "\n".join(lines[first - 1 : last]),
        checksum=note.content_hash,
        lines=(first, last),
        total_lines=len(lines),
        metadata=_metadata(snapshot, path),
        citation=citation(
            request.uri or request.title or "", to_uri(path), cited, standing, len(lines)
        )
        if cited
        else None,
    )


def _cited_lines(place: Place) -> LineFragment | None:
    """Return the lines that a reference names, if it has their hash."""
    numbered = line_fragment(place.fragment)
    return numbered if numbered is not None and numbered.hash is not None else None


def _lines_standing(note: Note, cited: LineFragment) -> Lines | None:
    """Return the lines of ``note`` that have the hash of the cited lines now, if it has any."""
    try:
        return finished(NoteLines(note, Effort(_COMPARED_LINES_MAX)).standing(cited))
    except OutOfEffort:
        return None


def _line_range(
    request: requests.Read, place: Place, note: Note, lines: Sequence[str]
) -> tuple[int, int]:
    """Return the first and the last line to show (1-based)."""
    if request.lines is None and place.fragment:
        return _lines_named(place, note, lines)
    first, last = request.lines or (1, len(lines))
    if first > last:
        raise InvalidParams(f"lines must rise, got {first}-{last}", "lines")
    if first > len(lines):
        raise InvalidParams(f"lines begin at {first}, and the note has {len(lines)}", "lines")
    return first, min(last, len(lines))


def _lines_named(place: Place, note: Note, lines: Sequence[str]) -> tuple[int, int]:
    named = lines_of(note, lines, place.fragment)
    if named is None:
        shown = place.fragment[:ECHO_CHARACTERS_MAX]
        message = f"{to_uri(place.path)} has no heading, block or lines {shown!r}"
        headings = ", ".join(heading.text for heading in note.headings[:_HEADINGS_SHOWN_MAX])
        raise NotFound(message, f"its headings: {headings}" if headings else "it has no headings")
    return named


def _metadata(snapshot: Snapshot, path: str) -> replies.Metadata:
    note, dates = snapshot.note(path), snapshot.dates(path)
    return replies.Metadata(
        type=note.fields.type or DEFAULT_TYPE,
        tags=note.tags,
        importance=note.fields.importance,
        created=iso(dates.created_s),
        modified=iso(dates.changed_s),
        aliases=note.fields.aliases,
    )


def file_meant(snapshot: Snapshot, reference: str) -> str:
    """Return the path of the file that a reference means: of a note, indexed or left out, or other.

    It is the written path if no file has the name.

    Raises:
        Ambiguous: several indexed notes have the name.
    """
    path = written_path(reference).rstrip("/")
    if path in snapshot.entries or snapshot.names.has_file(path):
        return path
    return _indexed_path(snapshot, reference) or left_out_note(snapshot, path) or path


def note_left_out_in(snapshot: Snapshot, folder: str) -> str | None:
    """Return a note of a folder if notes are in it, and none of them is in the index."""
    if folder in snapshot.entries or _has_notes(snapshot, folder):
        return None
    inside = f"{folder}/"
    notes = (
        path for path in snapshot.names.files() if path.startswith(inside) and is_note_path(path)
    )
    return min(notes, default=None)


def why(
    snapshot: Snapshot,
    path: str,
    rule: str | None,
    problems: list[Problem],
    now_s: float,
) -> replies.Why:
    """Return whether a file is indexed, and why not otherwise; and its dates and weight.

    ``path``: as ``file_meant`` returns it. ``rule``: the ignore rule that excludes the file, or the
    notes of the folder, if one does. ``problems``: of all files.
    """
    dates = snapshot.dates(path) if path in snapshot.entries else None
    state = _state(snapshot, path, rule)
    # A file is missing too where a folder around it cannot be listed, or is a symbolic link.
    places = set(folders_with_parents([path])) if state == "missing" else {path}
    return replies.Why(
        revision=snapshot.revision,
        uri=to_uri(path),
        state=state,
        rule=rule,
        created=_note_date(dates.created_s, dates.created_from) if dates else None,
        changed=_note_date(dates.changed_s, dates.changed_from) if dates else None,
        weight=replies.rounded(snapshot.weight(path, now_s)) if dates else None,
        chunks=len(snapshot.note(path).chunks) if dates else None,
        problems=tuple(
            with_written_alias(snapshot, to_problem(problem))
            for problem in problems
            if problem.path in places
        ),
    )


def _indexed_path(snapshot: Snapshot, reference: str) -> str | None:
    try:
        return locate(snapshot, reference)
    except NotFound:
        return None


def _note_date(at_s: float, source: DateSource) -> replies.NoteDate:
    return replies.NoteDate(date=iso(at_s), source=source)


def _state(snapshot: Snapshot, path: str, rule: str | None) -> str:
    entry = snapshot.entries.get(path)
    if entry is None and rule is not None:
        return "ignored"
    if entry is None:
        return _state_without_note(snapshot, path)
    if any(problem.code == replies.QUARANTINED for problem in entry.note.problems):
        return "quarantined"
    return "nameOnly" if entry.note.name_only else "indexed"


def _state_without_note(snapshot: Snapshot, path: str) -> str:
    if snapshot.names.has_file(path):
        return "attachment"
    return "folder" if _has_notes(snapshot, path) else "missing"


def _has_notes(snapshot: Snapshot, folder: str) -> bool:
    """Return whether there are indexed notes in a folder or below it."""
    return folder in folders_with_parents(snapshot.fields.folders(snapshot.graph.is_live))


def to_problem(problem: Problem) -> replies.Problem:
    """Return a problem in the form of a reply."""
    return replies.Problem(
        uri=to_uri(problem.path),
        code=problem.code,
        line=problem.line,
        message=problem.message,
        value=problem.value,
    )
