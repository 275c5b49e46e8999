"""Remarks on the answers of commands, and hints of refusals, in words of the command line."""

from typing import Any

import pytest

from clew.surface.cli.remarks import listing_remarks
from clew.surface.cli.render import render
from clew.surface.cli.words.refusals import user_hint


def test_a_missing_file_whose_problem_is_listed_is_not_said_to_be_nowhere() -> None:
    missing: dict[str, Any] = {"state": "missing", "problems": []}
    assert "no file this path" in listing_remarks("why", {"uri": "x.md"}, missing)[0]
    linked = {**missing, "problems": [{"code": "symlink"}]}
    assert listing_remarks("why", {"uri": "x.md"}, linked) == []


def test_a_folder_is_said_to_be_one_with_the_command_that_lists_its_notes() -> None:
    folder: dict[str, Any] = {"uri": "memory://my%20log", "state": "folder", "problems": []}
    (remark,) = listing_remarks("why", {"uri": "my log"}, folder)
    assert remark.startswith("""`clew search 'path:"my log/"'` lists its notes""")


def test_a_hint_names_no_field_that_no_option_fills() -> None:
    hint = user_hint("ask again with more waitFreshMs")
    assert hint == "ask again in a moment: `clew status` tells what is still read"


def test_an_unresolved_link_is_shown_with_its_notes_and_those_that_it_may_mean() -> None:
    row: dict[str, Any] = {"target": "Old", "count": 2, "files": ["memory://a.md"], "mayMean": []}
    (line,) = render("unresolved", {"unresolved": [row]})
    assert line.split() == ["Old", "2", "links", "a.md"]
    row["mayMean"] = ["memory://New.md", "memory://b.md"]
    (line,) = render("unresolved", {"unresolved": [row]})
    assert line.endswith("a.md; may mean New.md, b.md")


def test_the_kinds_of_doctor_are_no_page_of_a_list_but_its_rows_are() -> None:
    page: dict[str, Any] = {"code": None, "problems": [{}], "start": 0, "total": 2, "cursor": "c"}
    assert listing_remarks("doctor", {}, page) == []
    rows = ["1 of 2, all with -n 2"]
    assert listing_remarks("doctor", {}, page, for_program=True) == rows
    assert listing_remarks("doctor", {}, {**page, "code": "encoding"}) == rows


@pytest.mark.parametrize("state", ["nameOnly", "quarantined"])
def test_the_state_of_a_file_is_told_in_words(state: str) -> None:
    row: dict[str, Any] = {"uri": "memory://a.md", "state": state}
    (line,) = render("why", row | {"rule": None, "weight": None, "problems": []})
    assert line.startswith("a.md: indexed by its name alone")
