"""Pieces of a passage: paragraphs, list items and rows, and the sentences of long ones.

A pack shows whole pieces, so a sentence is cut only where it alone is longer than ``LONG``. The
evidence of a piece is the share of the query's terms that it holds, weighted by how rare they are,
and half as much of that of the next piece, a quarter of the one after it: an answer often stands
beside the line that has the words of the question. A row of a table is a record of its own: it gets
nothing from other rows, but half of the evidence of its column names and of text right beside it.
Passages are compared by their relevance, so the worth of a piece is its evidence relative to the
best of its passage, and in a long note also to the best of all pieces. The first pieces of a short
note, which is one passage, are worth more, since they say what it is about.
"""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from clew.query.context.formulas.spread import SPREAD, spread_evidence
from clew.query.context.formulas.worth import worth
from clew.query.context.passages import NoteCard, Passage
from clew.query.context.shown.code_lines import line_cuts
from clew.query.quoting.note_text import without_block_id
from clew.text.markdown.property_lines import property_spans
from clew.text.masking.secrets import Secret, secrets_near
from clew.text.regions.bare_links import is_label_of_links, which_only_point
from clew.text.regions.comments import comments_in, comments_within
from clew.text.regions.fenced_code import Code, code_blocks, code_within, fence_at, is_diagram
from clew.text.regions.noise import has_text, is_break, is_only_tags
from clew.text.regions.sections import is_heading_alone, is_idle_label, is_only_headings
from clew.text.regions.sentences import CLOSING, DANDA, STOPS, WIDE_STOPS
from clew.text.regions.table_heads import column_names_above, is_row, is_rule
from clew.text.similarity.folded_terms import TermForms, forms_within, terms_in, weight_of

LONG = 600  # characters of a line that is split into sentences, and of a sentence that is cut
CUT = 400  # characters of the parts of a sentence that is cut
CODE_CUT = 100  # characters aimed at for a piece of code: few, so that it fits a small room
LINKS = 0.5  # of the worth of a piece that is nothing but links
NO_TERM_LINKS = 0.25  # of that of such a piece without a term of the query
DRAWN = 0.5  # of that of a part of a diagram, which repeats names and says little without the rest
NEUTRAL = 0.5  # evidence of the pieces of a passage without any, but 1 for the first

_NO_TERMS = frozenset[int]()
_BEGINS = re.compile(r"[ \t]{0,40}(?:#{1,6}[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]|[|>])")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]")
_HEADINGS = re.compile(r"(?:[ \t]{0,3}#{1,6}[ \t][^\n]*\n\s*)+")
SENTENCE = re.compile(rf"[{STOPS}][{CLOSING}]*\s+|[{WIDE_STOPS}{DANDA}]")

_WORDLESS = re.compile(r"[\W\d_]{0,40}")

_Span = tuple[int, int, int, bool, bool, str]  # start, end, line, begins, ends, fence of a piece


class Piece(Struct, frozen=True, gc=False):
    """A block of a passage, or a part of one."""

    start: int  # in characters of the note's text
    end: int
    line: int  # 1-based
    begins: bool  # it begins a block: no sentence is cut before it
    ends: bool  # it ends a block
    fence: str  # the line that opens the code it begins in; "" if it begins in none
    text: str  # as shown
    terms: frozenset[int]  # indexes of the query's terms that it holds
    evidence: float  # weight of the terms of the query that it or a neighbour holds
    worth: float  # 0..1: how much of its passage's relevance it has
    tokens: int
    masked: int  # secrets that were masked in it
    only_points: bool = False  # it is nothing but links, with a label or without, or headings
    is_head: bool = False  # the line of code, such as a function's first, that the next piece is in


