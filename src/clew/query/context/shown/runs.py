"""The pieces of an entry as one text: runs of pieces, and a mark where text is left out.

``[…]`` stands wherever text of the note is left out: on a line of its own for whole blocks, else
within the line. A run from another section of the note begins with the heading of that section.
"""

import re
from collections.abc import Sequence

from clew.query.context.passages import NoteCard
from clew.query.context.pieces import Piece
from clew.query.context.quoting import HEADING_LEVELS, one_line, quoted
from clew.query.context.shown.noise import has_text
from clew.query.context.shown.sections import (
    has_more_after,
    has_more_before,
    is_heading,
    section_at,
)

GAP = "[…]"
HEADING_CHARACTERS_MAX = 100
_FENCE_LINE = re.compile("`{3,}")

Run = list[Piece]  # pieces with no text left out between them


def entry_text(note: NoteCard, pieces: Sequence[Piece], *, is_short: bool) -> str:
    """Return pieces of a note, in the order of its text, as a pack shows them.

    With ``is_short`` there are marks only where a sentence is cut.
    """
    runs = _runs(pieces, note.text)
    shift = _shift(note, pieces)
    text = _beginning(note, runs[0][0], is_short=is_short) if runs else ""
    for index, run in enumerate(runs):
        shown = quoted(_run_text(note, run, is_short=is_short), shift)
        if index:
            joint = _joint(note, runs[index - 1][-1], run[0], shift, is_short=is_short)
            text = _joined(text, joint)
        text = _joined(text, shown)
    return _ended(note, runs[-1][-1], text, is_short=is_short) if runs else ""


def last_line(text: str, piece: Piece) -> int:
    """Return the last line (1-based) of a piece of a note's text."""
    return piece.line + text.count("\n", piece.start, piece.end)


def _runs(pieces: Sequence[Piece], text: str) -> list[Run]:
    runs: list[Run] = []
    for piece in pieces:
        if runs and not has_text(text[runs[-1][-1].end : piece.start]):
            runs[-1].append(piece)
        else:
            runs.append([piece])
    return runs


def _run_text(note: NoteCard, run: Run, *, is_short: bool) -> str:
    """Return the text of a run; the fence that it begins in is opened again."""
    text = f"{run[0].fence}\n" if run[0].fence else ""
    before: Piece | None = None
    for piece in run:
        if before is not None:
            text += _space(note.text, before, piece, is_short=is_short)
        text += piece.text
        before = piece
    return text


def _space(text: str, before: Piece, piece: Piece, *, is_short: bool) -> str:
    between = text[before.end : piece.start]
    if "\n" in between or piece.begins:
        return "\n\n" if between.count("\n") > 1 and not is_short else "\n"
    if text[piece.start - 1] == "\n":
        return "\n"
    return " " if text[piece.start - 1].isspace() else ""


def _shift(note: NoteCard, pieces: Sequence[Piece]) -> int:
    """Return by how many levels headings are pushed down: the highest comes below the pack's."""
    shown = set[int]()  # indexes of headings
    for index, piece in enumerate(pieces):
        first = section_at(note.headings, piece.line - (index == 0))
        last = section_at(note.headings, last_line(note.text, piece))
        shown.update(range(max(0, first + (index == 0)), last + 1))
    levels = [note.headings[index].level for index in shown]
    return HEADING_LEVELS + 1 - min(levels) if levels else HEADING_LEVELS


def _beginning(note: NoteCard, first: Piece, *, is_short: bool) -> str:
    if not first.begins:
        return f"{GAP} "
    is_section = is_heading(first.text)
    if not (is_short or is_section) and has_more_before(note.text, note.body_start, first.start):
        return f"{GAP}\n\n"
    return ""


def _joint(note: NoteCard, before: Piece, piece: Piece, shift: int, *, is_short: bool) -> str:
    """Return what stands between two runs."""
    heading = _section_heading(note, before, piece, shift)
    if heading:
        end = "" if before.ends else f" {GAP}"
        begin = "" if piece.begins else f"{GAP} "
        gap = "" if is_short or end or begin else f"{GAP}\n\n"
        return f"{end}\n\n{gap}{heading}\n\n{begin}"
    if before.ends and piece.begins:
        return "\n" if is_short else f"\n\n{GAP}\n\n"
    return f" {GAP}\n" if piece.begins else f"\n{GAP} " if before.ends else f" {GAP} "


def _section_heading(note: NoteCard, before: Piece, piece: Piece, shift: int) -> str:
    """Return the heading that a piece is under, if it is neither the one above nor in the piece."""
    section = section_at(note.headings, piece.line)
    if section < 0 or section == section_at(note.headings, last_line(note.text, before)):
        return ""
    heading = note.headings[section]
    if heading.line >= piece.line:
        return ""
    level = max(HEADING_LEVELS + 1, min(6, heading.level + shift))
    return f"{'#' * level} {one_line(note.masked(heading.text), HEADING_CHARACTERS_MAX)}"


def _joined(text: str, added: str) -> str:
    """Return a text with more after it; a fence begins and ends on a line of its own."""
    is_after_fence = _FENCE_LINE.fullmatch(text.rpartition("\n")[2]) is not None
    is_in_line = bool(text) and not text.endswith("\n")
    if is_in_line and (added.startswith("```") or (is_after_fence and not added.startswith("\n"))):
        return f"{text.rstrip()}\n{added.lstrip(' ')}"
    return text + added


def _ended(note: NoteCard, last: Piece, text: str, *, is_short: bool) -> str:
    if not last.ends:
        return _joined(text, f" {GAP}")
    if not is_short and has_more_after(note.text, last.end):
        return f"{text}\n\n{GAP}"
    return text
