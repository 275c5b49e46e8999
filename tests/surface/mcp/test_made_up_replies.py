"""What the tools make of replies of a daemon that is made up."""

from typing import Any

from clew.surface.client import Refused
from clew.surface.mcp.text import REPLY_TOKENS_MAX
from clew.surface.mcp.work import Question
from clew.text.tokens import count_tokens
from tests.surface.mcp.talk import Talk, made_up


def test_citations_are_listed_with_their_state() -> None:
    states = [("stands", None), ("moved", "memory://a.md#L5-L6~1"), ("changed", None)]
    rows = [{"ref": f"r{n}", "state": s, "now": now} for n, (s, now) in enumerate(states)]
    text = made_up(citations=rows, unchecked=0).text("verify", text="...")
    assert text.startswith("1 of 3 references stand\n- stands: r0\n- moved: r1 is now memory://a")
    assert "no references" in made_up(citations=[], unchecked=0).text("verify", text="...")


def test_references_that_were_not_checked_are_told() -> None:
    row = {"ref": "r", "state": "stands", "now": None}
    text = made_up(citations=[row], unchecked=2).text("verify", text="...")
    assert text.startswith("1 of 3 references stand; 2 were not checked: give the text in parts\n")
    text = made_up(citations=[], unchecked=4).text("verify", text="...")
    assert text == "0 of 4 references stand; 4 were not checked: give the text in parts"


def test_a_daemon_without_a_method_is_told_apart() -> None:
    error = {"code": -32601, "message": "no method", "data": {"code": "methodNotFound"}}
    assert "restart it" in Talk(lambda _: Refused(error)).trouble("verify", text="x")


def test_while_the_first_index_is_built_a_reply_says_so() -> None:
    page: dict[str, Any] = {
        "total": 0,
        "start": 0,
        "cursor": None,
        "notes": [],
        "indexing": {"done": 3, "total": 9},
    }
    assert "3 of 9 notes so far" in made_up(**page).text("recent")


def test_two_names_of_one_concept_are_told_apart_from_no_path() -> None:
    row = {"concepts": ["tide"], "displayNames": ["Tide"], "edges": []}
    talk = made_up(unknown=[], paths=[row], truncated=False)
    assert talk.text("concept", name="tide", to="HA").endswith("one concept: Tide")


def test_rows_that_are_too_long_for_a_reply_are_on_the_next_page() -> None:
    asked: list[dict[str, Any]] = []

    def daemon(question: Question) -> dict[str, Any]:
        asked.append(question.params)
        count = question.params["limit"]
        rows = [
            {"id": n, "size": 2, "central": [f"{n}{'x' * 9_000}"] * 15, "bridges": []}
            for n in range(count)
        ]
        return {"total": 90, "start": 0, "cursor": f"c{count}", "communities": rows}

    text = Talk(daemon).text("communities", limit=20)
    shown = asked[-1]["limit"]
    assert (len(asked), asked[0]["limit"], shown < 20) == (2, 20, True)
    assert f"again with cursor c{shown}\n" in text
    assert text.count("(2 concepts)") == shown
    assert count_tokens(text) <= REPLY_TOKENS_MAX
