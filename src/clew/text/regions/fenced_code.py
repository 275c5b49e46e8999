"""Fenced code of a note: which fence, if any, a place in the text is in."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

_FENCE = re.compile(r"[ \t>]{0,40}(?P<marks>`{3,}|~{3,})(?P<info>[^\n]*)")
_MARKS = ("```", "~~~")
NOTES_KEPT = 128  # whose code is known, since a pack has several passages of a note


class Code(NamedTuple):
    """A block of fenced code."""

    start: int  # of the line that opens it, in characters of the note's text
    end: int  # of the line that ends it, or of the text
    fence: str  # the line that opens it, without the white space around it


def fence_at(text: str, at: int) -> str:
    """Return the line that opens the code which a place in a note's text is in; "" for none."""
    blocks = code_blocks(text)
    if not blocks:
        return ""
    index = bisect_left(blocks, at, key=lambda block: block.start) - 1
    return blocks[index].fence if index >= 0 and at < blocks[index].end else ""


@lru_cache(maxsize=NOTES_KEPT)
def code_blocks(text: str) -> Sequence[Code]:
    """Return the blocks of fenced code of a note's text, in order."""
    blocks: list[Code] = []
    opening: re.Match[str] | None = None
    for match in _fences(text):
        if opening is None:
            is_inline = match["marks"][0] == "`" and "`" in match["info"]
            opening = None if is_inline else match
        elif match["marks"].startswith(opening["marks"]) and not match["info"].strip():
            blocks.append(Code(opening.start(), match.start() + 1, opening[0].strip("> \t")))
            opening = None
    if opening is not None:
        blocks.append(Code(opening.start(), len(text) + 1, opening[0].strip("> \t")))
    return tuple(blocks)


def _fences(text: str) -> Iterator[re.Match[str]]:
    """Yield the lines that may open or close code: looked for by their marks, which are rare."""
    at = 0  # where the lines begin that were not looked at
    nexts = {mark: first for mark in _MARKS if (first := text.find(mark)) >= 0}
    while nexts:
        first = min(nexts.values())
        match = _FENCE.match(text, text.rfind("\n", at, first) + 1 or at)
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
