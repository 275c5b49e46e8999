"""The methods about links: those of a note, those to it, unresolved ones, and notes without any."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from clew.engine.snapshot import NO_LINKS, LinkSources, Snapshot
from clew.index.structures.stored_map import pairs
from clew.query.cursors import last_key, outdated
from clew.query.notes.meant import notes_meant
from clew.query.notes.mentions import mentions_of
from clew.query.notes.shown_lines import shown_line
from clew.query.paging import keyed_page
from clew.query.references.locate import locate, locate_concept_shown
from clew.query.slices import PAUSE, SLICE_ROWS, Slices, mapped
from clew.query.sorting import first_sorted, sorted_page
from clew.query.suggest import close_concepts, ignored_names
from clew.text.concept import fold_name
from clew.text.filename import is_attachment
from clew.text.uri import to_uri
from clew.values import replies, requests
from clew.values.errors import InvalidParams
from clew.values.note import Note, Wikilink

FILES_MAX = 20
ORPHAN_STEP = 16  # notes whose links are looked at in one step
_HASH_DIGITS = 8
_AFTER_LAST = 2**31  # the place after the last link to show of a note


class _BacklinkKey(NamedTuple):
    """The sort key of a backlink; that of the last link on a page is in its cursor."""

    path: str  # of its note
    place: int  # one after it among all links of its note; ``_AFTER_LAST`` if no backlink follows
    content: str  # the start of the hash of its note's content


def links(snapshot: Snapshot, request: requests.Links) -> Slices[replies.Links]:
    """Return the links of a note: those of its front matter, then those of its text, in order.

    Raises:
        InvalidParams: the cursor is wrong, or the note has changed since.
    """
    path = locate(snapshot, request.uri)
    note = snapshot.note(path)
    count, content = last_key(request, tuple[int, str]) or (0, _content(note))
    if content != _content(note):
        raise outdated("the note has changed")
    rows = note.links[count : count + request.limit]
    key = (count + len(rows), content)
    shown = keyed_page(rows, count, len(note.links), request, lambda _: key)
    link_rows = yield from mapped(lambda link: _link_row(snapshot, path, link), shown.rows)
    return replies.Links(
        revision=snapshot.revision,
        uri=to_uri(path),
        links=tuple(link_rows),
        total=shown.total,
        start=shown.start,
        cursor=shown.cursor,
    )


def _content(note: Note) -> str:
    """Return the start of the content hash, by which a cursor notices that the note changed."""
    return note.content_hash[:_HASH_DIGITS]


def _link_row(snapshot: Snapshot, path: str, link: Wikilink) -> replies.LinkRow:
    resolved = snapshot.resolve(link, path)
    concept = snapshot.concept_of(link, path)
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
        InvalidParams: not exactly one of ``uri`` and ``conceptName`` is given; the cursor is wrong,
            or is between two links of a note that has changed since.
        UnknownNote: ``uri`` names no note.
        Ambiguous: several notes have the name.
    """
    sources, requested_paths = yield from _requested(snapshot, request)
    unknown = (request.concept_name or "",) if sources is NO_LINKS else ()
    suggestions = yield from close_concepts(snapshot, unknown)
    last = last_key(request, _BacklinkKey)
    _check_is_unchanged(snapshot, last)
    start, notes = yield from _notes_after(snapshot, sources, last, request.limit)
    rows: list[tuple[_BacklinkKey, replies.BacklinkRow]] = []
    for path in notes:
        rows += yield from _rows_in(snapshot, path, sources, last, request.limit - len(rows))
    total = sum(sources.counts.values())
    shown = keyed_page(rows, start, total, request, lambda row: row[0])
    limit = request.limit if request.cursor is None else 0
    mentions, mention_count = yield from mentions_of(snapshot, requested_paths, limit)
    return replies.Backlinks(
        revision=snapshot.revision,
        backlinks=tuple(row for _, row in shown.rows),
        unknown=unknown,
        ignored=ignored_names(snapshot, unknown),
        suggestions=suggestions,
        display_suggestions=tuple(map(snapshot.display, suggestions)),
        mentions=mentions,
        mention_count=mention_count,
        total=shown.total,
        start=shown.start,
        cursor=shown.cursor,
    )


def _rows_in(
    snapshot: Snapshot, path: str, sources: LinkSources, last: _BacklinkKey | None, most: int
) -> Slices[list[tuple[_BacklinkKey, replies.BacklinkRow]]]:
    """Return the first ``most`` rows of one note after ``last``.

    Thousands of links may be on one line, which may be long, so each line is read once.
    """
    note = snapshot.note(path)
    lines, places = note.text.split("\n"), snapshot.places_of(sources, note)
    content, uri = _content(note), to_uri(path)
    texts: dict[int, str] = {}
    rows: list[tuple[_BacklinkKey, replies.BacklinkRow]] = []
    for place in places:
        key = _BacklinkKey(path, _AFTER_LAST if place == places[-1] else place + 1, content)
        if last is not None and key <= last:
            continue
        if len(rows) == most:
            break
        line = note.links[place].line
        if line not in texts:
            texts[line] = shown_line(lines[line - 1])
        rows.append((key, replies.BacklinkRow(uri=uri, line=line, text=texts[line])))
        yield PAUSE
    return rows


class _Requested(NamedTuple):
    """The links to what the request names, and the notes that it names."""

    sources: LinkSources
    paths: AbstractSet[str]  # of the note, or of all notes that the concept names


