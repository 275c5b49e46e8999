"""As many ranked symbols as fit a budget of tokens."""

import pytest

from clew.query.rank.rank_symbols import Ranking, Symbol, packed
from clew.values.requests import Rank
from tests.rankings import VAULT, ranked, shown
from tests.vaults import snapshot_of


def ranking_of(lengths: list[int], budget: int) -> Ranking:
    """Return symbols with names of these lengths; a token is a letter here."""
    symbols = tuple(
        Symbol(f"{n}", "x" * length, "note", None, 1.0, 1.0, 1.0)
        for n, length in enumerate(lengths)
    )
    request = Rank(query="x", token_budget=budget)
    return Ranking(1, 1, request, "bm25", None, symbols, len(symbols))


@pytest.mark.parametrize(
    ("lengths", "budget", "kept"),
    [
        ([60, 40], 100, ["0", "1"]),
        ([60, 41], 100, ["0"]),
        ([101, 60, 50, 40], 100, ["1", "3"]),
        ([96, 4], 100, ["0"]),
        ([200] * 50 + [10], 100, ["50"]),
        ([200] * 51 + [10], 100, []),
    ],
)
def test_shorter_lines_fill_the_budget_that_long_ones_exceed(
    lengths: list[int], budget: int, kept: list[str]
) -> None:
    """The search for shorter lines is bounded, and ends when no line can fit."""
    reply = packed(ranking_of(lengths, budget), lambda text: text.count("x"))
    assert [row.symbol_id for row in reply.results] == kept
    assert reply.meta.truncated == (len(kept) < len(lengths))


def test_no_reply_has_more_symbols_than_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.query.rank.rank_symbols.SYMBOLS_MAX", 3)
    reply = ranked(snapshot_of(VAULT), "clock", token_budget=100_000)
    assert (reply.meta.returned_items, reply.meta.truncated) == (3, True)
    assert shown(reply) == shown(ranked(snapshot_of(VAULT), "clock"))[:3]
