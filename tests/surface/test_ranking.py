"""Rank in a daemon."""

from collections.abc import Iterator

import pytest

from clew.text.tokens import count_tokens
from tests.daemons import Daemon, copy_sample, daemon


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("ranking")
    with daemon(home, copy_sample(home / "vault")) as started:
        yield started


def test_a_map_of_the_vault_fits_its_budget(running: Daemon) -> None:
    reply = running.ask("rank", query="clock drift", tokenBudget=150)
    lines = [
        f"- {row['name']} ({row['kind']})" + (f" {row['file']}" if row["file"] else "") + "\n"
        for row in reply["results"]
    ]
    assert count_tokens("".join(lines)) == reply["totalTokens"] <= 150
    assert reply["results"][0]["symbolId"] == "concept://clock-drift"
    assert reply["searchMetrics"]["tookMs"] > 0
    assert reply["_meta"]["truncated"]


def test_a_new_heading_is_found_at_once(running: Daemon) -> None:
    running.ask("rank", query="clock drift")
    (running.vault / "new.md").write_text("# New\n\n## Zephyranthes\n")
    reply = running.ask("rank", query="zephyranthes", waitFresh=True)
    assert ["heading", "Zephyranthes"] in [[r["kind"], r["name"]] for r in reply["results"]]


def test_a_misspelt_word_is_corrected(running: Daemon) -> None:
    reply = running.ask("rank", query="baromter")
    assert reply["fuzzyCorrection"]["to"] == "barometer"