def _requested(snapshot: Snapshot, request: requests.Backlinks) -> Slices[_Requested]:
    if (request.uri is None) == (request.concept_name is None):
        raise InvalidParams("give either uri or conceptName", "uri")
    if request.uri is not None:
        path = locate(snapshot, request.uri)
        return _Requested(snapshot.links_to(path), {path})
    assert request.concept_name is not None
    name = yield from locate_concept_shown(snapshot, request.concept_name)
    if name is None:
        return _Requested(NO_LINKS, frozenset())
    return _Requested(snapshot.mentions_of(name), snapshot.paths_by_concept.get(name, frozenset()))


def _check_is_unchanged(snapshot: Snapshot, last: _BacklinkKey | None) -> None:
    """Raise ``InvalidParams`` if the last page ended within a note that has changed since."""
    facts = snapshot.facts.get(last.path) if last is not None else None
    if last is None or facts is None or last.place == _AFTER_LAST:
        return
    if facts.content_hash[:_HASH_DIGITS] != last.content:
        raise outdated("the note at which it stands has changed")


def _notes_after(
    snapshot: Snapshot, sources: LinkSources, last: _BacklinkKey | None, count: int
) -> Slices[tuple[int, list[str]]]:
    """Return the first notes, by path, that together have ``count`` links or more after ``last``.

    The first result is the number of links up to ``last``.
    """
    paths = []
    for number, note_id in enumerate(sources.counts):
        paths.append((snapshot.graph.path(note_id), note_id))
        if number % SLICE_ROWS == 0:
            yield PAUSE
    before, after, notes = 0, 0, []
    for path, note_id in sorted(paths):
        earlier_count = 0
        if last is not None and path < last.path:
            earlier_count = sources.counts[note_id]
        elif last is not None and path == last.path:
            places = snapshot.places_of(sources, snapshot.note(path))
            earlier_count = sum(place < last.place for place in places)
        before += earlier_count
        later_count = sources.counts[note_id] - earlier_count
        if later_count and after < count:
            notes.append(path)
            after += later_count
    return before, notes


def unresolved(snapshot: Snapshot, request: requests.Unresolved) -> Slices[replies.Unresolved]:
    """Return link targets that resolve to no file, most linked first; attachments after others.

    Spellings of one file name, such as ``[[Tide]]``, ``[[tide]]`` and ``[[Tide.md]]``, count as one
    target.
    """
    spellings = yield from _unresolved_spellings(snapshot)
    counted = (
        (
            all(is_attachment(text) for _, text in counts),
            sum(count for count, _ in counts),
            min(counts)[1],
        )
        for counts in spellings.values()
    )
    shown = yield from sorted_page(counted, request, tuple[bool, int, str])
    rows: list[replies.UnresolvedRow] = []
    meant = yield from notes_meant(snapshot, [text for _, _, text in shown.rows])
    for _, minus_count, text in shown.rows:
        files = yield from _files_with(snapshot, [each for _, each in spellings[_file_of(text)]])
        may_mean = tuple(map(to_uri, meant[text]))
        row = replies.UnresolvedRow(target=text, count=-minus_count, files=files, may_mean=may_mean)
        rows.append(row)
    return replies.Unresolved(
        revision=snapshot.revision,
        unresolved=tuple(rows),
        total=shown.total,
        start=shown.start,
        cursor=shown.cursor,
    )


def _unresolved_spellings(snapshot: Snapshot) -> Slices[dict[str, list[tuple[int, str]]]]:
    """Return targets without a file as (negative count of links, text), by folded file name."""
    spellings: dict[str, list[tuple[int, str]]] = {}
    for number, (text, count) in enumerate(pairs(snapshot.targets.unresolved)):
        spellings.setdefault(_file_of(text), []).append((-count, text))
        if number % SLICE_ROWS == 0:
            yield PAUSE
    return spellings


def _file_of(target: str) -> str:
    return fold_name(target).removesuffix(".md")


def _files_with(snapshot: Snapshot, texts: Iterable[str]) -> Slices[tuple[str, ...]]:
    """Return the first notes that link to one of these targets, as URIs."""
    notes = {note_id for text in texts for note_id in snapshot.targets.uses(text).notes}
    first, _ = yield from first_sorted(map(snapshot.graph.path, notes), FILES_MAX)
    return tuple(map(to_uri, first))


def _is_orphan(snapshot: Snapshot, path: str) -> bool:
    """Return whether the note at ``path`` links to no other note, and no other note to it.

    A link of a note to itself counts neither way.
    """
    texts, itself = snapshot.texts_leading_to(path), {snapshot.graph.note_id(path)}
    if any(snapshot.targets.uses(text).notes.keys() - itself for text in texts):
        return False
    return all(
        not link.target or is_attachment(link.target) or snapshot.target_of(link, path) in texts
        for link in snapshot.note(path).links
    )


def orphans(snapshot: Snapshot, request: requests.Orphans) -> Slices[replies.Orphans]:
    """Return notes without links, to which no other note links, sorted by path."""
    paths = []
    for number, path in enumerate(snapshot.lists.without_links):
        if _is_orphan(snapshot, path):
            paths.append((path,))
        if number % ORPHAN_STEP == 0:
            yield PAUSE
    shown = yield from sorted_page(paths, request, tuple[str])
    return replies.Orphans(
        revision=snapshot.revision,
        orphans=tuple(to_uri(path) for (path,) in shown.rows),
        total=shown.total,
        start=shown.start,
        cursor=shown.cursor,
    )
