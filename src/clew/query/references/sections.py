"""Sections of notes: from a heading to the next one of its level or a higher one."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from clew.values.note import Chunk, Note


@dataclass(frozen=True, slots=True)
class Section:
    """Whole lines of a note, and their span in its text; the last line is not blank."""

    first_line: int  # 1-based
    last_line: int
    start: int
    end: int  # exclusive, without the line end


def section(note: Note, heading_index: int) -> Section:
    """Return the section of the heading with this index.

    Only the text of the section is read: the chunks before its ends give their positions.
    """
    line, level = note.headings[heading_index].line, note.headings[heading_index].level
    later = range(heading_index + 1, len(note.headings))
    ends = (note.headings[n].line for n in later if note.headings[n].level <= level)
    next_line = next(ends, None)
    start = _start_of_line(note, line)
    end = len(note.text) if next_line is None else _start_of_line(note, next_line)
    text = note.text[start:end].rstrip()
    last_line = line + text.count("\n")
    return Section(line, last_line, start, _end_of_line(note, start + len(text)))


def _first_line(chunk: Chunk) -> int:
    return chunk.first_line


def _start_of_line(note: Note, line: int) -> int:
    """Return the position where a line starts, counted from the chunk that has the line."""
    before = bisect_left(note.chunks, line, key=_first_line)
    if bisect_right(note.chunks, line, key=_first_line) == before:
        before -= 1  # no chunk begins on the line
    at, at_line = (
        (note.chunks[before].start, note.chunks[before].first_line) if before >= 0 else (0, 1)
    )
    at = note.text.rfind("\n", 0, at) + 1
    for _ in range(line - at_line):
        at = note.text.find("\n", at) + 1
    return at


def _end_of_line(note: Note, position: int) -> int:
    end = note.text.find("\n", position)
    return len(note.text) if end < 0 else end