def pieces_of(passage: Passage, terms: Sequence[TermForms]) -> list[Piece]:
    """Return the pieces of a passage in order, blank lines left out, without their worth.

    Of properties beside a text they are those with a term of the query. Their tokens are estimated
    from those of the whole passage.
    """
    text = passage.note.text
    has_secrets = passage.note.has_secrets
    secrets = secrets_near(text, passage.start, passage.end) if has_secrets else []
    spans = _telling(passage, list(_spans(text, passage)))
    has_comments = bool(comments_in(text))
    if secrets or has_comments:
        shown = [_shown(text, start, end, secrets) for start, end, *_ in spans]
    else:  # as mostly
        shown = [(_line(text[start:end]), 0) for start, end, *_ in spans]
    if has_comments:
        told = [index for index, (each, _) in enumerate(shown) if has_text(each)]
        spans, shown = [spans[index] for index in told], [shown[index] for index in told]
    held = _held([each for each, _ in shown], [spelled for spelled, _ in terms])
    weights = [weight_of(found, terms) for found in held]
    rows = [
        each[:1] in ("|", " ") and not span[5] and is_row(each)
        for span, (each, _) in zip(spans, shown, strict=True)
    ]
    evidence = spread_evidence(weights, rows)
    if any(rows):
        columns = _column_weights(text, [(span[0], span[1]) for span in spans], rows, terms)
        evidence = [max(own, SPREAD * above) for own, above in zip(evidence, columns, strict=True)]
    only_point = which_only_point([each for each, _ in shown])
    rate = passage.tokens / max(1, passage.end - passage.start)
    pieces = [
        Piece(
            start=start,
            end=end,
            line=line,
            begins=begins,
            ends=ends,
            fence=fence,
            text=each,
            terms=held[index],
            evidence=evidence[index],
            worth=0.0,
            tokens=1 + int(len(each) * rate),  # with the line end
            masked=masked,
            only_points=only_point[index],
        )
        for index, ((start, end, line, begins, ends, fence), (each, masked)) in enumerate(
            zip(spans, shown, strict=True)
        )
    ]
    if passage.is_beside_text:
        return [piece for piece in pieces if piece.terms]
    return pieces


def _telling(passage: Passage, spans: Sequence[_Span]) -> list[_Span]:
    """Return the spans of pieces that tell something.

    An empty label tells nothing if others are beside it, nor does a heading alone if the note goes
    on below it, or a heading of an embedded base.
    """
    text = passage.note.text
    spans = [span for span in spans if _tells(text[span[0] : span[1]])]
    if len(spans) == 1 and is_heading_alone(text, *spans[0][:2]):
        return []
    return [span for span in spans if not is_idle_label(text, span[0], span[1])] or spans


def _tells(block: str) -> bool:
    return has_text(block) and not (".base" in block and is_only_headings(block))


def _held(texts: Sequence[str], forms: Sequence[Sequence[str]]) -> list[frozenset[int]]:
    """Return for each text the indexes of the query's terms that it holds."""
    folded = [text.casefold() for text in texts]
    within = forms_within("\n".join(folded), forms)
    if not any(within):
        return [_NO_TERMS] * len(texts)
    return [terms_in(each, within) for each in folded]


def piece_at(note: NoteCard, start: int, end: int) -> Piece:
    """Return whole lines of a note, outside of code, as a piece that no term of a query chose."""
    secrets = secrets_near(note.text, start, end) if note.has_secrets else []
    text, masked = _shown(note.text, start, end, secrets)
    return Piece(
        start=start,
        end=end,
        line=1 + note.text.count("\n", 0, start),
        begins=True,
        ends=True,
        fence="",
        text=text,
        terms=_NO_TERMS,
        evidence=0.0,
        worth=0.0,
        tokens=1 + len(text) // 4,
        masked=masked,
    )


def head_at(note: NoteCard, start: int, end: int, fence: str) -> Piece:
    """Return a line of code that encloses a piece, shown above it; ``fence``: "" if it has one."""
    piece = piece_at(note, start, end)
    return replace(piece, fence=fence, begins=not fence, ends=False, is_head=True)


def with_worths(pieces: Sequence[Piece], highest: float, *, is_short: bool) -> tuple[Piece, ...]:
    """Return the pieces of a passage with their worth.

    ``highest``: the highest evidence of the pieces of all passages. ``is_short``: the passage is
    all the text of its note.
    """
    best = max((piece.evidence for piece in pieces), default=0.0)
    shares = [
        _share(piece, index, best, highest, is_short=is_short) for index, piece in enumerate(pieces)
    ]
    return tuple(
        replace(piece, worth=_told(piece) * worth(share, index, is_short=is_short))
        for index, (piece, share) in enumerate(zip(pieces, shares, strict=True))
    )


