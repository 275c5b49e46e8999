"""The lines of a note that the fragment of a reference names: a heading, a block or lines."""

import re
from collections.abc import Sequence
from functools import lru_cache

from clew.query.notes.reference_forms import line_fragment
from clew.query.notes.sections import section
from clew.text.concept import normalize
from clew.values.note import Heading, Note

# Obsidian leaves these out of links to headings.
_NOT_IN_LINKS = re.compile(r"[#|^:%\[\]\\]+")

Lines = tuple[int, int]  # first and last, 1-based


def lines_of(note: Note, lines: Sequence[str], fragment: str) -> Lines | None:
    """Return the lines of ``note`` that a fragment names; ``None`` if there are none such.

    ``lines`` are those of its text. A heading names its section, up to the next heading of its
    level or a higher one; with several headings, each is looked for in the section of the one
    before. A block names the paragraph at whose end its id stands.
    """
    numbered = line_fragment(fragment)
    if numbered is not None:
        first, last = numbered.first, numbered.last
        return (first, min(last, len(lines))) if 1 <= first <= min(last, len(lines)) else None
    if fragment.startswith("^"):
        return _block(note, lines, fragment)
    start, within = 0, None
    for name in fragment.split("#"):
        place = _heading_named(note.headings, name, start, within)
        if place is None:
            return None
        part = section(note, place)
        start, within = place + 1, (part.first_line, part.last_line)
    return within


def lines_of_text(text: str) -> list[str]:
    """Return the lines of ``text``; a line break at the end does not begin another line."""
    lines = text.split("\n")
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def _heading_named(
    headings: Sequence[Heading], name: str, start: int, within: Lines | None
) -> int | None:
    """Return the index of the first heading with a name, from ``start`` on and ``within`` lines."""
    wanted = _in_link(name)
    for place, heading in enumerate(headings[start:], start):
        if within is not None and heading.line > within[1]:
            return None
        if _in_link(heading.text) == wanted:
            return place
    return None


@lru_cache(maxsize=8_192)  # ten thousand references may look for headings in one note
def _in_link(heading: str) -> str:
    return normalize(_NOT_IN_LINKS.sub(" ", heading))


def _block(note: Note, lines: Sequence[str], fragment: str) -> Lines | None:
    heading_lines = {heading.line for heading in note.headings}
    for last, line in enumerate(lines, 1):
        if line.rstrip().endswith(fragment) and line.rstrip().split()[-1] == fragment:
            first = last
            while first > 1 and lines[first - 2].strip() and first - 1 not in heading_lines:
                first -= 1
            return first, last
    return None
