"""The methods about links: those of a note, those to it, unresolved ones, and notes without any."""

from collections.abc import Iterable, Iterator

from clew.engine.snapshot import Snapshot
from clew.index.structures.stored_map import pairs
from clew.query.notes.references import locate
from clew.query.paging import page
from clew.query.slices import PAUSE, SLICE_ROWS, Slices
from clew.text.uri import to_uri
from clew.values import replies, requests
from clew.values.errors import InvalidParams
from clew.values.note import Wikilink

BACKLINK_TEXT_CHARACTERS = 240
FILES_MAX = 20


def links(snapshot: Snapshot, request: requests.Links) -> replies.Links:
    """Return the links of a note: those of its front matter, then those of its text, in order."""
    path = locate(snapshot, request.uri)
    shown = page(snapshot.note(path).links, request)
    return replies.Links(
        revision=snapshot.revision,
        uri=to_uri(path),
        links=tuple(_link_row(snapshot, path, link) for link in shown.rows),
        total=shown.total,
        cursor=shown.cursor,
    )


def _link_row(snapshot: Snapshot, path: str, link: Wikilink) -> replies.LinkRow:
    resolved = snapshot.resolve(link, path)
    return replies.LinkRow(
        target=link.target,
        fragment=link.fragment,
        alias=link.alias,
        kind=link.kind,
        line=link.line,
        resolved=to_uri(resolved) if resolved is not None else None,
        concept=snapshot.concept_of(link),
    )


def backlinks(snapshot: Snapshot, request: requests.Backlinks) -> replies.Backlinks:
    """Return the links to a note, or to a concept, with the lines they are on.

    Raises:
        InvalidParams: not exactly one of ``uri`` and ``conceptName`` is given.
        NotFound: ``uri`` names no note.
    """
    shown = page(list(_links_to(snapshot, request)), request)
    return replies.Backlinks(
        revision=snapshot.revision,
        backlinks=tuple(_backlink_rows(snapshot, shown.rows)),
        total=shown.total,
        cursor=shown.cursor,
    )


def _links_to(snapshot: Snapshot, request: requests.Backlinks) -> Iterable[tuple[str, Wikilink]]:
    if (request.uri is None) == (request.concept_name is None):
        raise InvalidParams("give either uri or conceptName", "uri")
    if request.uri is not None:
        return snapshot.backlinks_to(locate(snapshot, request.uri))
    assert request.concept_name is not None
    name = snapshot.concept_named(request.concept_name)
    return snapshot.mentions_of(name) if name else ()


def _backlink_rows(
    snapshot: Snapshot, links: Iterable[tuple[str, Wikilink]]
) -> Iterator[replies.BacklinkRow]:
    lines_by_path: dict[str, list[str]] = {}
    for path, link in links:
        if path not in lines_by_path:
            lines_by_path[path] = snapshot.note(path).text.split("\n")
        text = _shortened(lines_by_path[path][link.line - 1])
        yield replies.BacklinkRow(uri=to_uri(path), line=link.line, text=text)


def _shortened(line: str) -> str:
    text = line.strip()
    if len(text) <= BACKLINK_TEXT_CHARACTERS:
        return text
    return text[: BACKLINK_TEXT_CHARACTERS - 1].rstrip() + "…"


def unresolved(snapshot: Snapshot, request: requests.Unresolved) -> Slices[replies.Unresolved]:
    """Return link targets that resolve to no file, most linked first."""
    counted = []
    for number, (text, target) in enumerate(pairs(snapshot.targets.by_text)):
        if target.resolved is None:
            counted.append((-sum(snapshot.targets.uses(text).notes.values()), text))
        if number % SLICE_ROWS == 0:
            yield PAUSE
    shown = page(sorted(counted), request)
    rows = tuple(
        replies.UnresolvedRow(target=text, count=-count, files=_files_with(snapshot, text))
        for count, text in shown.rows
    )
    return replies.Unresolved(
        revision=snapshot.revision, unresolved=rows, total=shown.total, cursor=shown.cursor
    )


def _files_with(snapshot: Snapshot, text: str) -> tuple[str, ...]:
    """Return the first notes that link to a target, as URIs."""
    paths = sorted(map(snapshot.graph.path, snapshot.targets.uses(text).notes))
    return tuple(map(to_uri, paths[:FILES_MAX]))


def _is_linked_to(snapshot: Snapshot, path: str) -> bool:
    """Return whether another note links to the note at ``path``."""
    own = {snapshot.graph.note_id(path)}
    texts = snapshot.targets.texts_resolving_to(path)
    return any(snapshot.targets.uses(text).notes.keys() - own for text in texts)


def orphans(snapshot: Snapshot, request: requests.Orphans) -> Slices[replies.Orphans]:
    """Return notes without links, to which no other note links, sorted by path."""
    paths = []
    for number, (path, facts) in enumerate(snapshot.all_facts()):
        if not facts.links_to_notes and not _is_linked_to(snapshot, path):
            paths.append(path)
        if number % SLICE_ROWS == 0:
            yield PAUSE
    shown = page(sorted(paths), request)
    return replies.Orphans(
        revision=snapshot.revision,
        orphans=tuple(map(to_uri, shown.rows)),
        total=shown.total,
        cursor=shown.cursor,
    )
