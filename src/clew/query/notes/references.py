"""Resolution of what a client types (a URI, path, name, alias or title) to a note."""

from clew.engine.snapshot import Snapshot
from clew.text.concept import normalize
from clew.text.filename import NOTE_EXTENSIONS, extension_of
from clew.text.uri import SCHEME, from_uri
from clew.values.errors import InvalidParams, UnknownNote

WAIT_FOR = "waitFor"  # the field
_PATH_HINT = "give the path from the vault's folder on, such as folder/note.md"


def locate(snapshot: Snapshot, reference: str) -> str:
    """Return the path of the note that ``reference`` names.

    A ``memory://`` URI must be exact. Other text is tried as a path, then as the target of a link,
    so a bare name finds its note as in Obsidian, then as an alias.

    Raises:
        UnknownNote: no note matches.
    """
    path = _find(snapshot, reference)
    if path is None:
        raise UnknownNote(reference)
    return path


def _find(snapshot: Snapshot, reference: str) -> str | None:
    path = from_uri(reference)
    if path in snapshot.entries:
        return path
    if reference.startswith(SCHEME):
        return None
    resolved = snapshot.names.resolve(reference)
    if resolved is not None and resolved in snapshot.entries:
        return resolved
    return snapshot.names.note_of_alias(normalize(reference))


def locate_title(snapshot: Snapshot, title: str) -> str:
    """Return the path of the note with this title, else of the note that ``locate`` finds.

    Raises:
        UnknownNote: no note matches.
    """
    return _find_title(snapshot, title) or locate(snapshot, title)


def _find_title(snapshot: Snapshot, title: str) -> str | None:
    titled = snapshot.lists.paths_by_title.get(title.casefold())
    return min(titled) if titled else None


def paths_to_await(snapshot: Snapshot, reference: str) -> set[str]:
    """Return the paths at which the note that ``reference`` names may be, indexed or not.

    A URI, and text with the extension of a note, is a path itself. Text may also be the name, alias
    or title of an indexed note, or a path without its extension.

    Raises:
        InvalidParams: it cannot be the path of a note in the vault.
    """
    path = from_uri(reference)
    if reference.startswith(SCHEME) and not _is_path(reference):
        message = f"{reference!r} is not the URI of a note"
        raise InvalidParams(message, WAIT_FOR, "give the URI as replies do, with .md at the end")
    paths = {_find(snapshot, reference) or _find_title(snapshot, reference)}
    if {"", ".", ".."}.isdisjoint(path.split("/")):
        paths.add(path if _is_path(path) else f"{path}.md")
    named = {path for path in paths if path is not None}
    if not named:
        raise InvalidParams(f"{reference!r} is no path in the vault", WAIT_FOR, _PATH_HINT)
    return named


def check_awaited(snapshot: Snapshot, reference: str) -> None:
    """Check that text for which a request has waited is a path, or names an indexed note.

    Raises:
        InvalidParams: it is a name that no note has.
    """
    if not (_is_path(reference) or _find(snapshot, reference) or _find_title(snapshot, reference)):
        raise InvalidParams(f"no note is named {reference!r} yet", WAIT_FOR, _PATH_HINT)


def _is_path(reference: str) -> bool:
    return extension_of(from_uri(reference)) in NOTE_EXTENSIONS
