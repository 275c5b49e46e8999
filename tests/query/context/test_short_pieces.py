"""What is shown beside chosen pieces: what they announce, and what is as short as a mark."""

from clew.query.context.pieces import Piece
from clew.query.context.shown.together import announced, is_label, with_short
from tests.query.context.note_pieces import pieces_in_order
from tests.query.context.packs import pack
from tests.tables import for_each_row
from tests.vaults import snapshot_of

LONG = "The tide " + "comes in slowly, " * 12 + "and goes out."


def pieces_of_text(text: str) -> list[Piece]:
    return pieces_in_order(f"# Tide\n\n{text}\n")[1]


@for_each_row(
    ("text", "last"),
    [
        (f"{LONG}\n\nOr so:\n\n> Two.", 3),
        (f"{LONG}\n\nNot this one, as it is longer than any mark would be.\n\n> Two.", 2),
    ],
)
def test_what_is_as_short_as_a_mark_is_shown_between_two(text: str, last: int) -> None:
    pieces = pieces_of_text(text)
    assert len(with_short(pieces, {0, len(pieces) - 1})) == last
    assert with_short(pieces, {0}) == pieces[:1]


@for_each_row(
    ("text", "is_parent"),
    [
        ("- **Fixed**\n  - the clock", True),
        ("- **Fixed:**\n  the clock", False),  # one piece
        ("- **Fixed**\n- **Added**", False),
        ("- **Fixed** the clock\n  - of Muros", False),
        ("**Why?**\n\nSince it drifts.", True),
    ],
)
def test_a_label_is_in_bold_above_what_it_names(text: str, is_parent: bool) -> None:
    pieces = pieces_of_text(text)
    assert is_label(pieces, 0) == is_parent
    assert bool(announced(pieces, 0)) == is_parent


def test_a_label_is_not_shown_without_what_is_below_it() -> None:
    answer = "Snapshots are kept so that a slip is undone. " * 12
    fillers = {f"n{n}.md": f"Files {n} are offline. " + "They are kept. " * 9 for n in range(8)}
    notes = {"Faq.md": f"# Faq\n\nText.\n\n**Why keep files offline?**\n\n{answer}", **fillers}
    snapshot = snapshot_of(notes)
    for budget in range(200, 500, 20):
        context = pack(snapshot, "files offline", token_budget=budget, template="compact").context
        if "Why keep files offline?" in context:
            assert "Snapshots are kept" in context
