"""Searches of the sample vault: what it has nothing of, and names that are written otherwise."""

from functools import cache
from pathlib import Path

import pytest

from clew.engine.rebuild import read_anew
from clew.engine.settings import IndexerSettings
from clew.engine.snapshot import Snapshot
from clew.values.requests import Filters
from tests.searches import SEARCH, ask, encoder, paths
from tests.vaults import snapshot_of

SAMPLE_VAULT = Path(__file__).parents[2] / "sample-vault"


@cache
def sample() -> Snapshot:
    return read_anew(IndexerSettings(str(SAMPLE_VAULT)), encoder=encoder())


@pytest.mark.parametrize(
    "query",
    [
        "xyzzy123",
        "kubernetes deploy",
        "react component",
        "blockchain",
        "quantum chromodynamics lattice",
    ],
)
def test_the_sample_vault_has_nothing_of_it(query: str) -> None:
    reply = ask(sample(), query, SEARCH)
    assert (reply.answered, reply.results) == ("no", ())


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("clockdrift", "concepts/Clock drift.md"),
        ("tidegauge", "concepts/Tide gauge.md"),
        ("harmonic analisys", "concepts/Harmonic analysis.md"),
    ],
)
def test_names_written_otherwise_are_found(query: str, path: str) -> None:
    reply = ask(sample(), query, SEARCH)
    assert reply.answered == "yes"
    assert paths(reply)[0] == path


def test_a_month_asked_for_and_its_filter_find_the_same_daily_notes() -> None:
    """All files have one time, as in a vault that was copied: the dates are in the names."""
    days = [f"2025-{month:02}-{day:02}.md" for month in (2, 3, 4) for day in (1, 14, 28)]
    snapshot = snapshot_of(dict.fromkeys(days, "Walked to the quay, and wrote.\n"))
    spoken = ask(snapshot, "what did I do in March 2025", SEARCH)
    filters = Filters(since="2025-03-01", until="2025-04-01")
    filtered = ask(snapshot, "walked", filters=filters)
    march = {day for day in days if day.startswith("2025-03")}
    assert set(paths(spoken)) == set(paths(filtered)) == march
