"""Remarks on the answers of commands that list what the daemon knows of notes."""

from typing import Any

from clew.surface.cli.remarks import listing_remarks


def test_a_missing_file_whose_problem_is_listed_is_not_said_to_be_nowhere() -> None:
    missing: dict[str, Any] = {"state": "missing", "problems": []}
    assert "no file this path" in listing_remarks("why", {"uri": "x.md"}, missing)[0]
    linked = {**missing, "problems": [{"code": "symlink"}]}
    assert listing_remarks("why", {"uri": "x.md"}, linked) == []
