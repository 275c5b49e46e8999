"""The methods about links: those of a note, those to it, unresolved ones, and notes without any."""

from collections.abc import Set as AbstractSet

from clew.engine.snapshot import NO_LINKS, LinkSources, Snapshot
from clew.index.structures.stored_map import pairs
from clew.query.notes.mentions import mentions_of
from clew.query.notes.references import locate, locate_concept
from clew.query.notes.shown_lines import shown_line
from clew.query.paging import page, page_at, start_of
from clew.query.slices import PAUSE, SLICE_ROWS, Slices
from clew.query.sorting import first_sorted, sorted_page
from clew.query.suggest import close_concepts
from clew.text.uri import to_uri
from clew.values import replies, requests
from clew.values.errors import InvalidParams
from clew.values.note import Wikilink

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
    concept = snapshot.concept_of(link)
    return replies.LinkRow(
        target=link.target,
        fragment=link.fragment,
        alias=link.alias,
        kind=link.kind,
        line=link.line,
        resolved=to_uri(resolved) if resolved is not None else None,
        concept=concept,
        display_name=snapshot.display(concept) if concept is not None else None,
    )


def backlinks(snapshot: Snapshot, request: requests.Backlinks) -> Slices[replies.Backlinks]:
    """Return the links to a note, or to a concept, with the lines they are on.

    The first page has unlinked mentions too. Only the notes on the page are read.

    Raises:
        InvalidParams: not exactly one of ``uri`` and ``conceptName`` is given.
        UnknownNote: ``uri`` names no note.
        Ambiguous: several notes have the name.
    """
    sources = _sources(snapshot, request)
    unknown = (request.concept_name or "",) if sources is NO_LINKS else ()
    suggestions = yield from close_concepts(snapshot, unknown)
    start = start_of(request)
    notes = yield from _notes_at(snapshot, sources, start, start + request.limit)
    rows: list[replies.BacklinkRow] = []
    for path, skipped in notes:
        note = snapshot.note(path)
        lines = note.text.split("\n")
        rows += (
            replies.BacklinkRow(
                uri=to_uri(path), line=link.line, text=shown_line(lines[link.line - 1])
            )
            for link in sources.links_of(note)[skipped:]
        )
        yield PAUSE
    shown = page_at(start, rows[: request.limit], sum(sources.counts.values()))
    mentioned = _notes_meant(snapshot, request)
    limit = request.limit if request.cursor is None else 0
    mentions, mention_count = yield from mentions_of(snapshot, mentioned, limit)
    return replies.Backlinks(
        revision=snapshot.revision,
        backlinks=tuple(shown.rows),
        unknown=unknown,
        suggestions=suggestions,
        display_suggestions=tuple(map(snapshot.display, suggestions)),
        mentions=mentions,
        mention_count=mention_count,
        total=shown.total,
        cursor=shown.cursor,
    )


def _sources(snapshot: Snapshot, request: requests.Backlinks) -> LinkSources:
    if (request.uri is None) == (request.concept_name is None):
        raise InvalidParams("give either uri or conceptName", "uri")
    if request.uri is not None:
        return snapshot.links_to(locate(snapshot, request.uri))
    assert request.concept_name is not None
    name = locate_concept(snapshot, request.concept_name)
    return snapshot.mentions_of(name) if name else NO_LINKS


def _notes_meant(snapshot: Snapshot, request: requests.Backlinks) -> AbstractSet[str]:
    """Return the paths of the note that is asked about, or of those that the concept names."""
    if request.uri is not None:
        return {locate(snapshot, request.uri)}
    assert request.concept_name is not None
    name = locate_concept(snapshot, request.concept_name)
    return snapshot.paths_by_concept.get(name, frozenset()) if name else frozenset()


def _notes_at(
    snapshot: Snapshot, sources: LinkSources, start: int, end: int
) -> Slices[list[tuple[str, int]]]:
    """Return the notes, by path, that have the links ``start`` to ``end``.

    Each comes with the number of its links before ``start``.
    """
    paths = []
    for number, note_id in enumerate(sources.counts):
        paths.append((snapshot.graph.path(note_id), note_id))
        if number % SLICE_ROWS == 0:
            yield PAUSE
    notes, before = [], 0
    for path, note_id in sorted(paths):
        if before >= end:
            break
        after = before + sources.counts[note_id]
        if after > start:
            notes.append((path, max(0, start - before)))
        before = after
    return notes


def unresolved(snapshot: Snapshot, request: requests.Unresolved) -> Slices[replies.Unresolved]:
    """Return link targets that resolve to no file, most linked first."""
    counted = ((-count, text) for text, count in pairs(snapshot.targets.unresolved))
    shown = yield from sorted_page(counted, request)
    rows: list[replies.UnresolvedRow] = []
    for minus_count, text in shown.rows:
        files = yield from _files_with(snapshot, text)
        rows.append(replies.UnresolvedRow(target=text, count=-minus_count, files=files))
    return replies.Unresolved(
        revision=snapshot.revision, unresolved=tuple(rows), total=shown.total, cursor=shown.cursor
    )


def _files_with(snapshot: Snapshot, text: str) -> Slices[tuple[str, ...]]:
    """Return the first notes that link to a target, as URIs."""
    paths = map(snapshot.graph.path, snapshot.targets.uses(text).notes)
    first, _ = yield from first_sorted(paths, FILES_MAX)
    return tuple(map(to_uri, first))


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
    shown = yield from sorted_page(paths, request)
    return replies.Orphans(
        revision=snapshot.revision,
        orphans=tuple(map(to_uri, shown.rows)),
        total=shown.total,
        cursor=shown.cursor,
    )
