"""The part of a piece that a pack shows where the whole piece is longer than the budget."""

import re
from collections.abc import Callable, Sequence

from msgspec import structs

from clew.query.context.pieces import Piece
from clew.text.regions.fenced_code import fence_at
from clew.text.regions.sentences import STOPS, WIDE_STOPS
from clew.text.similarity.folded_terms import TermForms

WORDS_BEFORE = 6  # words shown before the evidence in a long sentence
# Any stop, since a piece that is too long may have no sentences: a path, a list of numbers.
_SENTENCE_END = re.compile(rf"[{STOPS}{WIDE_STOPS}]\s*|\n")
_WORD = re.compile(r"\S+\s*")


def shortened(
    piece: Piece, terms: Sequence[TermForms], fits: Callable[[Piece], bool]
) -> Piece | None:
    """Return the longest part of ``piece`` that fits, as whole words; ``None`` if no word does.

    It is the beginning, unless that lacks the rarest term of the query that the piece holds: then
    it begins with the sentence that has this term, or shortly before the term.
    """
    evidence = _place_of_rarest(piece, terms)
    part = _longest(piece, 0, fits)
    if part is not None and len(part.text) > evidence:
        return part
    return _longest(piece, _beginning_before(piece.text, evidence), fits) or part


def _place_of_rarest(piece: Piece, terms: Sequence[TermForms]) -> int:
    """Return where the rarest term of the piece is in its text; 0 if there is none."""
    rarest = max(piece.terms, key=lambda index: terms[index][1], default=None)
    folded = piece.text.casefold()
    if rarest is None or len(folded) != len(piece.text):
        return 0
    return min((at for form in terms[rarest][0] if (at := folded.find(form)) >= 0), default=0)


def _beginning_before(text: str, at: int) -> int:
    sentence = max((end.end() for end in _SENTENCE_END.finditer(text, 0, at)), default=0)
    words = [word.start() for word in _WORD.finditer(text, sentence, at)]
    return words[-WORDS_BEFORE] if len(words) > WORDS_BEFORE else sentence


def _longest(piece: Piece, start: int, fits: Callable[[Piece], bool]) -> Piece | None:
    """Return the longest part that begins at ``start`` and fits, by bisection."""
    ends = [word.end() for word in _WORD.finditer(piece.text, start)]
    if len(ends) == 1:  # a script without spaces, or one long word
        ends = [*range(start + 1, len(piece.text) + 1)]
    fitting, too_many = 0, len(ends) + 1
    while too_many - fitting > 1:
        middle = (fitting + too_many) // 2
        if fits(_part(piece, start, ends[middle - 1])):
            fitting = middle
        else:
            too_many = middle
    return _part(piece, start, ends[fitting - 1]) if fitting else None


def _part(piece: Piece, start: int, end: int) -> Piece:
    text = piece.text[start:end].rstrip()
    fence = piece.fence if not start else _fence_at(piece, start)
    is_line_of_code = bool(fence) and piece.text[start - 1 : start] == "\n"
    return structs.replace(
        piece,
        text=text,
        fence=fence,
        start=min(piece.start + start, piece.end),
        end=min(piece.start + start + len(text), piece.end),
        line=piece.line + piece.text.count("\n", 0, start),
        begins=is_line_of_code if start else piece.begins,
        ends=piece.ends and end >= len(piece.text),
    )


def _fence_at(piece: Piece, start: int) -> str:
    """Return the line that opens the code in which a place of a piece's text is; "" for none."""
    opening = f"{piece.fence}\n" if piece.fence else ""
    return fence_at(opening + piece.text, len(opening) + start)
