"""The grammar of references: what a client writes to name a note, a part of one, or a concept.

| reference | names |
|---|---|
| ``memory://folder/note.md`` | the note at this path |
| ``concept://name`` | the concept, and the note that it is |
| ``folder/note.md``, ``note``, a title, an alias | a note, or a concept |
| ``[[Name]]``, ``![[Name]]``, ``[[Name|shown]]`` | what the text before the bar names |

A URI, a path and a name may have a fragment after ``#``: a heading (``#Heading``, ``#H1#H2``), a
block (``#^id``), a footnote (``#[^1]``), or lines (``#L14-L27``, ``#L14``, each also with ``~`` and
the hash that the lines had when the reference was given, see ``query.citations.passage_hash``).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from clew.text.filename import NOTE_EXTENSIONS, extension_of
from clew.text.uri import CONCEPT_SCHEME, SCHEME, from_uri, unquoted

MARKS_MAX = 8  # number signs of a reference at which its fragment may begin
# A damaged hash matches too. No lines have it, but the reference is not taken for one without.
_LINES = r"L([0-9]{1,9}+)(?:-L?([0-9]{1,9}+))?+(?:~([0-9A-Za-z]*+))?+"
_LINES_ALONE = re.compile(_LINES)
# In a text, ``~~`` strikes out. A match must not end within a longer number, hash or word.
_LINES_IN_TEXT = re.compile(
    _LINES.replace("~", "(?:~(?!~)|%7[Ee])")
    + r"(?![A-Za-z0-9_%]|[-~][A-Za-z0-9]|[\u2010-\u2014]L?[0-9])"
)


class Kind(StrEnum):
    """What the name of a reference is."""

    PATH = "path"  # of a note, exactly
    CONCEPT = "concept"
    LINK = "link"  # a path or the end of one, as the text of a link
    NAME = "name"  # a path, stem, title or alias, or a concept


@dataclass(frozen=True, slots=True)
class Reference:
    """One way to read what a client wrote."""

    kind: Kind
    name: str
    fragment: str = ""  # without the ``#``


def readings(text: str) -> Iterator[Reference]:
    """Yield the ways to read ``text``, the likeliest first; there is at least one.

    A ``#`` may belong to a name (``C#``) or begin a fragment, so such text has several readings. It
    rarely belongs to a name and has another ``#`` after it, as in ``C#/note.md#Heading``. So the
    readings between the first and the last are of paths alone.
    """
    text = text.strip()
    if text.startswith(CONCEPT_SCHEME):
        yield Reference(Kind.CONCEPT, unquoted(text.removeprefix(CONCEPT_SCHEME)))
    elif text.startswith(SCHEME):
        yield Reference(Kind.PATH, from_uri(text))
        for uri, fragment in _splits(text):
            yield Reference(Kind.PATH, from_uri(uri), unquoted(fragment))
    else:
        yield Reference(Kind.NAME, text)
        target = _target(text)
        if target != text and "#" in target:
            yield Reference(Kind.NAME, target)
        *longer, (name, fragment) = _splits(target) or [(target, "")]
        for path, part in longer:
            yield Reference(Kind.LINK, path.strip(), part)
        if name.strip() and name != text:
            yield Reference(Kind.NAME, name.strip(), fragment)


def _splits(text: str) -> list[tuple[str, str]]:
    """Return the ways to split ``text`` at a ``#``, the one with the longest name first."""
    parts = text.split("#", MARKS_MAX)
    return [
        ("#".join(parts[:count]), "#".join(parts[count:])) for count in range(len(parts) - 1, 0, -1)
    ]


def path_reading(text: str) -> Reference:
    """Return the reading of ``text`` that may be a path, whether a note is there or not.

    It is the likeliest one whose name ends as that of a note, or else the one without any ``#``.
    """
    every = list(readings(text))
    return next((each for each in every if is_note_path(each.name)), every[-1])


def is_note_path(path: str) -> bool:
    """Return whether a path has the extension of a note."""
    return extension_of(path) in NOTE_EXTENSIONS


def _target(text: str) -> str:
    """Return the target of a wikilink with its fragment; other text as it is."""
    link = text.removeprefix("!")
    inner = link[2:-2]
    if not (link.startswith("[[") and link.endswith("]]")) or "[[" in inner or "]]" in inner:
        return text
    return inner.partition("|")[0].removesuffix("\\").strip()


class LineFragment(NamedTuple):
    """The lines that a fragment names, and their hash if it has one."""

    first: int  # 1-based
    last: int
    hash: str | None  # in lower case; of eight hexadecimal digits, unless it is damaged

    @property
    def line_count(self) -> int:
        """The number of lines; 0 or less if they are out of order."""
        return self.last - self.first + 1

    def is_within(self, line_count: int) -> bool:
        """Return whether a note of ``line_count`` lines has all of them."""
        return 1 <= self.first <= self.last <= line_count


def line_fragment(fragment: str) -> LineFragment | None:
    """Return the lines that a fragment names; ``None`` if it names no lines."""
    match = _LINES_ALONE.fullmatch(fragment)
    if match is None:
        return None
    first = int(match[1])
    digits = None if match[3] is None else match[3].lower()
    return LineFragment(first, int(match[2] or first), digits)


def lines_at_start(text: str) -> str:
    """Return the fragment for lines with which ``text`` begins, as written; ``""`` without one."""
    match = _LINES_IN_TEXT.match(text)
    return match[0] if match else ""
