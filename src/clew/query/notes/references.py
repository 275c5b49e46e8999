"""Resolution of what a client types (a URI, path, name, alias or title) to a note."""

from clew.engine.snapshot import Snapshot
from clew.text.concept import normalize
from clew.text.uri import from_uri
from clew.values.errors import UnknownNote


def locate(snapshot: Snapshot, reference: str) -> str:
    """Return the path of the note that ``reference`` names.

    A ``memory://`` URI must be exact. Other text is tried as a path, then as the target of a link,
    so a bare name finds its note as in Obsidian, then as an alias.

    Raises:
        UnknownNote: no note matches.
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
    raise UnknownNote(reference)


def locate_title(snapshot: Snapshot, title: str) -> str:
    """Return the path of the note with this title, else of the note that ``locate`` finds.

    Raises:
        UnknownNote: no note matches.
    """
    titled = snapshot.lists.paths_by_title.get(title.casefold())
    return min(titled) if titled else locate(snapshot, title)
