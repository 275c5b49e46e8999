"""Leave out pieces of notes that were delivered to a session, by a key of their path and text.

So a piece that only moved within its note is not sent twice, and one that changed is sent again.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from hashlib import blake2b

from msgspec.structs import replace

from clew.query.context.evidence import passage_reference
from clew.query.context.pieces import Piece
from clew.query.context.rendering import DELIVERED_HEADING, Entry
from clew.query.context.selection import Candidate
from clew.query.quoting.note_text import one_line
from clew.text.counting import CountTokens

POINTERS_MAX = 10
POINTER_SHARE = 3  # the lines that point to delivered passages take at most a third of the budget
_TITLE_CHARACTERS_MAX = 60
_KEY_BYTES = 12


def _key(path: str, text: str, piece: Piece) -> bytes:
    """Return the key of a piece of the note at ``path``; ``text`` is that of the note."""
    content = f"{path}\0{text[piece.start : piece.end].rstrip()}"
    return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES).digest()


def delivered_keys(entries: Iterable[Entry]) -> frozenset[bytes]:
    """Return the keys of the pieces in the entries of a pack."""
    return frozenset(
        _key(entry.note.path, entry.note.text, piece) for entry in entries for piece in entry.pieces
    )


def without_delivered(candidate: Candidate, delivered: AbstractSet[bytes]) -> Candidate:
    """Return the candidate without the pieces that were delivered."""
    passage = candidate.passage
    if passage is None or not delivered:
        return candidate
    path, text = passage.note.path, passage.note.text
    kept = [piece for piece in candidate.pieces if _key(path, text, piece) not in delivered]
    return replace(candidate, pieces=kept, tokens=sum(piece.tokens for piece in kept))


def pointers(candidates: Sequence[Candidate], budget: int, count_tokens: CountTokens) -> list[str]:
    """Return a line for each of the best delivered passages, within a share of the budget."""
    room = budget // POINTER_SHARE - count_tokens(f"\n\n{DELIVERED_HEADING}\n")
    lines: list[str] = []
    for candidate in candidates:
        passage = candidate.passage
        if passage is None or len(lines) == POINTERS_MAX:
            break
        title = one_line(passage.note.title, _TITLE_CHARACTERS_MAX)
        line = f"- {title} `{passage_reference(passage)}`"
        room -= count_tokens(f"{line}\n")
        if room < 0:
            break
        lines.append(line)
    return lines
