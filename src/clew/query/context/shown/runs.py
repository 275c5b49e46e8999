"""The pieces of an entry as one text: runs of pieces, and a mark where text is left out.

``[…]`` stands wherever text of the note is left out: on a line of its own for whole blocks, else
within the line. A short text has it at the end of a line, one for all that is left out there, or
below headings if only the text right below them is left out, and before and after all pieces only
where a sentence, a list, a table or a quotation is cut. A run from another section of the note
begins with the headings of that section which the label of the entry and earlier runs do not have.
"""

import re
from collections.abc import Sequence

from clew.query.context.passages import NoteCard
from clew.query.context.pieces import Piece
from clew.query.context.shown.code_lines import indentation
from clew.query.context.shown.leads import goes_on_after, goes_on_before
from clew.query.quoting.labels import GAP
from clew.query.quoting.note_text import (
    HEADING_LEVELS,
    INDENTED_CODE,
    one_line,
    quoted,
    without_tags,
)
from clew.text.markdown.announcing import announces
from clew.text.regions.comments import without_comments
from clew.text.regions.noise import has_text
from clew.text.regions.sections import (
    CHARACTERS_MAX,
    LABEL_CHARACTERS_MAX,
    common_length,
    has_more_after,
    has_more_before,
    indexes_above,
    is_bare,
    is_empty_label,
    is_heading,
    section_at,
)
from clew.text.regions.table_heads import is_row

GAP_ROW = "| […] |"
HEADING_CHARACTERS_MAX = 100
_BLANK = re.compile(r"\n[ \t]*\n")
_FENCE_LINE = re.compile("`{3,}")
_QUOTED_CODE = re.compile(r"[ \t>]{0,40}(?:`{3}|~{3})")  # it is shown unquoted
_QUOTED_BLANK = re.compile(r"\n[ \t]{0,3}(>[> ]{0,20})[ \t]*\n(?![ \t]*\n)")  # in a quotation
# A line of an item, a quotation or a table, which a line of text right below goes on with, and the
# beginning of a block that ends it. A table is not one: it is text of an item above it.
_CONTINUES = re.compile(r"[ \t]|[|>]|[-*+][ \t]|\d{1,9}[.)][ \t]")
_BLOCK = re.compile(r"[ \t]|#{1,6}[ \t]|`{3}|~{3}|>|[-*+][ \t]|\d{1,9}[.)][ \t]")

_BARE_RULE = re.compile(r":?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+")  # of a table without outer pipes
_STEP = re.compile(r"(\d{1,9})[.)][ \t]")

Run = list[Piece]  # no text is left out between its pieces, except after heads of code


def label_path(note: NoteCard, pieces: Sequence[Piece]) -> list[int]:
    """Return the indexes of the headings that all pieces are under, outermost first."""
    if not pieces:
        return []
    common: list[int] | None = None
    section = section_at(note.headings, pieces[0].line)
    if section == section_at(note.headings, last_line(note.text, pieces[-1])):
        return _path_above(note, pieces[0].line)  # as mostly
    section = -2  # of the piece before
    for piece in pieces:
        own = section_at(note.headings, piece.line)
        if own != section:
            path = _path_above(note, piece.line)
            common = path if common is None else common[: common_length(common, path)]
        section = section_at(note.headings, last_line(note.text, piece))
    return common or []


def entry_text(
    note: NoteCard, pieces: Sequence[Piece], label: Sequence[int], *, is_short: bool
) -> str:
    """Return pieces of a note, in the order of its text, as a pack shows them.

    ``label``: the ``label_path``, whose headings stand above it.
    """
    runs = _runs(note, pieces)
    titles = _titles(note, runs, label)
    shift = _shift(note, runs, titles)
    text, space = "", "\n" if is_short else "\n\n"
    for index, (run, missing) in enumerate(zip(runs, titles, strict=True)):
        title = "".join(_title(note, each, shift) + space for each in missing)
        if index:
            before = runs[index - 1][-1]
            text = _joined(text, _joint(note, before, run[0], title, is_short=is_short))
        else:
            text = _beginning(note, run[0], title, is_short=is_short)
        text = _joined(text, quoted(_run_text(note, run, is_short=is_short), shift))
    return _ended(note, runs[-1][-1], text, is_short=is_short) if runs else ""


def last_line(text: str, piece: Piece) -> int:
    """Return the last line (1-based) of a piece of a note's text.

    It is not one of the blank lines that the end of a sentence may have after it.
    """
    return piece.line + text[piece.start : piece.end].rstrip().count("\n")


def has_text_between(text: str, start: int, end: int) -> bool:
    """Return whether a part of a note's text has more than blanks, marks and comments."""
    if not text[start:end].strip(" \t>\n"):  # as mostly
        return False
    return has_text(without_comments(text, start, end))


