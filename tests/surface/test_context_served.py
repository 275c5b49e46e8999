"""Context in a daemon: the cache, and requests that are refused."""

from typing import Any

import pytest

from tests.daemons import Daemon

pytestmark = pytest.mark.slow  # starts daemons of its own

QUERY = "why do the clocks run slow in the cold"
AS_OF = "2026-11-21"


def context(running: Daemon, **fields: Any) -> tuple[str, bool]:
    """Return the text of a pack, and whether it came from the cache."""
    reply = running.ask("context", **{"query": QUERY, "asOf": AS_OF, **fields})
    return reply["context"], reply["metadata"]["cacheHit"]


def test_an_equal_request_hits_the_cache_until_a_note_changes(running: Daemon) -> None:
    text, is_hit = context(running, tokenBudget=400)
    assert (is_hit, "quartz" in text) == (False, True)
    hits = running.ask("status")["cache"]["hits"]
    assert context(running, tokenBudget=400) == (text, True)
    assert running.ask("status")["cache"]["hits"] == hits + 1
    assert context(running, tokenBudget=400, query=f"  {QUERY.upper()}?? ") == (text, True)
    assert not context(running, tokenBudget=401)[1]
    running.ask("read", uri="concepts/Clock drift.md")
    assert context(running, tokenBudget=400, waitFresh=True) == (text, True)
    (running.vault / "new.md").write_text("# Cold clocks\n\nclocks run slow in the cold: zephyr\n")
    text, is_hit = context(running, tokenBudget=400, waitFresh=True)
    assert (is_hit, "zephyr" in text) == (False, True)


@pytest.mark.parametrize("budget", [0, 99, 100_001, 10**6, "many"])
def test_a_budget_out_of_range_is_refused(running: Daemon, budget: object) -> None:
    error = running.refusal("context", query=QUERY, tokenBudget=budget)
    assert error["data"]["code"] == "invalidParams"


@pytest.mark.parametrize("query", ["", "   ", "the of"])
def test_a_query_without_a_word_is_refused(running: Daemon, query: str) -> None:
    assert running.refusal("context", query=query)["data"]["code"] == "invalidParams"


def test_a_session_is_not_told_twice(running: Daemon) -> None:
    fields = {"tokenBudget": 400, "includeGraphRAG": False, "sessionId": "one"}
    first, _ = context(running, **fields)
    second, is_hit = context(running, **fields)
    assert ("## Already Delivered" in first, "## Already Delivered" in second) == (False, True)
    assert "No clock runs at exactly" in first
    assert "No clock runs at exactly" not in second
    assert not is_hit
    assert context(running, **{**fields, "sessionId": "two"})[0] == first


@pytest.mark.parametrize("session", ["", "x" * 201, "x" * 1_000_000, 7])
def test_the_id_of_a_session_is_short_text(running: Daemon, session: object) -> None:
    error = running.refusal("context", query=QUERY, sessionId=session)
    assert error["data"]["field"] == "sessionId"
    assert len(error["message"]) < 200
