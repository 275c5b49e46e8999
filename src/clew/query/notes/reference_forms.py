"""The grammar of references: what a client writes to name a note, a part of one, or a concept.

| reference | names |
|---|---|
| ``memory://folder/note.md`` | the note at this path |
| ``concept://name`` | the concept, and the note that it is |
| ``folder/note.md``, ``note``, a title, an alias | a note, or a concept |
| ``[[Name]]``, ``![[Name]]``, ``[[Name|shown]]`` | what the text before the bar names |

A URI, a path and a name may have a fragment after ``#``: a heading (``#Heading``, ``#H1#H2``), a
block (``#^id``), or lines (``#L14-L27``, ``#L14``, each also with ``~`` and the hash of a passage).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from clew.text.uri import CONCEPT_SCHEME, SCHEME, from_uri, unquoted

_LINES = re.compile(r"L(\d{1,9})(?:-L?(\d{1,9}))?(?:~[0-9a-fA-F]+)?")


class Kind(StrEnum):
    """What the name of a reference is."""

    PATH = "path"  # of a note, exactly
    CONCEPT = "concept"
    NAME = "name"  # a path, stem, title or alias, or a concept


@dataclass(frozen=True, slots=True)
class Reference:
    """One way to read what a client wrote."""

    kind: Kind
    name: str
    fragment: str = ""  # without the ``#``


def readings(text: str) -> Iterator[Reference]:
    """Yield the ways to read ``text``, the likeliest first; there is at least one.

    A ``#`` may belong to a name (``C#``) or begin a fragment, so such text has two readings.
    """
    text = text.strip()
    if text.startswith(CONCEPT_SCHEME):
        yield Reference(Kind.CONCEPT, unquoted(text.removeprefix(CONCEPT_SCHEME)))
    elif text.startswith(SCHEME):
        yield Reference(Kind.PATH, from_uri(text))
        uri, mark, fragment = text.partition("#")
        if mark:
            yield Reference(Kind.PATH, from_uri(uri), unquoted(fragment))
    else:
        yield Reference(Kind.NAME, text)
        target = _target(text)
        name, mark, fragment = target.partition("#")
        if name.strip() and (mark or target != text):
            yield Reference(Kind.NAME, name.strip(), fragment)


def _target(text: str) -> str:
    """Return the target of a wikilink with its fragment; other text as it is."""
    link = text.removeprefix("!")
    inner = link[2:-2]
    if not (link.startswith("[[") and link.endswith("]]")) or "[[" in inner or "]]" in inner:
        return text
    return inner.partition("|")[0].removesuffix("\\").strip()


def lines_of_fragment(fragment: str) -> tuple[int, int] | None:
    """Return the first and last line that a fragment names; ``None`` if it names no lines."""
    match = _LINES.fullmatch(fragment)
    if match is None:
        return None
    return int(match[1]), int(match[2] or match[1])
