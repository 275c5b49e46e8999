"""A few words of a note around the place where it mentions a concept. Pure text."""

import re

from clew.text.markdown.frontmatter_split import split

PREVIEW_CHARACTERS = 200
_SLACK_CHARACTERS = 60  # how far past the aim a sentence may run before it is cut
_LEAD_CHARACTERS = 80
_PARAGRAPH_LINES_MAX = 40
_SENTENCE_END = re.compile(r"[.!?。！？][\"')\]*_]*(?=\s|$)|[。！？]")
_BLOCK_START = re.compile(r"[ \t>]*(?:#{1,6}[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]|\||```|~~~|---)")
_MARKERS = re.compile(r"^[ \t]*(?:>[ \t]?|#{1,6}[ \t]+|[-*+][ \t]+|\d{1,9}[.)][ \t]+)+")


def preview(text: str, line: int, mention: str) -> str:
    """Return about 200 characters of ``text`` around ``mention`` on ``line`` (1-based).

    The words come from the paragraph that holds the line, on one line, without list and quote
    markers; they begin and end at a sentence where one is near, else at a word with an ellipsis.
    """
    paragraph = _paragraph(text, line)
    places = (paragraph.find(f"[[{mention}"), paragraph.find(mention))
    at = next((place for place in places if place >= 0), 0)
    return excerpt(paragraph, at, at + len(mention))


def excerpt(paragraph: str, at: int, at_end: int) -> str:
    """Return about 200 characters of ``paragraph`` around what stands from ``at`` to ``at_end``.

    They begin and end at a sentence where one is near, else at a word with an ellipsis.
    """
    start = _begin(paragraph, at)
    end = _end(paragraph, start, at_end)
    lead = "…" if start > 0 and not _SENTENCE_END.search(paragraph[:start].rstrip()[-4:]) else ""
    tail = "" if end >= len(paragraph) or _ends_sentence(paragraph, end) else "…"
    return f"{lead}{paragraph[start:end].strip()}{tail}"


def body_line(text: str) -> int:
    """Return the first line (1-based) with words below a note's front matter."""
    parted = split(text)
    for index, line in enumerate(parted.body.split("\n")):
        if line.strip():
            return parted.body_line + index + 1
    return 1


def _paragraph(text: str, line: int) -> str:
    lines = text.split("\n")
    here = min(max(line - 1, 0), len(lines) - 1)
    first = last = here
    while (
        first > 0
        and not _BLOCK_START.match(lines[first])
        and _goes_on(lines[first - 1], here - first)
    ):
        first -= 1
    while last + 1 < len(lines) and _goes_on(lines[last + 1], last - here):
        if _BLOCK_START.match(lines[last + 1]):
            break
        last += 1
    words = " ".join(_MARKERS.sub("", row).strip() for row in lines[first : last + 1])
    return " ".join(words.split())


def _goes_on(line: str, distance: int) -> bool:
    return bool(line.strip()) and distance < _PARAGRAPH_LINES_MAX


def _begin(paragraph: str, at: int) -> int:
    earliest = max(0, at - _LEAD_CHARACTERS)
    if earliest == 0:
        return 0
    ends = [match.end() for match in _SENTENCE_END.finditer(paragraph, earliest, at)]
    if ends:
        return ends[-1]
    space = paragraph.find(" ", earliest, at)
    return space + 1 if space >= 0 else earliest


def _end(paragraph: str, start: int, mention_end: int) -> int:
    aim = max(start + PREVIEW_CHARACTERS, mention_end)
    if len(paragraph) <= aim:
        return len(paragraph)
    window = paragraph[: aim + _SLACK_CHARACTERS]
    ends = [match.end() for match in _SENTENCE_END.finditer(window, mention_end)]
    if ends:
        return ends[-1]
    space = paragraph.rfind(" ", mention_end, aim)
    return space if space >= 0 else aim


def _ends_sentence(paragraph: str, end: int) -> bool:
    return bool(_SENTENCE_END.search(paragraph[max(0, end - 4) : end] + " "))