def _told(piece: Piece) -> float:
    """Return the factor by which links, headings and parts of diagrams are worth less."""
    if piece.only_points:
        return LINKS if piece.terms else NO_TERM_LINKS
    return DRAWN if is_diagram(piece.fence or piece.text) else 1.0


def _share(piece: Piece, index: int, best: float, highest: float, *, is_short: bool) -> float:
    """Return the evidence of the piece at ``index``, 0..1, relative to that of other pieces."""
    within = piece.evidence / best if best else (1.0 if index == 0 else NEUTRAL)
    return within if is_short else (within + piece.evidence / (highest or 1.0)) / 2.0


def _column_weights(
    text: str, spans: Sequence[tuple[int, int]], rows: Sequence[bool], terms: Sequence[TermForms]
) -> Iterator[float]:
    """Yield for each piece of a text the weight of the terms in the names of its columns."""
    weight = 0.0
    for place, ((start, end), is_in_table) in enumerate(zip(spans, rows, strict=True)):
        if not is_in_table:
            weight = 0.0
        elif is_rule(text[start:end]):
            above = spans[max(0, place - 1)]
            weight = _weight(text[slice(*above)].rpartition("\n")[2], terms)
        elif place == 0 or not rows[place - 1]:
            weight = _weight(column_names_above(text, start), terms)
        yield weight


def _weight(text: str, terms: Sequence[TermForms]) -> float:
    """Return the weight of the query's terms that a text holds."""
    return weight_of(terms_in(text.casefold(), [spelled for spelled, _ in terms]), terms)


def _spans(text: str, passage: Passage) -> Iterator[_Span]:
    """Yield start, end and line of each piece, whether it begins and ends its block, its fence."""
    first = _with_indent(text, passage.start)
    line, seen = passage.first_line, first
    has_code = bool(code_blocks(text))
    codes = code_within(text, first, passage.end) if has_code else ()
    blocks = _blocks(text, first, passage.end, passage.note.empty_sections, codes)
    if passage.is_beside_text:
        blocks = iter(property_spans(text))
    for block, end in blocks:
        start = _after_title(text, block, end, passage.note.title)
        cuts = [start, *_cuts(text, start, end), end] if end - start > LONG else [start, end]
        for begin, last in pairwise(cuts):
            line += text.count("\n", seen, begin)
            seen = begin
            begins = begin == start and _is_at_line_start(text, begin)
            ends = last == end and _ends(text, last)
            yield begin, last, line, begins, ends, fence_at(text, begin) if has_code else ""


def _with_indent(text: str, start: int) -> int:
    """Return where the line of ``start`` begins if only blanks are before: an item's indent."""
    line = text.rfind("\n", 0, start) + 1
    return start if text[line:start].strip(" \t") else line


def _blocks(
    text: str, start: int, end: int, left_out: AbstractSet[int], codes: Sequence[Code]
) -> Iterator[tuple[int, int]]:
    """Yield the paragraphs, list items, table rows and fenced code of a passage.

    Lines in a row are one paragraph unless a line begins something else. A heading belongs to the
    block below it; one without any, at the end of the passage, is left out if there are others,
    and so are the lines that begin at ``left_out``. ``codes``: the code in the passage.
    """
    first, stop, is_heading, has_blocks = -1, start, False, False
    # Where the last line of code begins, by where the code begins: it is read as one line.
    last_lines = {max(start, code.start): code.last for code in codes}
    at = start
    while at < end:
        is_code = at in last_lines
        line_end = _line_end(text, last_lines.get(at, at), end)
        line = text[at:line_end] if at not in left_out else ""
        if is_heading and first >= 0 and at in left_out:
            if is_label_of_links(text[first:stop].rpartition("\n")[2]):
                yield first, stop
            first, is_heading = -1, False
        if line[:1].isalpha() and not is_code:  # as most lines do: it begins nothing
            first, stop, is_heading = (at if first < 0 else first), line_end, False
            at = line_end + 1
            continue
        if (
            first < 0
            and not is_code
            and (is_break(line) or (line[:1] == "#" and is_only_tags(line)))
        ):
            # Below another block a break would be an underline. Tags are fields of the note.
            line = ""
        is_blank = not line.strip()
        if first >= 0 and not is_heading and (is_blank or is_code or _BEGINS.match(line)):
            yield first, stop
            first, has_blocks = -1, True
        if not is_blank:
            first, stop = (at if first < 0 else first), line_end
            is_heading = not is_code and _HEADING.match(line) is not None
        at = line_end + 1
    if first >= 0 and not (is_heading and has_blocks):
        yield first, stop


