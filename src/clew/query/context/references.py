"""References to lines of notes: ``memory://path.md#L14-L27~1a2b3c4d``.

The eight hex digits are the start of the SHA-256 of these lines as they are in the note, so that a
reader of a pack can check whether they still stand there.
"""

import hashlib
import re
from dataclasses import dataclass

HASH_DIGITS = 8
_REFERENCE = re.compile(
    r"(?P<uri>[^#]*)(?:#L(?P<first>\d{1,9})(?:-L?(?P<last>\d{1,9}))?(?:~(?P<hash>[0-9a-f]{8}))?)?"
)


@dataclass(frozen=True, slots=True)
class Reference:
    """A note, or lines of it."""

    uri: str  # what stands before the lines: a URI or a name
    lines: tuple[int, int] | None  # first and last; ``None``: the whole note
    hash: str | None


def lines_hash(text: str, first: int, last: int) -> str:
    """Return the hash of the lines ``first`` to ``last`` (1-based) of a note's text."""
    lines = text.split("\n")[first - 1 : last]
    digest = hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:HASH_DIGITS]


def reference(uri: str, text: str, first: int, last: int) -> str:
    """Return the reference of the lines ``first`` to ``last`` of the note with this text."""
    return f"{uri}#L{first}-L{last}~{lines_hash(text, first, last)}"


def parse_reference(text: str) -> Reference:
    """Return the parts of a reference; what is no reference to lines names a whole note."""
    match = _REFERENCE.fullmatch(text.strip())
    if match is None:
        return Reference(text.strip().partition("#")[0], None, None)
    if match["first"] is None:
        return Reference(match["uri"], None, None)
    first = int(match["first"])
    return Reference(match["uri"], (first, int(match["last"] or first)), match["hash"])
