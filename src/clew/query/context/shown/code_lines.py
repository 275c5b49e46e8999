"""Where to cut code, and in which functions and classes a line is, by indentation alone.

So it works for any language. A cut comes before a line that is indented least, but not before one
that closes a bracket, continues a statement, or follows a comment.
"""

import re
from collections.abc import Iterator

from clew.text.regions.fenced_code import FENCE, Code

REACH = 3  # times the length that is aimed at: how far to look for a better cut
HEADS_MAX = 3  # lines above a place that are shown, the innermost
HEAD_CHARACTERS_MAX = 160
LINES_MAX = 400  # above a place that are looked at
TAB = 4  # columns

_INDENT = re.compile(r"[ \t>]*")
_CLOSES = re.compile(
    r"[)\]}]|(?:end|fi|done|esac|else|elif|elsif|except|rescue|catch|finally)\b|</"
)
_COMMENT = re.compile(r"#|//|/\*|\*|--|@")  # or a decorator: it belongs to the line below it
# Lines that enclose nothing: brackets alone, and the labels in a class.
_PART = re.compile(r"[^\w\s]*$|(?:public|private|protected)\s*:")
_STATEMENT = re.compile(
    r"(?:if|for|foreach|while|until|unless|do|switch|select|match|case|try|with|loop|when)\b"
)


def line_cuts(text: str, start: int, end: int, aim: int) -> Iterator[int]:
    """Yield where to cut the code ``text[start:end]`` into pieces of about ``aim`` characters.

    A line may be longer. The lines of a fence stay with the code.
    """
    if FENCE.match(text, start):
        start = _next_line(text, start, end)
    cut = _cut(text, start, end, aim)
    while cut:
        yield cut
        cut = _cut(text, cut, end, aim)


def _next_line(text: str, at: int, end: int) -> int:
    line_end = text.find("\n", at, end)
    return end if line_end < 0 else line_end + 1


def _cut(text: str, start: int, end: int, aim: int) -> int:
    """Return the best place for a cut after ``start``; 0 if nothing is to be cut."""
    if end - start <= aim:
        return 0
    best, least = 0, (True, 0, 0)
    first = before = _indent(text, start)
    is_apart = is_bound = False  # below a blank or closing line; below a comment
    at = _next_line(text, start, end)
    while at < end and (not best or at - start <= REACH * aim):
        begin = _text_start(text, at)
        if text[begin : begin + 1] in ("", "\n"):
            is_apart, is_bound = True, False
        elif _CLOSES.match(text, begin) or FENCE.match(text, at):
            is_apart, is_bound = True, False
            before = _indent(text, at)
        else:
            indent = _indent(text, at)
            if is_apart and indent < first:
                return at
            distance = abs(at - start - aim) - aim * is_apart
            rank = is_bound or indent > before, indent, distance
            if 2 * (at - start) >= aim and (not best or rank < least):
                best, least = at, rank
            is_apart, is_bound = False, _COMMENT.match(text, begin) is not None
            before = indent
        at = _next_line(text, at, end)
    is_left_whole = least[0] and end - start <= REACH * aim
    return 0 if is_left_whole else best


def enclosing_lines(text: str, code: Code, at: int) -> list[tuple[int, int]]:
    """Return the first lines of the functions and classes in ``code`` that enclose a line.

    ``at``: where the line begins. Loops and conditions are left out.
    """
    heads: list[tuple[int, int]] = []
    indent, end = _indent(text, at), at - 1
    for _ in range(LINES_MAX):
        if end < code.first or not indent:
            break
        start = max(text.rfind("\n", 0, end) + 1, code.first)
        begin = _text_start(text, start)
        is_text = begin < end and not (_CLOSES.match(text, begin) or _COMMENT.match(text, begin))
        if is_text and _indent(text, start) < indent and not _PART.match(text, begin, end):
            indent = _indent(text, start)
            if not _STATEMENT.match(text, begin, end):
                heads.append((start, end))
        end = start - 1
    short = [head for head in heads if head[1] - head[0] <= HEAD_CHARACTERS_MAX]
    return short[:HEADS_MAX][::-1]


def indentation(text: str, at: int) -> str:
    """Return the white space, and the marks of a quotation, with which a line begins."""
    return text[at : _text_start(text, at)]


def _text_start(text: str, at: int) -> int:
    blanks = _INDENT.match(text, at)
    return blanks.end() if blanks else at


def _indent(text: str, at: int) -> int:
    return len(indentation(text, at).expandtabs(TAB))
