"""Thematic breaks: lines that only draw a rule."""

from clew.text.regions.noise import LINE_CHARACTERS_MAX, is_break
from tests.tables import for_each_row

LONGEST = "-" * LINE_CHARACTERS_MAX


@for_each_row("line", ["---", "***", "_ _ _", "   - - -  ", LONGEST])
def test_a_rule_is_a_break(line: str) -> None:
    assert is_break(line)


@for_each_row("line", ["", "--", "--- a", "    ---", "-*-", f"{LONGEST}-", f"{LONGEST} words"])
def test_other_lines_are_none(line: str) -> None:
    assert not is_break(line)
