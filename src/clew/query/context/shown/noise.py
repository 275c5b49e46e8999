"""Lines of a note that tell a reader nothing: a pack leaves them out without a mark.

They are definitions of link references, thematic breaks, comments, and list items and HTML tags
without text. Comments are left out within lines and over several lines too, unless they are open.
"""

import re
from bisect import bisect_left, bisect_right
from functools import lru_cache

from clew.query.context.shown.code import fence_at

_NOISE = re.compile(
    r"[ \t]*(?:"
    r"\[(?!\^)[^\[\]\n]{1,300}\]:[ \t]*\S.*"  # a definition of a link reference; no footnote
    r"|[-*+][ \t]*"  # a list item without text
    r"|(?P<rule>[-*_])(?:[ \t]*(?P=rule)){2,}[ \t]*"
    r"|(?:<(?:!--[^<>]*--|/?[A-Za-z][A-Za-z0-9-]*(?:[\s/][^<>]*)?)>[ \t]*)+"
    r"|%%(?:[^%]|%(?!%))*%%[ \t]*"
    r")"
)
_TAGS = re.compile(r"[ \t]*(?:#[^\s#]+[ \t]*)+")
LINE_CHARACTERS_MAX = 4_000  # a longer line is text
NOTES_KEPT = 128  # whose comments are known, since a pack has several passages of a note
_COMMENTS = {"%%": "%%", "<!--": "-->"}  # what ends each

Span = tuple[int, int]  # in characters of a note's text


def is_noise(line: str) -> bool:
    """Return whether a line that is not blank tells a reader nothing."""
    return len(line) <= LINE_CHARACTERS_MAX and _NOISE.fullmatch(line) is not None


def is_only_tags(line: str) -> bool:
    """Return whether a line has tags and no other word: a pack shows tags by themselves."""
    return len(line) <= LINE_CHARACTERS_MAX and _TAGS.fullmatch(line) is not None


def has_text(text: str) -> bool:
    """Return whether any line of ``text`` tells a reader something besides tags."""
    return text[:1].isalnum() or any(
        line[:1].isalnum() or (line.strip(" \t>") and not (is_noise(line) or is_only_tags(line)))
        for line in text.split("\n")
    )


@lru_cache(maxsize=NOTES_KEPT)
def comments_in(text: str) -> tuple[Span, ...]:
    """Return where the comments of a note's text are, those in code left out; in linear time."""
    nexts = {mark: at for mark in _COMMENTS if (at := text.find(mark)) >= 0}
    found: list[Span] = []
    seen, ticks = 0, 0  # how far back-ticks were counted, and how many the line has up to there
    while nexts:
        mark = min(nexts, key=nexts.__getitem__)
        start = nexts[mark]
        line_end = text.rfind("\n", seen, start)
        ticks = text.count("`", max(seen, line_end), start) + (ticks if line_end < 0 else 0)
        seen, after = start, start + len(mark)
        if not (ticks % 2 or fence_at(text, start)):
            end = text.find(_COMMENTS[mark], after)
            if end < 0:
                del nexts[mark]  # no other one ends either
                continue
            after = end + len(_COMMENTS[mark])
            found.append((start, after))
        for each in [each for each, at in nexts.items() if at < after]:
            nexts[each] = text.find(each, after)
            if nexts[each] < 0:
                del nexts[each]
    return tuple(found)


def comments_within(text: str, start: int, end: int) -> list[Span]:
    """Return those parts of ``text[start:end]`` of a note that are comments."""
    comments = comments_in(text)
    if not comments:
        return []
    first = bisect_right(comments, start, key=lambda span: span[1])
    last = bisect_left(comments, end, key=lambda span: span[0])
    return [(max(start, begin), min(end, stop)) for begin, stop in comments[first:last]]


def without_comments(text: str, start: int, end: int) -> str:
    """Return ``text[start:end]`` of a note without its comments."""
    parts, at = [], start
    for begin, stop in comments_within(text, start, end):
        parts.append(text[at:begin])
        at = stop
    return "".join((*parts, text[at:end]))
