"""Split a note into chunks of about 256 tokens, at its headings and then at its paragraphs.

A chunk consists of whole lines, unless one line alone is too long. Fenced code stays in one chunk
if it fits. Chunks cover the body in order, do not overlap, and have at most ``TOKENS_MAX`` tokens.

Counting tokens is slow, so a note is first split by estimates: into sections (``_sections``), then
paragraphs and fences, then halves of those that are too long (``_Splitter``). Paragraphs are joined
up to the wanted size, and tokens are counted only in the resulting chunks; one with too many tokens
is halved.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from clew.text.counting import TokenParts
from clew.text.markdown.announcing import announces
from clew.text.regions.sentences import CLOSING, DANDA, STOPS, WIDE_STOPS
from clew.values.note import Chunk, Heading

TOKENS_AIMED = 256
TOKENS_MAX = 400
TOKENS_MIN = 48  # a shorter section is joined with the subsection after it

_LATIN_CHARACTERS = 4  # per token, on average; other scripts have about one
_BLANK = re.compile(r"\n(?:[ \t]*\n)+")
_FENCE = re.compile(
    r"^[ \t>]*((?:[-+*]|\d{1,9}[.)])[ \t]+)?(`{3,}+(?=[^`\n]*$)|~{3,}+)[ \t]*(\S?)", re.MULTILINE
)
# One white space is enough: the others are stripped from both parts.
_SENTENCE_END = re.compile(rf"[{STOPS}][{CLOSING}]*\s|[{WIDE_STOPS}{DANDA}]")
_HEADINGS = re.compile(r"(?:\s*+#{1,6}[ \t][^\n]*+)*\s*+")
_ITEM = re.compile(r"^[ \t]*+(?:[-*+]|\d{1,9}[.)])[ \t]", re.MULTILINE)
_AFTER_SENTENCE = re.compile(rf"(?<=[{STOPS}\u3002])\n|(?<=[{STOPS}][{CLOSING}*_`])\n")
_SPACE = re.compile(r"\s")
_SPACE_REACH = 500  # characters around the middle in which a space is looked for
_BLOCK_REACH = 1_000  # the same for a list item, or a line that ends a sentence

Span = tuple[int, int]


def chunks(
    text: str,
    body_line: int,
    headings: Sequence[Heading],
    token_parts: TokenParts,
) -> tuple[Chunk, ...]:
    """Return the chunks of a note; its body begins at the 0-based line ``body_line``.

    ``token_parts`` counts their tokens.
    """
    starts = line_starts(text, [body_line, *(heading.line - 1 for heading in headings)])
    splitter = _Splitter(text, token_parts)
    all_chunks: list[Chunk] = []
    line, seen = 1, 0  # the line of the character at ``seen``
    for start, end in _sections(text, starts, headings):
        for first, last, tokens in splitter.chunks_of_section(start, end):
            line += text.count("\n", seen, first)
            place = bisect_right(starts, first) - 2  # the body's own start is before all headings
            last_line = line + text.count("\n", first, last)
            counts = token_parts.part_tokens(text[first:last])
            all_chunks.append(Chunk(first, last, line, last_line, place, tokens, counts))
            line, seen = last_line, last
    return tuple(all_chunks)


def line_starts(text: str, lines: Sequence[int]) -> list[int]:
    """Return the position of the start of each of these 0-based, ascending lines."""
    starts, at, line = [], 0, 0
    for wanted_line in lines:
        while line < wanted_line:
            at = text.find("\n", at) + 1 or len(text)  # a body may have no line at all
            line += 1
        starts.append(at)
    return starts


def _sections(text: str, starts: Sequence[int], headings: Sequence[Heading]) -> Iterator[Span]:
    """Yield the text before the first heading, if any, and the section of each heading.

    A short section is joined with the next one, if that is a subsection of it.
    """
    joined: tuple[int, int] | None = None  # heading index and start of a short section
    for place, (start, end) in enumerate(pairwise([*starts, len(text)]), -1):
        if place < 0 and not text[start:end].strip():
            continue  # most notes begin with a heading
        first_place, first = joined or (place, start)
        is_short = _estimate(text, first, end) < TOKENS_MIN
        is_above = place + 1 < len(headings) and (
            first_place < 0 or headings[place + 1].level > headings[first_place].level
        )
        if is_short and is_above:
            joined = (first_place, first)
            continue
        joined = None
        yield first, end


def _estimate(text: str, start: int, end: int) -> int:
    """Estimate the number of tokens of ``text[start:end]``; at least 1 unless it is empty."""
    part = text[start:end]
    if part.isascii():
        return -(-len(part) // _LATIN_CHARACTERS)
    others = (len(part.encode("utf-8", "replace")) - len(part)) // 2
    return -(-(len(part) - others) // _LATIN_CHARACTERS) + others


class _Splitter:
    """Splits sections of one text into chunks."""

    def __init__(self, text: str, token_parts: TokenParts) -> None:
        self._text = text
        self._token_parts = token_parts
        self._section: Span = (0, 0)  # the section that is being split
        self._fences: list[Span] | None = None  # the fences of that section; None: not computed yet

    def chunks_of_section(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Yield start, end and token count of each chunk of a section, white space trimmed."""
        self._section, self._fences = (start, end), None
        pieces = self._pieces(start, end)
        group: list[Span] = []
        size = 0
        for piece in pieces:
            piece_size = _estimate(self._text, *piece)
            if group and size + piece_size > TOKENS_AIMED:
                lead_size = self._lead_size(group)
                # A short group, such as a lone heading, is joined with a longer paragraph.
                most = TOKENS_AIMED if size - lead_size >= TOKENS_MIN else TOKENS_MAX
                if size + piece_size > most:
                    # A piece that announces the next one stays with it.
                    is_lead = 0 < lead_size <= TOKENS_MAX - piece_size
                    is_lead = is_lead and not self._are_headings(group[:-1])
                    yield from self._counted(group[:-1] if is_lead else group)
                    group, size = (group[-1:], lead_size) if is_lead else ([], 0)
            group.append(piece)
            size += piece_size
        yield from self._counted(group)

    def _lead_size(self, group: Sequence[Span]) -> int:
        """Return the size of the last of several pieces if it announces the next one, else 0."""
        last = group[-1]
        is_lead = len(group) > 1 and announces(self._text[last[0] : last[1]])
        return _estimate(self._text, *last) if is_lead else 0

    def _are_headings(self, group: Sequence[Span]) -> bool:
        return _HEADINGS.fullmatch(self._text, group[0][0], group[-1][1]) is not None

    def _pieces(self, start: int, end: int) -> list[Span]:
        """Return the paragraphs and fences of a section, with long ones cut in halves."""
        if _estimate(self._text, start, end) <= TOKENS_AIMED:
            return [(start, end)]
        pieces: list[Span] = []
        for piece in self._paragraphs(start, end):
            pieces += self._halves(*piece)
        return pieces

    def _paragraphs(self, start: int, end: int) -> Iterator[Span]:
        at = start
        for blank in _BLANK.finditer(self._text, start, end):
            if self._fence_around(blank.start()) is None:
                yield at, blank.end()
                at = blank.end()
        if at < end:
            yield at, end

    def _fence_around(self, at: int) -> Span | None:
        """Return the fenced code around position ``at``, if it fits into a chunk."""
        if self._fences is None:
            self._fences = self._find_fences(*self._section)
        place = bisect_right(self._fences, at, key=lambda fence: fence[0]) - 1
        if place < 0 or not self._fences[place][0] < at < self._fences[place][1]:
            return None
        return self._fences[place]

    def _find_fences(self, start: int, end: int) -> list[Span]:
        """Return the spans of fenced code that fits into a chunk."""
        fences: list[Span] = []
        opened: tuple[int, str] | None = None
        for mark in _FENCE.finditer(self._text, start, end):
            list_marker, fence, info = mark.groups()
            if opened is None:
                opened = (mark.start(), fence)
            elif fence.startswith(opened[1]) and not list_marker and not info:
                if _estimate(self._text, opened[0], mark.end()) <= TOKENS_MAX:
                    fences.append((opened[0], mark.end()))
                opened = None
        return fences

    def _halves(self, start: int, end: int) -> list[Span]:
        """Halve a span until the estimate of each part is at most ``TOKENS_MAX``."""
        waiting, parts = [(start, end)], []
        while waiting:
            first, last = waiting.pop()
            if _estimate(self._text, first, last) <= TOKENS_MAX or last - first < 2:
                parts.append((first, last))
                continue
            middle = self._middle(first, last)
            waiting += [(middle, last), (first, middle)]
        return parts

    def _middle(self, start: int, end: int) -> int:
        """Return where to halve a span.

        It is cut between list items, else after a line that ends a sentence, else at any line end;
        within a line at a sentence or a space.
        """
        half, reach = (start + end) // 2, (end - start) // 4
        near = half - min(reach, _BLOCK_REACH), half + min(reach, _BLOCK_REACH)
        items = [m.start() for m in _ITEM.finditer(self._text, *near)]
        for places in (items, [m.end() for m in _AFTER_SENTENCE.finditer(self._text, *near)]):
            outside = [at for at in places if start < at and self._fence_around(at) is None]
            if outside:
                return min(outside, key=lambda at: (abs(at - half), at))
        line_end = self._line_end(start, end, half)
        if line_end is not None:
            return line_end
        for pattern, far in ((_SENTENCE_END, reach), (_SPACE, min(reach, _SPACE_REACH))):
            ends = [m.end() for m in pattern.finditer(self._text, half - far, half + far)]
            if ends:
                return min(ends, key=lambda at: (abs(at - half), at))
        return half

    def _line_end(self, start: int, end: int, half: int) -> int | None:
        """Return the line end nearest to ``half``, outside of fenced code if possible."""
        before = self._text.rfind("\n", start, half) + 1
        after = self._text.find("\n", half, end - 1) + 1
        outside = [before, after]
        if fence := self._fence_around(before):
            outside[0] = fence[0]
        if fence := self._fence_around(after):
            outside[1] = self._text.find("\n", fence[1], end - 1) + 1
        for places in (outside, (before, after)):
            within = [at for at in places if start < at < end]
            if within:
                return min(within, key=lambda at: (abs(at - half), at))
        return None

    def _counted(self, group: Sequence[Span]) -> Iterator[tuple[int, int, int]]:
        """Yield the chunk of a group of paragraphs; several if it has too many tokens."""
        waiting = [(group[0][0], group[-1][1])] if group else []
        while waiting:
            start, end = waiting.pop()
            part = self._text[start:end]
            start += len(part) - len(part.lstrip())
            end = start + len(part.strip())
            if start >= end:
                continue
            tokens = self._token_parts.count(self._text[start:end])
            if tokens <= TOKENS_MAX or end - start < 2:
                yield start, end, tokens
                continue
            inner = [first for first, _ in group[1:] if start < first < end]
            half = (start + end) // 2
            middle = min(inner, key=lambda at: abs(at - half)) if inner else None
            middle = middle if middle is not None else self._middle(start, end)
            waiting += [(middle, end), (start, middle)]
