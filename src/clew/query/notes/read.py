"""One note: its text, and why it is or is not in the index."""

from clew.engine.snapshot import Snapshot
from clew.query.dates import iso
from clew.query.notes.references import locate, locate_title
from clew.text.uri import from_uri, to_uri
from clew.values import replies, requests
from clew.values.errors import InvalidParams, NotFound
from clew.values.note import DEFAULT_TYPE, Problem


def note_to_read(snapshot: Snapshot, request: requests.Read) -> str:
    """Return the path of the note a ``read`` asks for.

    Raises:
        InvalidParams: not exactly one of ``uri`` and ``title`` is given.
        NotFound: no note of the vault is meant.
    """
    if (request.uri is None) == (request.title is None):
        raise InvalidParams("give either uri or title", "uri")
    if request.uri is not None:
        return locate(snapshot, request.uri)
    assert request.title is not None
    return locate_title(snapshot, request.title)


def read(snapshot: Snapshot, request: requests.Read) -> replies.Read:
    """Return a note's text, or some of its lines, as it stands at this revision.

    Raises:
        InvalidParams: the lines are out of order or beyond the note's end.
        NotFound: no note of the vault is meant, or its content could not be read.
    """
    path = note_to_read(snapshot, request)
    note = snapshot.note(path)
    if note.name_only:
        reason = note.problems[0].message if note.problems else "its content is not read"
        raise NotFound(f"{to_uri(path)} is indexed by name alone: {reason}")
    rows = note.text.split("\n")
    if len(rows) > 1 and not rows[-1]:
        rows.pop()  # the end of the last line is no line of its own
    first, last = request.lines or (1, len(rows))
    if first > last or first > len(rows):
        raise InvalidParams(f"lines must rise and begin within 1..{len(rows)}", "lines")
    last = min(last, len(rows))
    fields = note.fields
    return replies.Read(
        revision=snapshot.revision,
        uri=to_uri(path),
        title=note.title,
        content=note.text if request.lines is None else "\n".join(rows[first - 1 : last]),
        checksum=note.content_hash,
        lines=(first, last),
        total_lines=len(rows),
        metadata=replies.Metadata(
            type=fields.type or DEFAULT_TYPE,
            tags=note.tags,
            importance=fields.importance,
            created=iso(snapshot.created_at_s(path)),
            modified=iso(snapshot.modified_at_s(path)),
            aliases=fields.aliases,
        ),
    )


def why(
    snapshot: Snapshot, request: requests.Why, rule: str | None, problems: list[Problem]
) -> replies.Why:
    """Return whether a file is indexed, and what stands in the way if it is not.

    ``rule`` is what leaves the file out, if anything; ``problems`` are all that are known.
    """
    path = from_uri(request.uri)
    if path not in snapshot.entries and rule is None:
        resolved = snapshot.names.resolve(request.uri) if path == request.uri else None
        path = resolved if resolved is not None and resolved in snapshot.entries else path
    entry = snapshot.entries.get(path)
    if entry is not None:
        codes = {problem.code for problem in entry.note.problems}
        is_quarantined = replies.QUARANTINED in codes
        state = "nameOnly" if entry.note.name_only else "indexed"
        state = "quarantined" if is_quarantined else state
    else:
        state = "ignored" if rule is not None else "missing"
    own = tuple(to_problem(problem) for problem in problems if problem.path == path)
    return replies.Why(
        revision=snapshot.revision, uri=to_uri(path), state=state, rule=rule, problems=own
    )


def to_problem(problem: Problem) -> replies.Problem:
    """Return a problem as replies show it."""
    return replies.Problem(
        uri=to_uri(problem.path), code=problem.code, line=problem.line, message=problem.message
    )
