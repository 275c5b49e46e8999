"""Ranked symbols within a budget of tokens: as rows, or as the text of a map.

A row costs the tokens of the symbol's own text, so a client that reads the texts of all rows stays
within the budget. A symbol of a map costs its line. A symbol that does not fit into the rest of the
budget is skipped, and a smaller one may follow.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from msgspec.structs import replace

from clew.engine.snapshot import Snapshot
from clew.query.rank.symbols import Symbol, own_text
from clew.query.rank.token_blocks import BLOCK_CHARACTERS, token_blocks
from clew.query.search.matching import Tier
from clew.query.slices import PAUSE, Slices
from clew.text.counting import CountTokens
from clew.text.tokens import tokens_at_least
from clew.values.replies import rounded
from clew.values.requests import Rank
from clew.values.search_replies import (
    FuzzyCorrection,
    Meta,
    RankedSymbol,
    RankReply,
    SearchMetrics,
)

MISSES_MAX = 50  # after this many symbols that do not fit, no smaller one is looked for
_LINES_A_STEP = 32
_CHARACTERS_A_TOKEN = 16  # beginning of a text, for each token left, whose words are counted

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Ranked:
    """A symbol with its scores."""

    symbol: Symbol
    relevance: float
    importance: float
    combined: float  # rounded


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The facts that a reply has besides its symbols."""

    snapshot: Snapshot
    importance_revision: int
    request: Rank
    tier: Tier
    correction: FuzzyCorrection | None
    relevant_count: int  # symbols with a relevance above 0


def pack_rows(
    ranking: Ranking, symbols: Iterator[Ranked | None], count_tokens: CountTokens
) -> Slices[RankReply]:
    """Return the reply with a row for each symbol whose own text fits; ``None`` is a pause."""

    def row(ranked: Ranked, tokens_left: int) -> Slices[tuple[RankedSymbol, int] | None]:
        text, tokens = "", ranked.symbol.tokens
        if tokens is None:
            text = own_text(ranking.snapshot, ranked.symbol)
            tokens = yield from _tokens_up_to(tokens_left, text, count_tokens)
        if tokens is None or tokens > tokens_left:
            return None
        return _row(ranked, text, tokens), tokens

    rows, spent = yield from _fitting(ranking.request, symbols, row, symbols_a_step=1)
    return replace(_reply(ranking, len(rows), spent), results=tuple(rows))


def pack_map(
    ranking: Ranking, symbols: Iterator[Ranked | None], count_tokens: CountTokens
) -> Slices[RankReply]:
    """Return the reply with the text of a map: a line for each symbol whose line fits."""

    def line(ranked: Ranked, tokens_left: int) -> Slices[tuple[str, int] | None]:
        yield from ()  # a line is counted without a pause
        tokens = count_tokens(ranked.symbol.line)
        return (ranked.symbol.line, tokens) if tokens <= tokens_left else None

    lines, spent = yield from _fitting(ranking.request, symbols, line, symbols_a_step=_LINES_A_STEP)
    return replace(_reply(ranking, len(lines), spent), text="".join(lines))


def _fitting(
    request: Rank,
    symbols: Iterator[Ranked | None],
    measured: Callable[[Ranked, int], Slices[tuple[Item, int] | None]],
    *,
    symbols_a_step: int,
) -> Slices[tuple[list[Item], int]]:
    """Return the items of the symbols that fit the budget, and the number of their tokens.

    ``measured(symbol, tokens_left)`` returns the item of a symbol with its tokens; ``None`` if they
    are more than ``tokens_left``.
    """
    items: list[Item] = []
    tokens_left, misses = request.token_budget, 0
    for number, ranked in enumerate(symbols):
        if ranked is None or number % symbols_a_step == 0:
            yield PAUSE
        if ranked is None:
            continue
        fitting = yield from measured(ranked, tokens_left)
        if fitting is not None:
            items.append(fitting[0])
            tokens_left -= fitting[1]
            if len(items) == request.limit:
                break
            continue
        misses += 1
        if misses > MISSES_MAX or not tokens_left:
            break
    return items, request.token_budget - tokens_left


def _tokens_up_to(most: int, text: str, count_tokens: CountTokens) -> Slices[int | None]:
    """Return the number of tokens of ``text``; ``None`` if there are more than ``most``.

    Stops counting a long text as soon as it has more.
    """
    # Most symbols do not fit into the end of the budget. Counting words shows that without tokens.
    if tokens_at_least(text[: most * _CHARACTERS_A_TOKEN][:BLOCK_CHARACTERS]) > most:
        return None
    tokens = 0
    for block in token_blocks(text):
        tokens += count_tokens(block)
        if tokens > most:
            return None
        yield PAUSE
    return tokens


def _row(ranked: Ranked, text: str, tokens: int) -> RankedSymbol:
    symbol = ranked.symbol
    lines = symbol.lines
    if symbol.kind == "note":
        lines = (1, max(1, text.count("\n") + (not text.endswith("\n"))))
    return RankedSymbol(
        symbol_id=symbol.id,
        name=symbol.name,
        kind=symbol.kind,
        file=symbol.file,
        lines=lines,
        relevance_score=rounded(ranked.relevance),
        importance_score=rounded(ranked.importance),
        combined_score=rounded(ranked.combined),
        tokens=tokens,
    )


def _reply(ranking: Ranking, shown: int, tokens: int) -> RankReply:
    count = ranking.relevant_count
    return RankReply(
        revision=ranking.snapshot.revision,
        importance_revision=ranking.importance_revision,
        query=ranking.request.query,
        strategy=ranking.request.strategy,
        format=ranking.request.format,
        total_tokens=tokens,
        token_budget=ranking.request.token_budget,
        search_metrics=SearchMetrics(tier=ranking.tier, took_ms=0.0, candidates=count),
        fuzzy_correction=ranking.correction,
        meta=Meta(total_items=count, returned_items=shown, truncated=shown < count),
    )
