"""Where in its note a text stands: under which headings, and whether there is more beside it."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress

from clew.text.chunks import line_starts
from clew.text.regions.comments import comments_in, without_comments
from clew.text.regions.noise import begins_with_text, is_noise, is_only_tags
from clew.values.note import Heading

LINES_MAX = 40  # lines beside an excerpt in which text is looked for
CHARACTERS_MAX = 4_000  # characters beside an excerpt in which text is looked for
LABEL_CHARACTERS_MAX = 40  # of an empty label

_LABEL = re.compile(r"[^\s:][^:]{0,60}:[ \t]*")  # a label without a value
BLOCK = re.compile(r"[ \t]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]|[|]|`{3}|~{3})")  # item, row or code
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}(?:[ \t]|$)")
_EMPTY_LABEL = re.compile(r"[*_]{0,3}[^\W\d_][\w -]{0,25}[*_]{0,3}:[*_]{0,3}[ \t]*")
_LETTER_BELOW = re.compile(r"(?:(?<![ \t])[ \t]+)?\n[ \t]*\n?[^\W\d_]")

Headings = Sequence[Heading]  # of a note, by line


def section_at(headings: Headings, line: int) -> int:
    """Return the index of the last heading at or above ``line`` (1-based); -1 for none."""
    return bisect_right(headings, line, key=lambda heading: heading.line) - 1


def indexes_above(headings: Headings, line: int) -> list[int]:
    """Return the indexes of the headings above a text that begins at ``line``, outermost first.

    If the line is a heading itself, these are the headings above that one.
    """
    index = section_at(headings, line)
    level = 7
    if index >= 0 and headings[index].line == line:
        level, index = headings[index].level, index - 1
    path: list[int] = []
    while index >= 0 and level > 1:
        if headings[index].level < level:
            path.append(index)
            level = headings[index].level
        index -= 1
    return path[::-1]


def common_length(one: Sequence[int], other: Sequence[int]) -> int:
    """Return how many items both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))


def is_heading(line: str) -> bool:
    """Return whether a line is a heading with ``#``."""
    return _HEADING.match(line) is not None


def is_only_headings(text: str) -> bool:
    """Return whether a text that begins with a heading has nothing but headings, besides noise."""
    if not is_heading(text):
        return False
    lines = (line for line in text.split("\n") if line.strip())
    return all(is_heading(line) or is_noise(line) for line in lines)


def is_empty_label(line: str) -> bool:
    """Return whether a line is a short label, perhaps in bold, without a value."""
    return line.rstrip(" \t*_")[-1:] == ":" and _EMPTY_LABEL.fullmatch(line) is not None


def is_idle_label(text: str, start: int, end: int) -> bool:
    """Return whether ``text[start:end]`` is an empty label, and nothing that it could lead to.

    Below it is a heading or another such label, or the text ends.
    """
    if end - start > LABEL_CHARACTERS_MAX or not is_empty_label(text[start:end]):
        return False
    for line in text[end : end + CHARACTERS_MAX].split("\n")[1:]:
        if line.strip() and not (is_noise(line) or is_only_tags(line)):
            return is_heading(line) or is_empty_label(line)
    return end + CHARACTERS_MAX >= len(text)


def is_heading_alone(text: str, start: int, end: int) -> bool:
    """Return whether ``text[start:end]`` is nothing but headings, and their section goes on below.

    Then they stand above what is shown of it. A heading with another of its level below it, as in a
    list of ideas, is all there is of its section.
    """
    if not is_only_headings(text[start:end]) or is_bare(text[end:]):
        return False
    lines = [line for line in text[start:end].split("\n") if is_heading(line)]
    below = next((line for line in text[end:].split("\n") if line.strip()), "")
    return not is_heading(below) or _level(below) > _level(lines[-1])


def _level(heading: str) -> int:
    marks = heading.lstrip(" \t")
    return len(marks) - len(marks.lstrip("#"))


def is_bare(text: str) -> bool:
    """Return whether ``text`` has only headings, labels without a value, tags and noise.

    So has a note that was made from a template and not yet written.
    """
    return not any(
        line.strip()
        and not (is_heading(line) or _LABEL.fullmatch(line) or is_noise(line) or is_only_tags(line))
        for line in text.split("\n")
    )


def first_telling(lines: Sequence[str]) -> int | None:
    """Return the index of the first line that tells something; ``None`` for none.

    A label without a value tells something if a list, a table or code is below it.
    """
    for index, line in enumerate(lines):
        if not is_bare(line):
            if index and BLOCK.match(line) and (above := _label_above(lines, index)) is not None:
                return above
            return index
    return None


