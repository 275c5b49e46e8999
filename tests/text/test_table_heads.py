"""The names of columns, for rows far below the head of their table."""

import pytest

from clew.text.regions.table_heads import CHARACTERS_MAX, HEAD_CHARACTERS_MAX, column_names_above
from tests.searches import ask
from tests.tables import for_each_row
from tests.text.test_linear import assert_linear
from tests.vaults import snapshot_of

HEAD = "| article | price |\n|---|---|\n"
ROWS = "| bolt | 3 |\n"


@for_each_row(
    ("above", "names"),
    [
        (HEAD, " article | price |"),
        (HEAD + ROWS * 3, " article | price |"),
        (f"Prices:\n{HEAD}{ROWS}", " article | price |"),
        (f"{HEAD}{ROWS}\n| a | b |\n| :-- | --: |\n", " a | b |"),
        (f"{HEAD}{ROWS}\n", ""),
        (f"{HEAD}text\n", ""),
        ("", ""),
        (ROWS, ""),
        (f"| {'x' * HEAD_CHARACTERS_MAX} |\n|---|\n", ""),
        (HEAD + ROWS * (CHARACTERS_MAX // len(ROWS)), ""),
    ],
)
def test_a_row_has_the_names_of_its_columns(above: str, names: str) -> None:
    assert column_names_above(f"{above}| nut | 4 |\n", len(above)) == names


@pytest.mark.parametrize("at", [0, len("| article | price |\n"), len(HEAD) + 2])
def test_the_head_itself_and_what_begins_no_row_have_none(at: int) -> None:
    assert column_names_above(HEAD + ROWS, at) == ""


@pytest.mark.parametrize("sign", ["|", "-", "| ", "|-", "-|x"])
def test_hostile_lines_above_a_row_take_linear_time(sign: str) -> None:
    def read(line: str) -> str:
        above = f"{HEAD}|{line}x\n"
        return column_names_above(above + ROWS, len(above))

    assert_linear(read, sign, CHARACTERS_MAX // 3, "")


def test_a_row_of_a_long_table_is_found_by_the_name_of_its_column() -> None:
    rows = [f"| widget {number} | {number} | Eastern |" for number in range(200)]
    rows[150] = "| gyroscope | 417 | Northbound |"
    table = "\n".join(["| article | cost | supplier |", "|---|---|---|", *rows])
    notes = {f"{number}.md": f"Note {number} of the garden." for number in range(30)}
    snapshot = snapshot_of({"Stock.md": f"# Stock\n\nAll.\n\n{table}\n", **notes})
    found = ask(snapshot, "gyroscope supplier")
    assert found.answered == "yes"
    assert found.results[0].matched == ("gyroscope", "supplier")
    assert found.results[0].lines[0] > 10
