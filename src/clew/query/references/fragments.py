"""The lines of a note that the fragment of a reference names: a heading, a block or lines."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache

from clew.query.references.forms import line_fragment
from clew.query.references.sections import section
from clew.text.concept import normalize
from clew.text.markdown.frontmatter_split import split
from clew.text.regions.fenced_code import fence_at
from clew.values.note import Note

# Obsidian leaves these out of links to headings, and compares headings without any of the signs.
_NOT_IN_LINKS = re.compile(r"[#|^:%\[\]\\]+")
_SIGNS = re.compile(r"[!-&(-,./:-@\[-^`{-~]+")  # of ASCII, except ' - _
_LIST_ITEM = re.compile(r"((?:[ \t]*>)*)([ \t]*)(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]|$)")
_QUOTED = re.compile(r"(?:[ \t]*>)++[ \t]?[^ \t]")  # text of a quote that is not indented
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")

SAME_NAME_MAX = 64  # headings of one name, in whose sections the next one is looked for

Lines = tuple[int, int]  # first and last, 1-based


def lines_of(note: Note, lines: Sequence[str], fragment: str) -> Lines | None:
    """Return the lines of ``note`` that a fragment names; ``None`` if it has no such part.

    ``lines``: of its text. A heading names its section, up to the next heading of its
    level or a higher one; with several headings, each is looked for in the section of the one
    before. As in Obsidian, a ``#`` without a name counts for nothing. A block is the paragraph or
    list item at whose end its id stands; an id on a line of its own names the block above it.
    ``[^1]`` names the footnote.
    """
    numbered = line_fragment(fragment)
    if numbered is not None:
        first, last = numbered.first, numbered.last
        return (first, min(last, len(lines))) if 1 <= first <= min(last, len(lines)) else None
    if fragment.startswith("^"):
        return _block(note, lines, fragment)
    if fragment.startswith("[^") and fragment.endswith("]"):
        return _footnote(note, lines, fragment)
    names = [name for name in fragment.split("#") if name.strip()]
    found = _section_of(note, lines, names) if names else None
    if found is None and len(names) > 1:  # a heading may have a "#" itself
        return _section_of(note, lines, [fragment])
    return found


def _section_of(
    note: Note, lines: Sequence[str], names: Sequence[str], start: int = 0, end: int | None = None
) -> Lines | None:
    """Return the section that a path of headings names; each is within the section before it.

    Looks at headings from index ``start`` on and up to line ``end``. If the section of a heading
    lacks the next ones, later headings of the same name are tried, ``SAME_NAME_MAX`` in all.
    """
    for place in _headings_named(note, lines, names[0], start, end)[:SAME_NAME_MAX]:
        part = section(note, place)
        within = (part.first_line, part.last_line)
        if len(names) == 1:
            return within
        found = _section_of(note, lines, names[1:], place + 1, part.last_line)
        if found is not None:
            return found
    return None


def lines_of_text(text: str) -> list[str]:
    """Return the lines of ``text``; a line break at the end does not begin another line."""
    lines = text.split("\n")
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def _headings_named(
    note: Note, lines: Sequence[str], name: str, start: int, end: int | None
) -> list[int]:
    """Return the indexes of the headings with a name, from ``start`` on and up to line ``end``.

    If no heading has that name, signs are ignored, and a link in a heading may be written with its
    brackets or as its text alone.
    """
    wanted, wanted_words = _in_link(name), _words_of(name)
    named, similar = [], []
    for place in range(start, len(note.headings)):
        heading = note.headings[place]
        if end is not None and heading.line > end:
            break
        if _in_link(heading.text) == wanted:
            named.append(place)
        elif wanted_words:
            written = lines[heading.line - 1]
            if wanted_words in (_words_of(heading.text), _words_of(written)):
                similar.append(place)
    return named or similar


@lru_cache(maxsize=8_192)  # ten thousand references may look for headings in one note
def _in_link(heading: str) -> str:
    return normalize(_NOT_IN_LINKS.sub(" ", heading))


@lru_cache(maxsize=8_192)
def _words_of(heading: str) -> str:
    return normalize(_SIGNS.sub(" ", heading))


def _block(note: Note, lines: Sequence[str], fragment: str) -> Lines | None:
    """Return the lines of the block with an id, which ends the block or stands below it.

    Front matter and code have no ids.
    """
    wanted = fragment.lower()
    before_body = split(note.text).body_line
    heading_lines = {before_body, *(heading.line for heading in note.headings)}
    start = end = 0  # of the line, in characters of the note's text
    for last, line in enumerate(lines, 1):
        start, end = end, end + len(line) + 1
        if "^" not in line:  # as most lines, of which a note may have a million
            continue
        words = line.lower().split()
        if words[-1] != wanted or last <= before_body or fence_at(note.text, start):
            continue
        if len(words) > 1:
            first = _first_of_block(lines, last, heading_lines, is_item=True)
            return first, _last_of_item(lines, first, last)
        above = last - 1
        while above > 0 and not lines[above - 1].strip():
            above -= 1
        if above == 0:
            return last, last
        return _first_of_block(lines, above, heading_lines, is_item=False), above
    return None


def _footnote(note: Note, lines: Sequence[str], fragment: str) -> Lines | None:
    """Return the lines of a footnote: its paragraph, and the indented blocks after it."""
    label = f"{fragment}:".lower()
    end = 0  # of the lines so far, in characters of the note's text
    for first, line in enumerate(lines, 1):
        start, end = end, end + len(line) + 1
        if line.lower().startswith(label) and not fence_at(note.text, start):
            return first, _last_of_footnote(note, lines, first)
    return None


def _last_of_footnote(note: Note, lines: Sequence[str], first: int) -> int:
    heading_lines = {heading.line for heading in note.headings}
    last, is_after_blank = first, False
    for number, line in enumerate(lines[first:], first + 1):
        if not line.strip():
            is_after_blank = True
            continue
        is_outside = is_after_blank and not line.startswith(("    ", "\t"))
        if is_outside or number in heading_lines or line.startswith("[^"):
            break
        last, is_after_blank = number, False
    return last


def _first_of_block(
    lines: Sequence[str], last: int, heading_lines: AbstractSet[int], *, is_item: bool
) -> int:
    """Return the first line of the block that ends with ``last``, which a list item may begin."""
    if fence := _FENCE.match(lines[last - 1]):
        opening = last - 1
        while opening > 0 and not lines[opening - 1].lstrip().startswith(fence[1]):
            opening -= 1
        return opening or last
    first = last
    while first > 1 and first not in heading_lines:
        line, above = lines[first - 1], lines[first - 2]
        if is_item and _LIST_ITEM.match(line):
            break
        if is_item and _QUOTED.match(line) and not above.strip("> \t"):
            is_item = False  # a paragraph of a quote: the list items above it are others
        # An indented line belongs to the block above it, even below an empty line or code.
        is_apart = not above.strip() or _FENCE.match(above)
        if first - 1 in heading_lines or (line.strip() and is_apart and line[0] > " "):
            break
        first -= 1
    return first


def _last_of_item(lines: Sequence[str], first: int, last: int) -> int:
    """Return the last line of a list item, to which all lines belong that are indented further."""
    item = _LIST_ITEM.match(lines[first - 1])
    if item is None:
        return last
    quote, indent = item.groups()
    for number in range(last + 1, len(lines) + 1):
        if not lines[number - 1].startswith(quote):
            break
        line = lines[number - 1].removeprefix(quote)
        if not line.strip():
            continue
        if len(line) - len(line.lstrip()) <= len(indent):
            break
        last = number
    return last
