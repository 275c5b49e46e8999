"""Convert the names of notes in a command line to the form that the daemon accepts."""

from __future__ import annotations

import os

from clew.surface.cli.lists.options import Unusable
from clew.surface.client import PROTOCOL, call

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from typing import Any

FROM_HERE = ("./", "../", "/")  # how a path from the current folder begins
_ENDINGS = (".md", ".markdown")
# The fields of requests that name notes or concepts.
_NAMING = ("uri", "conceptName", "from", "to", "waitFor", "exclude", "filters.entity")


class NotText(Exception):
    """A word of the command line is not UTF-8, and is not the path of a note."""

    def __init__(self, word: str) -> None:
        super().__init__(
            "not valid UTF-8: " + os.fsencode(word).decode("utf-8", "backslashreplace")
        )


def vault_at(path: str) -> str:
    """Return the folder that the daemon at a socket serves."""
    return str(call(path, "hello", {"protocol": PROTOCOL})["vault"])


def resolve_note_names(path: str, fields: dict[str, Any], params: dict[str, Any]) -> None:
    """Replace names of notes and folders in ``params`` by those that the daemon accepts.

    ``path``: its socket. ``fields``: the fields of the command line, with the names as typed.

    Raises:
        NotText: the path of the folder is not UTF-8.
        Unusable: the folder is not in the vault.
    """
    for field in _NAMING:
        value = fields.get(field)
        if value is None:
            continue
        outer, _, inner = field.partition(".")
        group = params[outer] if inner else params
        many = isinstance(value, list)
        resolved = [daemon_note_name(path, name) for name in (value if many else [value])]
        group[inner or outer] = resolved if many else resolved[0]
    if "filters.folder" in fields:
        params["filters"]["folder"] = _daemon_folder(path, fields["filters.folder"])


def daemon_note_name(path: str, note: str) -> str:
    """Return a note's name in the form that the daemon at the socket ``path`` accepts.

    A path relative to the current folder becomes relative to the vault's folder.
    """
    note, _ = without_line(note)
    if note.startswith(FROM_HERE):
        from clew.surface.cli.lists.here import path_in_vault  # noqa: PLC0415 - rarely needed

        note = path_in_vault(vault_at(path), note)
    name: str = sendable("uri", note)
    return name


def _daemon_folder(path: str, folder: str) -> str:
    """Return a folder in the form that the daemon at the socket ``path`` accepts.

    Raises:
        Unusable: it is relative to the current folder, and leads out of the vault.
    """
    if folder not in (".", "..") and not folder.startswith(FROM_HERE):
        return folder
    from clew.surface.cli.lists.here import folder_in_vault  # noqa: PLC0415 - rarely needed

    vault = vault_at(path)
    inside = folder_in_vault(vault, folder)
    if inside is None and not folder.startswith("/"):
        raise Unusable(f"--folder {folder} leads out of the vault {vault}")
    name: str = sendable("filters.folder", inside or folder)
    return name


def without_line(note: str) -> tuple[str, int | None]:
    """Split "a.md:12", as tables print a place, into the note and the line, if it has one."""
    path, _, line = note.rpartition(":")
    has_line = path.endswith(_ENDINGS) and line.isascii() and line.isdecimal() and len(line) < 10
    return (path, int(line)) if has_line else (note, None)


def sendable(name: str, value: Any) -> Any:
    """Return a value that JSON can hold: a path that is not UTF-8 becomes a URI."""
    for word in value if isinstance(value, list) else [value]:
        if not isinstance(word, str) or _is_utf8(word):
            continue
        if name != "uri" or word.startswith("memory:"):
            raise NotText(word)
        from clew.text.uri import to_uri  # noqa: PLC0415 - few paths are not text

        return to_uri(word)
    return value


def _is_utf8(word: str) -> bool:
    if word.isascii():
        return True
    from clew.text.unicode import is_utf8  # noqa: PLC0415 - rarely needed

    return is_utf8(word)
