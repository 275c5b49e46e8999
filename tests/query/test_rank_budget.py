"""As many ranked symbols as fit a budget of tokens."""

from typing import Any

import pytest

from clew.query.rank import packing
from clew.query.rank.rank_symbols import rank
from clew.query.slices import finished
from clew.values.requests import Rank
from clew.values.search_replies import RankReply
from tests.rankings import VAULT, ranked, shown
from tests.tables import for_each_row
from tests.vaults import snapshot_of


def packed(lengths: list[int], **fields: Any) -> RankReply:
    """Return the reply for symbols that cost this many tokens; a token is an ``x`` here."""
    notes = {
        f"{n:02}.md": f"---\ntitle: {'a' * (n + 1)} clock {'x' * length}\n---\n"
        for n, length in enumerate(lengths)
    }
    request = Rank(query="clock", token_budget=100, search_mode="legacy", **fields)
    return finished(rank(snapshot_of(notes), request, lambda text: text.count("x")))


CASES = [
    ([60, 40], [0, 1]),
    ([60, 41], [0]),
    ([101, 60, 50, 40], [1, 3]),
    ([90, 10], [0, 1]),
    ([200] * 50 + [10], [50]),
    ([200] * 51 + [10], []),
]


@for_each_row(("lengths", "kept"), CASES)
def test_smaller_symbols_fill_the_budget_that_large_ones_exceed(
    lengths: list[int], kept: list[int]
) -> None:
    """The search for smaller ones is bounded."""
    reply = packed(lengths)
    assert [row.name.count("a") - 1 for row in reply.results] == kept
    assert reply.total_tokens == sum(lengths[number] for number in kept)
    assert reply.meta.truncated == (len(kept) < len(lengths))
    lines = (packed(lengths, format="map").text or "").splitlines()
    assert [line.count("a") - 1 for line in lines] == kept


@pytest.mark.parametrize("limit", [1, 2, 3, 9])
def test_no_more_symbols_are_listed_than_asked_for(limit: int) -> None:
    whole = packed([10] * 4)
    reply = packed([10] * 4, limit=limit)
    assert reply.results == whole.results[:limit]
    assert reply.meta.truncated == (limit < 4)
    assert (packed([10] * 4, format="map", limit=limit).text or "").count("\n") == min(limit, 4)


def test_of_a_text_that_does_not_fit_only_a_part_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(packing, "token_blocks", lambda text: iter(text.split("/")))
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return 10

    text = "clock/" * 1_000  # which may be few tokens, as far as its words tell
    reply = finished(
        rank(snapshot_of({"a.md": text}), Rank(query="clock", token_budget=100), count)
    )
    assert (reply.results, len(counted)) == ((), 11)


def test_no_reply_has_more_symbols_than_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.query.rank.rank_symbols.SYMBOLS_MAX", 3)
    reply = ranked(snapshot_of(VAULT), "clock", token_budget=100_000)
    assert (reply.meta.returned_items, reply.meta.truncated) == (3, True)
    assert shown(reply) == shown(ranked(snapshot_of(VAULT), "clock"))[:3]
