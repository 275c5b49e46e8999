"""Resolution of what a client types (a URI, path, name, alias or title) to a note."""

from clew.engine.snapshot import Snapshot
from clew.query.suggest import close_names
from clew.text.concept import normalize
from clew.text.filename import shown_name
from clew.text.uri import from_uri
from clew.values.errors import NotFound


def locate(snapshot: Snapshot, reference: str) -> str:
    """Return the path of the note that ``reference`` names.

    A ``memory://`` URI must be exact. Other text is tried as a path, then as the target of a link,
    so a bare name finds its note as in Obsidian, then as an alias.

    Raises:
        NotFound: no note matches; the hint lists similar names.
    """
    path = from_uri(reference)
    if path in snapshot.entries:
        return path
    if path == reference:
        resolved = snapshot.names.resolve(reference)
        if resolved is not None and resolved in snapshot.entries:
            return resolved
        claimer = snapshot.names.note_of_alias(normalize(reference))
        if claimer is not None:
            return claimer
    raise _not_found(snapshot, reference, path)


def locate_title(snapshot: Snapshot, title: str) -> str:
    """Return the path of the note with this title, else of the note that ``locate`` finds.

    Raises:
        NotFound: no note matches.
    """
    titled = snapshot.lists.paths_by_title.get(title.casefold())
    return min(titled) if titled else locate(snapshot, title)


def _not_found(snapshot: Snapshot, reference: str, path: str) -> NotFound:
    names = (name.removesuffix(".md") for name in snapshot.entries)
    similar = ", ".join(map(shown_name, close_names(path.removesuffix(".md"), names)))
    hint = f"close to it: {similar}" if similar else "`clew recent` lists notes"
    return NotFound(f"no note matches {reference!r}", hint)
