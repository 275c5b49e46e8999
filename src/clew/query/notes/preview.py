"""Excerpts: about 200 characters of a note around a mention, cut at sentences or words."""

import re
from collections.abc import Sequence

from clew.text.dates.date_keys import key_form
from clew.text.markdown.frontmatter_split import split
from clew.text.markdown.property_lines import LABELS, named_properties
from clew.text.masking.secrets import masked, masked_lines
from clew.text.regions.sections import first_telling
from clew.text.regions.sentences import CLOSING, STOPS, WIDE_STOPS

PREVIEW_CHARACTERS = 200
BODY_LINES_MAX = 40  # lines of a note in which its first words are looked for
_SLACK_CHARACTERS = 60  # how far a sentence may exceed PREVIEW_CHARACTERS
_LEAD_CHARACTERS = 80
_PARAGRAPH_LINES_MAX = 40
_SECRET_LINES_MAX = 400  # lines above that are masked too, as a private key may begin there
# With the marks of emphasis after it, which an excerpt keeps.
_SENTENCE_END = re.compile(rf"[{STOPS}{WIDE_STOPS}][{CLOSING}*_]*(?=\s|$)|[{WIDE_STOPS}]")
_BLOCK_START = re.compile(r"[ \t>]*(?:#{1,6}[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]|\||```|~~~|---)")
# The last line of front matter or code, or a horizontal rule: a paragraph begins below it.
_BLOCK_END = re.compile(r"[ \t>]*(?:-{3,}|={3,}|\*{3,}|_{3,})[ \t]*$|[ \t>]*(?:```|~~~)")
_MARKERS = re.compile(r"^[ \t]*(?:>[ \t]?|#{1,6}[ \t]+|[-*+][ \t]+|\d{1,9}[.)][ \t]+)+")

_ONLY_EMBEDS = re.compile(r"[ \t]*(?:!\[\[[^\[\]\n]*\]\][ \t]*)+")  # a line with nothing else


def preview(text: str, line: int, mention: str) -> str:
    """Return about 200 characters of ``text`` around ``mention`` on ``line`` (1-based).

    They come from the paragraph with that line, joined to one line without list and quote markers,
    and are cut as ``excerpt`` does. Without a mention they are the first words of the paragraph.
    """
    paragraph = _paragraph(text, line)
    starts = (paragraph.find(f"[[{mention}"), paragraph.find(mention)) if mention else ()
    at = next((start for start in starts if start >= 0), 0)
    return excerpt(paragraph, at, at + len(mention))


def first_words(text: str, property_mention: str = "") -> str:
    """Return the first words of a note below its headings and embeds, else of its properties.

    Properties are shown around ``property_mention``, if they have it.
    """
    halves = split(text)
    lines = halves.body.split("\n", BODY_LINES_MAX)[:BODY_LINES_MAX]
    at = first_telling(["" if _ONLY_EMBEDS.fullmatch(line) else line for line in lines])
    if at is None:
        return excerpt_of_properties(text, property_mention)
    return preview(text, halves.body_line + at + 1, "")


def excerpt(paragraph: str, at: int, at_end: int) -> str:
    """Return about 200 characters of ``paragraph`` around ``paragraph[at:at_end]``.

    Begins and ends at the edge of a sentence if one is near; else between words, with an ellipsis.
    """
    start = _begin(paragraph, at)
    end = _end(paragraph, start, at_end)
    lead = "…" if start > 0 and not _SENTENCE_END.search(paragraph[:start].rstrip()[-4:]) else ""
    tail = "" if end >= len(paragraph) or _ends_sentence(paragraph, end) else "…"
    return f"{lead}{paragraph[start:end].strip()}{tail}"


def excerpt_of_properties(text: str, mention: str = "") -> str:
    """Return about 200 characters of the properties of a note around ``mention``, or their start.

    Those that only label the note, such as tags and dates, are left out, and so are URLs.
    """
    shown = (
        f"{key}: {value}"
        for key, value in named_properties(text)
        if value and key_form(key) not in LABELS and "://" not in value
    )
    line = masked("; ".join(shown))[0]
    at = line.find(mention)
    return excerpt(line, at, at + len(mention)) if at >= 0 else excerpt(line, 0, 0)


def _paragraph(text: str, line: int) -> str:
    """Return the paragraph with ``line`` (1-based) as one line, without list and quote markers."""
    lines = text.split("\n")
    index = min(max(line - 1, 0), len(lines) - 1)
    begin = max(0, index - _SECRET_LINES_MAX)
    end = index + _PARAGRAPH_LINES_MAX + 2
    lines[begin:end] = masked_lines("\n".join(lines[begin:end])).split("\n")
    first = _first_of_paragraph(lines, index)
    last = _last_of_paragraph(lines, index)
    words = " ".join(_MARKERS.sub("", row).strip() for row in lines[first : last + 1])
    return " ".join(words.split())


def _first_of_paragraph(lines: Sequence[str], index: int) -> int:
    first = index
    while first > max(0, index - _PARAGRAPH_LINES_MAX):
        above = lines[first - 1]
        if _BLOCK_START.match(lines[first]) or not above.strip() or _BLOCK_END.match(above):
            break
        first -= 1
    return first


def _last_of_paragraph(lines: Sequence[str], index: int) -> int:
    last = index
    while last + 1 < min(len(lines), index + _PARAGRAPH_LINES_MAX + 1):
        if _BLOCK_START.match(lines[last + 1]) or not lines[last + 1].strip():
            break
        last += 1
    return last


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
    preferred = max(start + PREVIEW_CHARACTERS, mention_end)
    if len(paragraph) <= preferred:
        return len(paragraph)
    window = paragraph[: preferred + _SLACK_CHARACTERS]
    ends = [match.end() for match in _SENTENCE_END.finditer(window, mention_end)]
    if ends:
        return ends[-1]
    space = paragraph.rfind(" ", mention_end, preferred)
    return space if space >= 0 else preferred


def _ends_sentence(paragraph: str, end: int) -> bool:
    return bool(_SENTENCE_END.search(paragraph[max(0, end - 4) : end] + " "))
