"""A note as a pack knows it, with its pieces."""

from collections.abc import Sequence

from clew.query.context.passages import NoteCard, Passage
from clew.query.context.pieces import Piece, pieces_of
from clew.query.context.shown import runs
from clew.text.similarity.folded_terms import TermForms
from tests.vaults import note_from_bytes


def pieces_by_text(text: str, terms: Sequence[TermForms] = ()) -> tuple[NoteCard, dict[str, Piece]]:
    """Return a note as a pack knows it, and its pieces by their first words."""
    card, pieces = pieces_in_order(text, terms)
    return card, {piece.text.partition("\n")[0][:12]: piece for piece in pieces}


def pieces_in_order(text: str, terms: Sequence[TermForms] = ()) -> tuple[NoteCard, list[Piece]]:
    """Return a note as a pack knows it, and its pieces."""
    note = note_from_bytes("Tide.md", text.encode())
    card = NoteCard(
        path=note.path,
        uri="memory://Tide.md",
        title=note.title,
        text=note.text,
        body_start=note.chunks[0].start,
        headings=note.headings,
        type="note",
        tags=(),
        importance=0.5,
        created="2025-01-01 (name)",
        changed="2025-01-02 (git)",
        related_files=("a.py",),
    )
    passage = Passage(card, 1, (), 0, len(text), 1, text.count("\n") + 1, 100, False, 1.0)
    return card, pieces_of(passage, terms)


def entry_text(note: NoteCard, pieces: Sequence[Piece], *, is_short: bool) -> str:
    """Return pieces of a note as a pack shows them below their label."""
    return runs.entry_text(note, pieces, runs.label_path(note, pieces), is_short=is_short)
