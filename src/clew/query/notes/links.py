"""Links as notes write them: out of a note, into it, leading nowhere, or none at all."""

from clew.engine.snapshot import Snapshot
from clew.query.notes.references import locate
from clew.query.paging import page
from clew.text.filename import is_attachment
from clew.text.uri import to_uri
from clew.values import replies, requests
from clew.values.errors import InvalidParams

BACKLINK_TEXT_CHARACTERS = 240
FILES_MAX = 20


def links(snapshot: Snapshot, request: requests.Links) -> replies.Links:
    """Return the links a note holds, front matter first, then in the order of the text."""
    path = locate(snapshot, request.uri)
    shown = page(snapshot.note(path).links, request)
    rows = []
    for link in shown.rows:
        resolved = snapshot.resolve(link, path)
        rows.append(
            replies.LinkRow(
                target=link.target,
                fragment=link.fragment,
                alias=link.alias,
                kind=link.kind,
                line=link.line,
                resolved=to_uri(resolved) if resolved is not None else None,
                concept=snapshot.concept_of(link),
            )
        )
    return replies.Links(
        revision=snapshot.revision,
        uri=to_uri(path),
        links=tuple(rows),
        total=shown.total,
        cursor=shown.cursor,
    )


def backlinks(snapshot: Snapshot, request: requests.Backlinks) -> replies.Backlinks:
    """Return the places that link to a note, or that name a concept, with their lines.

    Raises:
        InvalidParams: not exactly one of ``uri`` and ``conceptName`` is given.
        NotFound: no note of the vault is meant.
    """
    if (request.uri is None) == (request.concept_name is None):
        raise InvalidParams("give either uri or conceptName", "uri")
    if request.uri is not None:
        found = list(snapshot.backlinks_to(locate(snapshot, request.uri)))
    else:
        assert request.concept_name is not None
        name = snapshot.concept_named(request.concept_name)
        found = list(snapshot.mentions_of(name)) if name else []
    shown = page(found, request)
    lines = {path: snapshot.note(path).text.split("\n") for path, _ in shown.rows}
    rows = tuple(
        replies.BacklinkRow(uri=to_uri(path), line=link.line, text=_cut(lines[path][link.line - 1]))
        for path, link in shown.rows
    )
    return replies.Backlinks(
        revision=snapshot.revision, backlinks=rows, total=shown.total, cursor=shown.cursor
    )


def _cut(line: str) -> str:
    shown = line.strip()
    if len(shown) <= BACKLINK_TEXT_CHARACTERS:
        return shown
    return shown[: BACKLINK_TEXT_CHARACTERS - 1].rstrip() + "…"


def unresolved(snapshot: Snapshot, request: requests.Unresolved) -> replies.Unresolved:
    """Return targets that lead to no file, the most linked first."""
    counted = [
        (-sum(target.notes.values()), target.text, target)
        for target in snapshot.targets.by_text.values()
        if target.resolved is None
    ]
    shown = page(sorted(counted, key=lambda row: row[:2]), request)
    rows = tuple(
        replies.UnresolvedRow(
            target=text, count=-count, files=tuple(map(to_uri, sorted(target.notes)[:FILES_MAX]))
        )
        for count, text, target in shown.rows
    )
    return replies.Unresolved(
        revision=snapshot.revision, unresolved=rows, total=shown.total, cursor=shown.cursor
    )


def orphans(snapshot: Snapshot, request: requests.Orphans) -> replies.Orphans:
    """Return notes that link nowhere and that no other note leads to, by path."""
    alone = [
        path
        for path, entry in snapshot.entries.items()
        if not any(link.target and not is_attachment(link.target) for link in entry.note.links)
        and not any(target.notes.keys() - {path} for target in snapshot.targets.resolving_to(path))
    ]
    shown = page(sorted(alone), request)
    return replies.Orphans(
        revision=snapshot.revision,
        orphans=tuple(map(to_uri, shown.rows)),
        total=shown.total,
        cursor=shown.cursor,
    )
