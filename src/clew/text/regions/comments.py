"""Comments in a note's text, HTML ones and those of Obsidian (``%%``).

Marks of comments in code do not count, and neither does a comment that does not end.
"""

from bisect import bisect_left, bisect_right
from functools import lru_cache

from clew.text.regions.fenced_code import fence_at, first_marks

NOTES_KEPT = 128  # size of the cache of comments: a pack has several passages of a note
_COMMENTS = {"%%": "%%", "<!--": "-->"}  # opening mark -> closing mark
_MARK_CHARACTERS_MAX = max(map(len, _COMMENTS))

Span = tuple[int, int]  # in characters of a note's text


def comments_in(text: str) -> tuple[Span, ...]:
    """Return where the comments of a note's text are, those in code left out; in linear time."""
    # Most notes have none, which is found out sooner than whether the cache has them.
    return _comments_in(text) if first_marks(text, _COMMENTS, len(text)) else ()


@lru_cache(maxsize=NOTES_KEPT)
def _comments_in(text: str) -> tuple[Span, ...]:
    nexts = first_marks(text, _COMMENTS, len(text))
    found: list[Span] = []
    seen, ticks = 0, 0  # back-ticks are counted up to ``seen``; its line has ``ticks`` before it
    while nexts:
        mark = min(nexts, key=nexts.__getitem__)
        start = nexts[mark]
        line_end = text.rfind("\n", seen, start)
        ticks = text.count("`", max(seen, line_end), start) + (ticks if line_end < 0 else 0)
        seen, after = start, start + len(mark)
        if not (ticks % 2 or fence_at(text, start)):
            end = text.find(_COMMENTS[mark], after)
            if end < 0:
                del nexts[mark]  # later comments of this kind have no end either
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
    # Without a mark before its end, a part has no comment, whatever the rest of the note has.
    if not first_marks(text, _COMMENTS, end + _MARK_CHARACTERS_MAX):
        return []
    comments = comments_in(text)
    first = bisect_right(comments, start, key=lambda span: span[1])
    last = bisect_left(comments, end, key=lambda span: span[0])
    return [(max(start, begin), min(end, stop)) for begin, stop in comments[first:last]]


def without_comments(text: str, start: int, end: int) -> str:
    """Return ``text[start:end]`` of a note without its comments."""
    comments = comments_within(text, start, end)
    if not comments:
        return text[start:end]
    parts, at = [], start
    for begin, stop in comments:
        parts.append(text[at:begin])
        at = stop
    return "".join((*parts, text[at:end]))
