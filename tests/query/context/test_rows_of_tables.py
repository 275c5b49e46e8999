"""Rows of tables in packs: a row is found by its own words and by the names of its columns."""

from clew.query.context.formulas.spread import SPREAD
from clew.query.context.passages import Passage
from clew.query.context.pieces import pieces_of
from tests.query.context.note_pieces import pieces_by_text
from tests.query.context.packs import pack
from tests.tables import for_each_row
from tests.vaults import snapshot_of

VARIABLES = ("TITLE", "TITLE_SAFE", "SLUG", "FOLDER", "DATE", "DATE_FORMAT", "AUTHOR", "CLOCK")
MEANINGS = "".join(
    f"| `TIDE_{name}` | What a note has for its {name.lower()}, which is asked for, if need be. |\n"
    for name in VARIABLES
)
TABLE = f"# Templates\n\n## Variables\n\n| name | meaning |\n|---|---|\n{MEANINGS}"


@for_each_row("query", ["variable TIDE_SLUG", "tide_slug", "TIDE_SLUG"])
def test_the_row_of_a_joined_name_is_shown_first(query: str) -> None:
    others = {f"{number}.md": "The tide of a variable. " * 9 for number in range(9)}
    snapshot = snapshot_of({"Templates.md": TABLE, **others})
    text = pack(snapshot, query, token_budget=140).context
    assert "TIDE_SLUG" in text
    assert "TIDE_FOLDER" not in text
    assert "TIDE_CLOCK" not in text


def _evidence(text: str, start: int = 0) -> list[float]:
    card, _ = pieces_by_text(text)
    passage = Passage(card, 1, (), start, len(text), 1, 9, 90, False, 1.0)
    return [piece.evidence for piece in pieces_of(passage, [(["ebb"], 1.0), (["key"], 0.5)])]


def test_a_row_tells_nothing_of_the_rows_beside_it() -> None:
    text = "# A\n\nText.\n\n| a | b |\n|---|---|\n| 1 | x |\n| 2 | ebb |\n| 3 | y |\n\nText."
    assert _evidence(text) == [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.25]


def test_text_tells_of_the_row_right_beside_it_alone() -> None:
    text = "# A\n\n| a | b |\n|---|---|\n| 1 | x |\n| 2 | y |\n\nThe ebb.\n\nText.\n\nText."
    assert _evidence(text) == [0.0, 0.0, 0.0, SPREAD, 1.0, SPREAD, SPREAD**2]


def test_a_row_has_a_share_of_the_names_of_its_columns() -> None:
    text = "# A\n\n## Of it\n| key | b |\n|---|---|\n| 1 | x |\n| 2 | ebb |\n| 3 | y |\n\n| key |\n"
    share = SPREAD * 0.5
    assert _evidence(text) == [0.5, share, share, 1.0, share, 0.5]
    below = text.index("| 2")  # as in the second passage of a long table
    assert _evidence(text, below) == [1.0, share, 0.5]