def _line_end(text: str, at: int, end: int) -> int:
    """Return where the line at ``at`` ends, at most ``end``."""
    line_end = text.find("\n", at, end)
    return end if line_end < 0 else line_end


def _after_title(text: str, start: int, end: int, title: str) -> int:
    """Return where a block begins without the title of its note, which a pack shows above."""
    if text[start] not in "# \t":
        return start
    line, _, below = text[start:end].partition("\n")
    is_title = _HEADING.match(line) and " ".join(line.strip("# \t").split()) == title
    if not is_title or not below.strip():
        return start
    return end - len(below.lstrip())


def _is_at_line_start(text: str, at: int) -> bool:
    if at == 0 or text[at - 1] == "\n":
        return True
    before = text[max(0, at - 100) : at].rstrip(" \t")
    return not before or before.endswith("\n")


def _ends(text: str, at: int) -> bool:
    """Return whether a paragraph, or a line, ends at a position."""
    return text[at : at + 1] in ("", "\n") or not text[at : at + 100].partition("\n")[0].strip()


def _cuts(text: str, start: int, end: int) -> Iterator[int]:
    """Yield where to cut a block that is long."""
    if codes := code_within(text, start, end):
        yield from _code_cuts(text, start, end, codes[0].first)
        return
    at = start
    headings = _HEADINGS.match(text, start, end)  # a heading goes with the sentence below it
    for match in SENTENCE.finditer(text, headings.end() if headings else start, end):
        if _WORDLESS.fullmatch(text, at, match.end()):
            continue  # the number of an item
        yield from _hard_cuts(text, at, match.end())
        at = match.end()
        if at < end:
            yield at
    yield from _hard_cuts(text, at, end)


def _code_cuts(text: str, start: int, end: int, first: int) -> Iterator[int]:
    """Yield where to cut code whose first line is at ``first``: at lines, unless one is long."""
    for cut in line_cuts(text, start, end, CODE_CUT):
        if cut <= first:
            continue
        yield from _hard_cuts(text, start, cut - 1, first)
        yield cut
        start = cut
    yield from _hard_cuts(text, start, end, first)


def _hard_cuts(text: str, start: int, end: int, first: int = 0) -> Iterator[int]:
    """Yield where to cut a sentence: nowhere unless it is long; at lines or spaces if it can.

    ``first``: no cut at a line or space is before it.
    """
    while end - start > LONG:
        least = max(start + 1, first)
        space = text.rfind("\n", least, start + CUT)
        space = text.rfind(" ", least, start + CUT) if space < 0 else space
        start = start + CUT if space < 0 else space + 1
        yield start


def _shown(text: str, start: int, end: int, secrets: Sequence[Secret]) -> tuple[str, int]:
    """Return the text of a piece with its secrets masked, and how many began in it.

    Comments are left out.
    """
    comments = comments_within(text, start, end)
    if not (secrets or comments):
        return _line(text[start:end]), 0
    masks = ((secret.start, secret.end, secret.mask) for secret in secrets)
    left_out = ((first, last, "") for first, last in comments)
    parts, at, count = [], start, 0
    for first, last, mask in sorted((*masks, *left_out)):
        if first >= end or last <= at:
            continue
        parts.append(text[at : max(at, first)])
        if mask and first >= at:
            parts.append(mask)
            count += 1
        at = min(end, last)
    parts.append(text[at:end])
    return _line("".join(parts)), count


def _line(text: str) -> str:
    """Return the text of a piece as it is shown."""
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()  # without lone surrogates
    return without_block_id(text.rstrip())
