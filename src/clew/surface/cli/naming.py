"""What of a command line names notes, as the daemon takes it."""

from __future__ import annotations

import os

from clew.surface.client import PROTOCOL, call

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from typing import Any

FROM_HERE = ("./", "../", "/")  # how a path from the current folder begins
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


def place_from_here(path: str, fields: dict[str, Any], params: dict[str, Any]) -> None:
    """Let all names of notes in ``params`` be as the daemon at the socket ``path`` takes them.

    ``fields`` has them as they were typed.
    """
    for field in _NAMING:
        value = fields.get(field)
        if value is None:
            continue
        outer, _, inner = field.partition(".")
        group = params[outer] if inner else params
        many = isinstance(value, list)
        placed = [note_named(path, name) for name in (value if many else [value])]
        group[inner or outer] = placed if many else placed[0]


def note_named(path: str, note: str) -> str:
    """Return the name of a note as the daemon at the socket ``path`` takes it.

    A path from the current folder becomes one from the vault's folder.
    """
    if note.startswith(FROM_HERE):
        from clew.surface.cli.lists.here import path_in_vault  # noqa: PLC0415 - rarely needed

        note = path_in_vault(vault_at(path), note)
    name: str = sendable("uri", note)
    return name


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