def _is_more_between(note: NoteCard, before: Piece, piece: Piece) -> bool:
    """Return whether text is left out between two pieces, besides what has nothing below it."""
    if not has_text_between(note.text, before.end, piece.start):
        return False
    return bool(before.fence or piece.fence or _lines_between(note, before.end, piece.start))


def _lines_between(note: NoteCard, start: int, end: int) -> list[str]:
    """Return the lines of a part of a note that tell something.

    Left out are headings of empty sections, and labels that lead neither to another line of the
    part nor to what is at ``end``.
    """
    empty = (at for at in note.empty_sections if start <= at < end)
    headings = {note.text[at:end].partition("\n")[0] for at in empty}
    lines = [*filter(has_text, without_comments(note.text, start, end).split("\n"))]
    below = [*lines[1:], note.text[end : end + LABEL_CHARACTERS_MAX].partition("\n")[0]]
    return [
        line
        for line, next_line in zip(lines, below, strict=False)
        if line not in headings
        and not (is_empty_label(line) and (is_heading(next_line) or is_empty_label(next_line)))
    ]


def _runs(note: NoteCard, pieces: Sequence[Piece]) -> list[Run]:
    runs: list[Run] = []
    for piece in pieces:
        before = runs[-1][-1] if runs else None
        if before and (before.is_head or not _is_more_between(note, before, piece)):
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
    if before.is_head and has_text_between(text, before.end, piece.start):
        return f"\n{indentation(text, piece.start)}{GAP}\n"
    above = text[before.start : piece.start] if piece.fence and not before.is_head else ""
    if "\n" in (blanks := above[len(above.rstrip()) :]):  # blank lines of code are a part of it
        return blanks.rpartition("\n")[0] + "\n"
    if not is_short and (empty := _QUOTED_BLANK.match(between)):
        has_code = _QUOTED_CODE.match(before.text) or _QUOTED_CODE.match(piece.text)
        return "\n\n" if has_code else f"\n{empty[1].rstrip()}\n"
    if "\n" in between or piece.begins:
        is_apart = between.count("\n") > 1 and (not is_short or _would_join(before, piece))
        return "\n\n" if is_apart else "\n"
    if text[piece.start - 1] == "\n":
        return "\n"
    return " " if text[piece.start - 1].isspace() else ""


def _would_join(before: Piece, piece: Piece) -> bool:
    """Return whether a piece right below another would go on with its item, table or paragraph.

    Indented code, or a step that is not the first, would go on with a paragraph.
    """
    first, _, below = before.text.partition("\n")
    if piece.fence:
        return False
    if (step := _STEP.match(piece.text)) and step[1] != "1":
        return _STEP.match(first) is None
    is_open = any(_CONTINUES.match(line) for line in (first, below.rpartition("\n")[2]))
    if is_open or _BARE_RULE.fullmatch(below.partition("\n")[0]):
        return _BLOCK.match(piece.text) is None
    return INDENTED_CODE.match(piece.text) is not None


# -- headings -------------------------------------------------------------------------------------


def _path_above(note: NoteCard, line: int) -> list[int]:
    """Return the headings above a line, without the title of the note, which its label has.

    A later heading of the same text is none: it ends the section above it.
    """
    texts = ((index, note.headings[index].text) for index in indexes_above(note.headings, line))
    return [
        index
        for index, text in texts
        if without_tags(text).strip() and (index or text != note.title)
    ]


def _titles(note: NoteCard, runs: Sequence[Run], label: Sequence[int]) -> list[list[int]]:
    """Return the headings to show before each run: those above it that are not shown yet."""
    titles: list[list[int]] = []
    opened = label  # the headings that a reader is below
    for run in runs:
        path = _path_above(note, run[0].line)
        titles.append(path[common_length(path, opened) :])
        # The headings in a run are shown with it.
        opened = _path_above(note, last_line(note.text, run[-1]) + 1)
    return titles


def _shift(note: NoteCard, runs: Sequence[Run], titles: Sequence[Sequence[int]]) -> int:
    """Return by how many levels headings are pushed down: the highest comes below the pack's."""
    shown = {index for title in titles for index in title}
    for run in runs:
        first = section_at(note.headings, run[0].line - 1)
        last = section_at(note.headings, last_line(note.text, run[-1]))
        shown.update(range(first + 1, last + 1))
    levels = [note.headings[index].level for index in shown]
    return HEADING_LEVELS + 1 - min(levels) if levels else HEADING_LEVELS


def _title(note: NoteCard, index: int, shift: int) -> str:
    heading = note.headings[index]
    text = note.masked(heading.text)
    level = max(HEADING_LEVELS + 1, min(6, heading.level + shift))
    return f"{'#' * level} {one_line(without_tags(text), HEADING_CHARACTERS_MAX)}"


# -- marks ----------------------------------------------------------------------------------------


