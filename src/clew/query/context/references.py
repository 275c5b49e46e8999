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
    return _hash("\n".join(text.split("\n")[first - 1 : last]))


def span_reference(uri: str, text: str, start: int, end: int, lines: tuple[int, int]) -> str:
    """Return the reference of ``lines``, those of ``text[start:end]``, in the note at ``uri``."""
    line_end = text.find("\n", max(start, end - 1))
    whole = text[text.rfind("\n", 0, start) + 1 : len(text) if line_end < 0 else line_end]
    return f"{uri}#L{lines[0]}-L{lines[1]}~{_hash(whole)}"


def _hash(lines: str) -> str:
    return hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_DIGITS]


def parse_reference(text: str) -> Reference:
    """Return the parts of a reference; what is no reference to lines names a whole note."""
    match = _REFERENCE.fullmatch(text.strip())
    if match is None:
        return Reference(text.strip().partition("#")[0], None, None)
    if match["first"] is None:
        return Reference(match["uri"], None, None)
    first = int(match["first"])
    return Reference(match["uri"], (first, int(match["last"] or first)), match["hash"])
