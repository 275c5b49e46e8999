"""Lines that a reader needs above a line of a note: the head of its table, or what introduces it.

A row tells little without the names of its columns, and an item little without the line above the
list ("The causes are:") or the item that it is a part of. Only pieces that were chosen for a pack
are looked at, and few lines above them.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from clew.query.context.passages import NoteCard
from clew.query.context.pieces import SENTENCE, Piece, head_at, piece_at
from clew.query.context.shown.code_lines import enclosing_lines
from clew.query.quoting.note_text import INDENTED_CODE
from clew.text.markdown.announcing import announces, is_bold_line
from clew.text.regions.fenced_code import code_at, fence_at
from clew.text.regions.noise import has_text, is_break
from clew.text.regions.table_heads import ROW, is_row, is_rule

LINES_MAX = 60  # above a line that are looked at
CHARACTERS_MAX = 6_000
LEAD_CHARACTERS_MAX = 300  # of a head or a line that introduces; a longer one is left out
PARENTS_MAX = 2  # items above an item

_ITEM = re.compile(r"([ \t]*+)(?:[-*+]|\d{1,9}[.)])[ \t]")
_QUOTE = re.compile(r"[ \t]{0,3}>")
_CALLOUT = re.compile(r"[ \t]{0,3}>[ \t]*\[![^\]\n]{1,50}\]")  # the title of one
_FENCE = re.compile(r"[ \t]{0,3}(?:`{3}|~{3})")
_OTHER = re.compile(r"[ \t]{0,3}(?:#{1,6}(?:[ \t]|$)|`{3}|~{3}|[|>])")  # a heading, a fence, a row
_NAMED = re.compile(r"(\*\*|__)[^*_\n]{1,80}\1")
_PADDING = re.compile(r" {2,}|-{2,}")
_BLANK = re.compile(r"\n[ \t]*\n")

Span = tuple[int, int]  # in characters of the note's text


def with_leads(note: NoteCard, pieces: Sequence[Piece]) -> list[Piece]:
    """Return pieces of a note, in the order of its text, with the lines that lead to them."""
    starts = [piece.start for piece in pieces]
    added: dict[int, Piece] = {}
    before: Piece | None = None
    for piece in pieces:
        # A piece that directly follows another one needs no more lead.
        if before is None or has_text(note.text[before.end : piece.start]):
            for lead in _leads_in(note, piece):
                at = bisect_right(starts, lead.start) - 1
                if at < 0 or pieces[at].end <= lead.start:
                    added.setdefault(lead.start, lead)
        before = piece
    if not added:
        return list(pieces)
    return sorted((*added.values(), *pieces), key=lambda piece: piece.start)


def _leads_in(note: NoteCard, piece: Piece) -> list[Piece]:
    if piece.fence:
        return _heads_of_code(note, piece)
    leads = [piece_at(note, *span) for span in leads_of(note.text, piece, note.body_start)]
    return [replace(lead, begins=_begins(note.text, lead.start)) for lead in leads]


def _heads_of_code(note: NoteCard, piece: Piece) -> list[Piece]:
    """Return the lines of the functions and classes that a piece of code is in.

    The first line of the code is shown with its fence. A fence without a language has none, as it
    may hold any text.
    """
    code = code_at(note.text, piece.start)
    line = note.text.rfind("\n", 0, piece.start) + 1
    if code is None or line < code.first or not code.fence.strip("`~ "):
        return []
    return [
        head_at(
            note,
            code.start if start == code.first else start,
            end,
            "" if start == code.first else piece.fence,
        )
        for start, end in enclosing_lines(note.text, code, line)
    ]


def leads_of(text: str, piece: Piece, body_start: int) -> list[Span]:
    """Return the lines that lead to a piece of a note's text, in the order of the text.

    ``body_start``: where the body of the note begins.
    """
    start = piece.start
    if piece.fence or not piece.begins or text[start].isalpha():
        return []
    line = text[start : start + 100]
    if ROW.match(line):
        return _head_of_table(text, start, body_start)
    if _QUOTE.match(line):
        return _title_of_callout(text, start, body_start)
    if _FENCE.match(line):
        return _title_above(text, start, body_start)
    item = _ITEM.match(line)
    return _introductions(text, start, body_start, len(item[1])) if item else []


def is_title(pieces: Sequence[Piece], place: int) -> bool:
    """Return whether a piece is a line in bold above a list or a table, with which it is shown."""
    if place + 1 == len(pieces) or not is_bold_line(pieces[place].text):
        return False
    below = pieces[place + 1].text
    return is_row(below) or _ITEM.match(below) is not None


def heads_above(text: str, pieces: Sequence[Piece], place: int) -> list[int]:
    """Return the places of the head of a table, or the title of a callout, above a piece in it.

    They are those among ``pieces``, the pieces of a passage of a note with this ``text``.
    """
    piece = pieces[place]
    kind = next((each for each in (ROW, _QUOTE) if each.match(piece.text)), None)
    if kind is None or _CALLOUT.match(piece.text) or is_head(pieces, place):
        return []
    above = place - 1
    while above >= 0 and _BLANK.search(text, pieces[above].end, pieces[above + 1].start) is None:
        if is_head(pieces, above):
            return [above - 1, above] if _is_rule(pieces, above) else [above]
        if _CALLOUT.match(pieces[above].text) or not kind.match(pieces[above].text):
            return []
        above -= 1
    return []


def is_head(pieces: Sequence[Piece], place: int) -> bool:
    """Return whether a piece is the head of a table, the line below it, or a callout's title.

    A heading may stand above the head, in one piece with it.
    """
    text = pieces[place].text
    if pieces[place].fence or ("|" not in text and ">" not in text):
        return False  # as mostly
    if _CALLOUT.match(text):
        return place + 1 < len(pieces) and _QUOTE.match(pieces[place + 1].text) is not None
    return _is_rule(pieces, place) or (place + 1 < len(pieces) and _is_rule(pieces, place + 1))


def _is_rule(pieces: Sequence[Piece], place: int) -> bool:
    if place == 0 or not is_row(pieces[place].text):
        return False
    names = pieces[place - 1].text.rpartition("\n")[2]
    return is_row(names) and is_rule(pieces[place].text)


def goes_on_before(text: str, start: int) -> bool:
    """Return whether the list, table or quotation of the block at ``start`` began before it."""
    above = [line for _, line in _lines_above(text, start, 0)]
    near = next((line for line in above if line.strip()), "")
    return _are_of_one(near, text[start : start + 100], are_apart=above[:1] != [near])


def goes_on_after(text: str, start: int, end: int) -> bool:
    """Return whether the list, table, quotation or code of ``text[start:end]`` goes on after it."""
    if fence_at(text, end):
        return True
    below = text[end : end + CHARACTERS_MAX].split("\n")[1:LINES_MAX]
    near = next((line for line in below if line.strip()), "")
    return _are_of_one(text[start : start + 100], near, are_apart=below[:1] != [near])


def _are_of_one(one: str, other: str, *, are_apart: bool) -> bool:
    """Return whether two lines are of one block; ``are_apart``: blank lines are between them."""
    if _ITEM.match(one):
        return _ITEM.match(other) is not None or other[:1] in (" ", "\t")
    if _ITEM.match(other):
        return one[:1] in (" ", "\t")
    if INDENTED_CODE.match(one) and INDENTED_CODE.match(other):
        return True
    kinds = () if are_apart else (ROW, _QUOTE)
    return any(kind.match(one) and kind.match(other) for kind in kinds)


def _lines_above(text: str, start: int, first: int) -> Iterator[tuple[int, str]]:
    """Yield where each line above the one at ``start`` begins, and the line; the nearest first."""
    end = text.rfind("\n", 0, start)
    least = max(first, start - CHARACTERS_MAX)
    for _ in range(LINES_MAX):
        if end < least:
            return
        begin = text.rfind("\n", 0, end) + 1
        if begin < least:
            return
        yield begin, text[begin:end]
        end = begin - 1


def _head_of_table(text: str, start: int, body_start: int) -> list[Span]:
    """Return the head of a table: the column names and the line below them, if it has that line."""
    rows: list[Span] = []
    for begin, line in _lines_above(text, start, body_start):
        if not ROW.match(line):
            break
        rows.append((begin, begin + len(line)))
    head = rows[:-3:-1]
    if sum(_width(text[slice(*row)]) for row in head) > LEAD_CHARACTERS_MAX:
        return []
    first = head[0][0] if head else start
    after = text[first : first + 2 * CHARACTERS_MAX].partition("\n")[2].partition("\n")[0]
    if not is_rule(after):
        # The row may be the rule itself, or of no table.
        return []
    return [*_title_above(text, first, body_start), *head]


def _width(row: str) -> int:
    """Return how many characters a row has without those that only align its columns."""
    return len(_PADDING.sub(" ", row))


def _title_above(text: str, start: int, body_start: int) -> list[Span]:
    """Return the line in bold, or with a colon, above a table or code; none if it is long."""
    for begin, line in _lines_above(text, start, body_start):
        if line.strip():
            return _introduction(text, begin, line, body_start)
    return []


def _introduction(
    text: str, begin: int, line: str, body_start: int, *, is_right_above: bool = False
) -> list[Span]:
    """Return the paragraph whose last line introduces what is below it, if it does.

    Of a long one it is the last sentence, and nothing if that is long too. A line right above a
    list may also begin with a name in bold.
    """
    leads = announces(line) or (is_right_above and _NAMED.match(line))
    if line[:1] in (" ", "\t") or _OTHER.match(line) or not leads:
        return []
    start, end = begin, begin + len(line)
    for above, other in _lines_above(text, begin, body_start):
        if _ends_above(other):
            break
        start = above
    if end - start > LEAD_CHARACTERS_MAX:
        start = max((each.end() for each in SENTENCE.finditer(text, start, end)), default=start)
    return [(start, end)] if 0 < end - start <= LEAD_CHARACTERS_MAX else []


def _ends_above(line: str) -> bool:
    """Return whether a line is in no paragraph that goes on below it."""
    is_other = _OTHER.match(line) or _ITEM.match(line)
    return not line.strip() or is_other is not None or is_break(line)


def _begins(text: str, start: int) -> bool:
    """Return whether a paragraph, an item or a row begins at ``start``."""
    above, _, line = text[max(0, start - CHARACTERS_MAX) : start].rpartition("\n")
    if line.strip():
        return False
    begun = text[start : start + 100]
    return _ends_above(above.rpartition("\n")[2]) or bool(_ITEM.match(begun) or ROW.match(begun))


def _title_of_callout(text: str, start: int, body_start: int) -> list[Span]:
    for begin, line in _lines_above(text, start, body_start):
        if not _QUOTE.match(line):
            break
        if _CALLOUT.match(line):
            return [(begin, begin + len(line))] if len(line) <= LEAD_CHARACTERS_MAX else []
    return []


def _introductions(text: str, start: int, body_start: int, indent: int) -> list[Span]:
    """Return the items above an item that it is nested in, and what introduces the list."""
    found: list[Span] = []
    end = 0  # end of the lines that continue the item above them; 0 for none
    is_right_above = True
    for begin, line in _lines_above(text, start, body_start):
        item = _ITEM.match(line)
        if item is not None:
            if len(item[1]) < indent:
                indent = len(item[1])
                found.append((begin, end or begin + len(line)))
        elif line.strip() and line[:1] not in (" ", "\t"):
            found += _introduction(text, begin, line, body_start, is_right_above=is_right_above)
            break
        is_right_above = is_right_above and bool(line.strip())
        is_more = item is None and line.strip() and not _OTHER.match(line.lstrip(" \t"))
        end = (end or begin + len(line)) if is_more else 0
    short = [span for span in found if span[1] - span[0] <= LEAD_CHARACTERS_MAX]
    return short[: PARENTS_MAX + 1][::-1]