def _label_above(lines: Sequence[str], index: int) -> int | None:
    above = next((at for at in range(index - 1, -1, -1) if lines[at].strip()), 0)
    is_label = _LABEL.fullmatch(lines[above]) and not is_heading(lines[above])
    return above if is_label else None


def empty_sections(text: str, headings: Headings, are_shared: Sequence[bool]) -> frozenset[int]:
    """Return where the lines of headings begin that are shared and have nothing below them.

    Blank lines, tags, noise, and headings of sections that are empty too count as nothing; labels
    count as text.
    ``are_shared``: for each heading, whether other notes have it, as with a common template.
    """
    if not any(are_shared):
        return frozenset()
    begins = line_starts(text, [heading.line - 1 for heading in headings])
    ends = (text.find("\n", begin) for begin in begins)  # -1 after the last line of the text
    has_comments = bool(comments_in(text))
    are_empty = [
        is_shared and (end < 0 or not _has_more(text, end, has_comments=has_comments))
        for end, is_shared in zip(ends, are_shared, strict=True)
    ]
    for index, parent in reversed([*enumerate(_parents(headings))]):
        if parent >= 0 and not are_empty[index]:
            are_empty[parent] = False
    return frozenset(compress(begins, are_empty))


def _parents(headings: Headings) -> list[int]:
    """Return the index of the heading that each one is directly below; -1 for none."""
    parents: list[int] = []
    above: list[int] = []
    for index, heading in enumerate(headings):
        while above and headings[above[-1]].level >= heading.level:
            above.pop()
        parents.append(above[-1] if above else -1)
        above.append(index)
    return parents


def has_more_before(text: str, body_start: int, start: int) -> bool:
    """Return whether the section has text before ``start``; the body begins at ``body_start``."""
    lines = without_comments(text, max(body_start, start - CHARACTERS_MAX), start).split("\n")
    above = lines[::-1][:LINES_MAX]
    if is_empty_label(_line_at(text, start)):  # labels above it lead to nothing
        above = [line for line in above if not is_empty_label(line)]
    return _begins_with_text(above)


def has_more_after(text: str, end: int) -> bool:
    """Return whether the section has text after ``end``, besides empty labels."""
    has_comments = bool(comments_in(text))
    at = None if has_comments else _text_below(text, end)
    if at is not None and not is_empty_label(_line_at(text, at)):
        return True  # as mostly: no heading or tag begins with a letter
    lines = _shown_below(text, end, has_comments=has_comments)
    return _begins_with_text(line for line in lines if not is_empty_label(line))


def _has_more(text: str, end: int, *, has_comments: bool) -> bool:
    """Return whether the section has text after ``end``, or a label."""
    if not has_comments and _text_below(text, end) is not None:
        return True  # as mostly
    return _begins_with_text(_shown_below(text, end, has_comments=has_comments))


def _text_below(text: str, end: int) -> int | None:
    """Return where a line of text begins directly below ``end`` if it does so with a letter."""
    below = _LETTER_BELOW.match(text, end)
    if below is None:
        return None
    at = below.end() - 1
    return at if begins_with_text(text, at) else None


def _shown_below(text: str, end: int, *, has_comments: bool) -> Iterator[str]:
    """Return the lines below ``end`` without comments."""
    stop = min(len(text), end + CHARACTERS_MAX)
    if not has_comments:
        return _lines_below(text, end, stop)
    return _lines_below(without_comments(text, end, stop), 0, stop - end)


def _line_at(text: str, start: int) -> str:
    """Return the beginning of the line at ``start``, long enough to tell a label."""
    return text[start : start + LABEL_CHARACTERS_MAX].partition("\n")[0]


def _lines_below(text: str, start: int, end: int) -> Iterator[str]:
    """Yield the lines of ``text[start:end]``, at most ``LINES_MAX``."""
    for _ in range(LINES_MAX):
        line_end = text.find("\n", start, end)
        if line_end < 0:
            yield text[start:end]
            return
        yield text[start:line_end]
        start = line_end + 1


def _begins_with_text(lines: Iterable[str]) -> bool:
    """Return whether the first of the lines that tells something is no heading."""
    for line in lines:
        if line.strip() and not (is_noise(line) or is_only_tags(line)):
            return not is_heading(line)
    return False
