"""Rank in a daemon."""

from clew.text.tokens import count_tokens
from tests.daemons import Daemon


def test_a_map_of_the_vault_fits_its_budget(running: Daemon) -> None:
    reply = running.ask("rank", query="clock drift", tokenBudget=150, format="map")
    assert count_tokens(reply["text"]) == reply["totalTokens"] <= 150
    first = "- Clock drift (note) memory://concepts/Clock%20drift.md\n"
    assert reply["text"].startswith(first)
    assert reply["searchMetrics"]["tookMs"] > 0
    assert reply["_meta"]["truncated"]


def test_the_texts_of_all_rows_fit_the_budget(running: Daemon) -> None:
    reply = running.ask("rank", query="clock drift", tokenBudget=1_500)
    rows = [row for row in reply["results"] if row["kind"] != "concept"]
    texts = [running.ask("read", uri=row["symbolId"])["content"] for row in rows]
    assert [row["tokens"] for row in rows] == list(map(count_tokens, texts))
    assert len(rows) > 2
    assert sum(row["tokens"] for row in reply["results"]) == reply["totalTokens"] <= 1_500


def test_a_new_heading_is_found_at_once(running: Daemon) -> None:
    running.ask("rank", query="clock drift")
    (running.vault / "new.md").write_text("# New\n\n## Zephyranthes\n")
    reply = running.ask("rank", query="zephyranthes", waitFresh=True)
    assert ["heading", "Zephyranthes"] in [[r["kind"], r["name"]] for r in reply["results"]]


def test_a_misspelt_word_is_corrected(running: Daemon) -> None:
    reply = running.ask("rank", query="baromter")
    assert reply["fuzzyCorrection"]["to"] == "barometer"
