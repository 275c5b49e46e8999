"""Fenced code of a note: which fence, if any, a place in the text is in."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

# A line with a fence: in a quotation, or as a list item, too.
FENCE = re.compile(
    r"[ \t>]{0,40}(?P<item>(?:[-+*]|\d{1,9}[.)])[ \t]{1,20})?(?P<marks>`{3,}|~{3,})(?P<info>[^\n]*)"
)
_MARKS = ("```", "~~~")
_DIAGRAM = re.compile(
    r"(?:`{3,20}|~{3,20})[ \t]{0,20}\{?\.?(?:mermaid|plantuml|puml|dot|graphviz|d2|ditaa)\b",
    re.IGNORECASE,
)
NOTES_KEPT = 128  # size of the cache of code: a pack has several passages of a note


class Code(NamedTuple):
    """A block of fenced code."""

    start: int  # of the line that opens it, in characters of the note's text
    first: int  # of the first line of the code
    last: int  # of the line that ends it, or the end of the text
    end: int  # within the line that ends it, or beyond the text
    fence: str  # the line that opens it, without the white space around it


def fence_at(text: str, at: int) -> str:
    """Return the line that opens the code which a place in a note's text is in; "" for none."""
    code = code_at(text, at)
    return code.fence if code is not None else ""


def is_diagram(fence: str) -> bool:
    """Return whether ``fence`` opens code that is drawn as a diagram; text may follow it."""
    return _DIAGRAM.match(fence) is not None


def code_at(text: str, at: int) -> Code | None:
    """Return the code which a place in a note's text is in.

    Once the blocks are known, a further place takes next to no time, however long the text is.
    """
    blocks = _code_blocks(text)
    if not blocks:
        return None
    index = bisect_left(blocks, at, key=lambda block: block.start) - 1
    return blocks[index] if index >= 0 and at < blocks[index].end else None


def code_blocks(text: str) -> Sequence[Code]:
    """Return the blocks of fenced code of a note's text, in order."""
    # Most notes have none, which is found out sooner than whether the cache has them.
    return _code_blocks(text) if first_marks(text, _MARKS, len(text)) else ()


@lru_cache(maxsize=NOTES_KEPT)
def _code_blocks(text: str) -> Sequence[Code]:
    blocks: list[Code] = []
    opening: re.Match[str] | None = None
    for match in _fences(text):
        if opening is None:
            is_inline = match["marks"][0] == "`" and "`" in match["info"]
            opening = None if is_inline else match
        elif _closes(match, opening["marks"]):
            blocks.append(_code(opening, match.start(), match.start() + 1))
            opening = None
    if opening is not None:
        blocks.append(_code(opening, len(text), len(text) + 1))
    return tuple(blocks)


def _closes(fence: re.Match[str], marks: str) -> bool:
    """Return whether a fence ends the code that one with these ``marks`` opened."""
    return not fence["item"] and fence["marks"].startswith(marks) and not fence["info"].strip()


def _code(opening: re.Match[str], last: int, end: int) -> Code:
    first = min(opening.end() + 1, last)
    return Code(opening.start(), first, last, end, opening["marks"] + opening["info"])


def code_within(text: str, start: int, end: int) -> Sequence[Code]:
    """Return the blocks of fenced code of which a part is in ``text[start:end]``."""
    line_end = text.find("\n", end)  # the part may end within the line that opens code
    if not first_marks(text, _MARKS, line_end if line_end >= 0 else len(text)):
        return ()
    blocks = code_blocks(text)
    begin = bisect_right(blocks, start, key=lambda block: block.end)
    return blocks[begin : bisect_left(blocks, end, key=lambda block: block.start)]


def first_marks(text: str, marks: Iterable[str], end: int) -> dict[str, int]:
    """Return where each of ``marks`` is first in ``text[:end]``; those that it lacks are left out.

    Most texts lack even the first character of a mark, which takes a tenth of the time to find.
    """
    firsts = {}
    for mark in marks:
        first = text.find(mark[0], 0, end)
        if first >= 0 and (first := text.find(mark, first, end)) >= 0:
            firsts[mark] = first
    return firsts


def _fences(text: str) -> Iterator[re.Match[str]]:
    """Yield the lines that may open or close code: looked for by their marks, which are rare."""
    at = 0  # start of the first line that is not searched yet
    nexts = first_marks(text, _MARKS, len(text))
    while nexts:
        first = min(nexts.values())
        match = FENCE.match(text, text.rfind("\n", at, first) + 1 or at)
        if match is not None:
            yield match
        line_end = text.find("\n", first)
        if line_end < 0:
            return
        at = line_end + 1
        for mark in [mark for mark, place in nexts.items() if place < at]:
            nexts[mark] = text.find(mark, at)
            if nexts[mark] < 0:
                del nexts[mark]