def _beginning(note: NoteCard, first: Piece, title: str, *, is_short: bool) -> str:
    if not first.begins:
        return f"{title}{GAP} "
    if is_short:
        return f"{title}{GAP}\n" if goes_on_before(note.text, first.start) else title
    return f"{title}{GAP}\n\n" if _is_cut_before(note, first) else title


def _is_cut_before(note: NoteCard, piece: Piece) -> bool:
    """Return whether text between the heading above a piece and the piece is left out."""
    is_within = piece.begins and not is_heading(piece.text)
    return is_within and has_more_before(note.text, note.body_start, piece.start)


def _joint(note: NoteCard, before: Piece, piece: Piece, title: str, *, is_short: bool) -> str:
    """Return what stands between two runs; ``title``: the headings of the second one."""
    begin = "" if piece.begins else f"{GAP} "
    if is_short:
        is_new_section = bool(title) or is_heading(piece.text)
        end = _short_end(note, before, is_new_section=is_new_section)
        if not end and _are_sections_between(note, before, piece):
            end = f" {GAP}"
        is_cut = title and piece.begins and _is_marked_below(note, piece, is_marked=bool(end))
        below = f"{GAP}\n" if is_cut else begin
        if end and below and not title:  # one mark is enough
            if before.ends or before.fence:
                end = ""
            elif piece.fence:
                below = ""
            else:
                return f" {GAP} "
        are_rows = is_row(before.text) and is_row(piece.text)
        is_apart = not (title or are_rows) and piece.begins and _would_join(before, piece)
        space = "\n\n" if is_apart else "\n"
        return f"{end}{space}{title}{below}"
    if title:
        end = "" if before.ends else f" {GAP}"
        below = f"{GAP}\n\n" if _is_cut_before(note, piece) else begin
        is_marked = bool(end or below) and not has_more_after(note.text, before.end)
        is_whole = before.ends and _has_only(note, before.end, piece.start, title)
        gap = "" if end or is_marked or is_whole else f"{GAP}\n\n"
        return f"{end}\n\n{gap}{title}{below}"
    if before.ends and piece.begins:
        are_rows = is_row(before.text) and is_row(piece.text)
        return f"\n{GAP_ROW}\n" if are_rows else f"\n\n{GAP}\n\n"
    # Part of a block is left out, and a line of another block must not join it.
    end = "\n\n" if _BLANK.search(note.text, before.end, piece.start) else "\n"
    return f" {GAP}{end}" if piece.begins else f"{end}{GAP} " if before.ends else f" {GAP} "


def _has_only(note: NoteCard, start: int, end: int, title: str) -> bool:
    """Return whether there is nothing in a part of a note but the headings in ``title``."""
    return len(_lines_between(note, start, end)) <= sum(map(has_text, title.split("\n")))


def _are_sections_between(note: NoteCard, before: Piece, piece: Piece) -> bool:
    """Return whether sections with text are left out between a piece and the section of another."""
    section = section_at(note.headings, piece.line)
    if section < 0:
        return False
    lines = note.text[before.end : piece.start].split("\n")
    first_line = before.line + note.text.count("\n", before.start, before.end)
    count = max(1, note.headings[section].line - first_line)  # of lines before the heading
    end = before.end + len("\n".join(lines[:count]))
    _, _, below = without_comments(note.text, before.end, end).partition("\n")
    return not is_bare(below)


def _is_marked_below(note: NoteCard, piece: Piece, *, is_marked: bool) -> bool:
    """Return whether a short text has a mark between a heading and a piece of its section.

    ``is_marked``: there is one above the heading, which is enough unless a block is cut.
    """
    is_block_cut = goes_on_before(note.text, piece.start)
    return is_block_cut or (not is_marked and _is_cut_before(note, piece))


def _short_end(note: NoteCard, before: Piece, *, is_new_section: bool) -> str:
    """Return the mark after a run of a short text, if text of its section is left out there."""
    if not before.ends:
        return f" {GAP}"
    if is_new_section and not has_more_after(note.text, before.end):
        return ""
    return _mark_after(note.text, before)


def _mark_after(text: str, last: Piece) -> str:
    """Return the mark after the last piece of a run: a row where a table is cut.

    It is no text of indented code or of a formula.
    """
    is_code = INDENTED_CODE.match(last.text) and not _CONTINUES.match(last.text.lstrip())
    if is_code or last.text.endswith("$$"):
        return f"\n\n{GAP}"
    if not is_row(last.text):
        return f" {GAP}"
    return f"\n{GAP_ROW}" if goes_on_after(text, last.start, last.end) else f"\n\n{GAP}"


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
    if not is_short:
        return f"{text}\n\n{GAP}" if has_more_after(note.text, last.end) else text
    below = note.text[last.end : last.end + CHARACTERS_MAX]
    is_cut = goes_on_after(note.text, last.start, last.end)
    if is_cut or (announces(last.text) and has_text(below)):
        return _joined(text, _mark_after(note.text, last))
    return text
