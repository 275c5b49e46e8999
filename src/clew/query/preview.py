"""A few words of a note around the place where it mentions a concept. Pure text."""

import re

PREVIEW_CHARACTERS = 200
_SLACK_CHARACTERS = 60  # how far past the aim a sentence may run before it is cut
_LEAD_CHARACTERS = 80
_SENTENCE_END = re.compile(r"[.!?。！？][\"')\]*_]*(?=\s|$)|[。！？]")
_MARKERS = re.compile(r"^[ \t]*(?:>[ \t]?|#{1,6}[ \t]+|[-*+][ \t]+|\d{1,9}[.)][ \t]+)+")


def preview(text: str, line: int, mention: str) -> str:
    """Return about 200 characters of ``text`` around ``mention`` on ``line`` (1-based).

    The words come from the paragraph that holds the line, on one line, without list and quote
    markers; they begin and end at a sentence where one is near, else at a word with an ellipsis.
    """
    paragraph = _paragraph(text, line)
    at = max(paragraph.find(mention), 0)
    start = _begin(paragraph, at)
    end = _end(paragraph, start, at + len(mention))
    lead = "…" if start > 0 and not _SENTENCE_END.search(paragraph[:start].rstrip()[-4:]) else ""
    tail = "" if end >= len(paragraph) or _ends_sentence(paragraph, end) else "…"
    return f"{lead}{paragraph[start:end].strip()}{tail}"


def _paragraph(text: str, line: int) -> str:
    lines = text.split("\n")
    here = min(max(line - 1, 0), len(lines) - 1)
    first = last = here
    while first > 0 and lines[first - 1].strip() and here - first < 40:
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].strip() and last - here < 40:
        last += 1
    words = " ".join(_MARKERS.sub("", row).strip() for row in lines[first : last + 1])
    return " ".join(words.split())


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
