"""How much of a passage has words, but says little: links alone, and lines of data in code."""

from collections.abc import Sequence

from clew.query.context.pieces import Piece
from clew.text.regions.fenced_code import FENCE

DATA_LINE = 300  # characters of a line of code; a longer one is data


def emptiness(pieces: Sequence[Piece]) -> float:
    """Return the share of links alone, and of very long lines of code, in pieces, by tokens."""
    empty = sum(piece.tokens for piece in pieces if piece.only_points or _is_data(piece))
    return empty / sum(piece.tokens for piece in pieces) if empty else 0.0


def _is_data(piece: Piece) -> bool:
    """Return whether a piece has very long lines of code, such as JSON."""
    if len(piece.text) <= DATA_LINE or not (piece.fence or FENCE.match(piece.text)):
        return False
    return max(map(len, piece.text.split("\n"))) > DATA_LINE
