"""Symbols of the vault, best first, as many as a budget of tokens has room for.

What a symbol costs are the tokens of its line in a map of the vault, ``- NAME (KIND) FILE`` with a
line end, the file left out where there is none; so a map of all that is returned has exactly
``totalTokens``. Ranking looks at a snapshot; counting and packing need it no more.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from clew.engine.derived.symbols import SymbolNames, Symbols
from clew.engine.snapshot import Snapshot
from clew.query.rank.dependency import by_links_to
from clew.query.rank.legacy import legacy_score
from clew.query.rank.relevance import Relevance, by_legacy, by_words
from clew.query.search.matching import Tier, told
from clew.query.search.query_terms import CHARACTERS_MAX, asked
from clew.text.uri import to_uri
from clew.values.arrays import Float64Array, Int64Array
from clew.values.replies import rounded
from clew.values.requests import Rank
from clew.values.search_replies import (
    FuzzyCorrection,
    Meta,
    RankedSymbol,
    RankReply,
    SearchMetrics,
)

SYMBOLS_MAX = 5_000  # of a reply
LINE_TOKENS_MIN = 5  # no line has fewer: "-", a name, " (", a kind, ")"
MISSES_MAX = 50  # lines too long for what is left, before the search for a shorter one ends
_SLACK = 1e-6  # as far apart can be what rounds to equals


class Symbol(NamedTuple):
    """One symbol with its scores."""

    id: str
    name: str
    kind: str
    file: str | None
    relevance: float
    importance: float
    combined: float  # rounded, as it is shown

    @property
    def line(self) -> str:
        """How a map shows it."""
        # The hyphen ends what the tokenizer takes together with the line end before it.
        file = f" {self.file}" if self.file else ""
        return f"- {self.name} ({self.kind}){file}\n"


@dataclass(frozen=True, slots=True)
class Ranking:
    """Symbols, best first, that may have room; what is made of them needs no snapshot."""

    revision: int
    request: Rank
    tier: Tier
    correction: FuzzyCorrection | None
    symbols: tuple[Symbol, ...]
    found: int  # symbols in all


def rank(snapshot: Snapshot, names: SymbolNames, request: Rank) -> Ranking:
    """Return the symbols that have to do with a query, best first.

    ``names`` has learned all that is in the snapshot.

    Raises:
        InvalidParams: the query has no word, or stop words alone.
    """
    wanted = asked(request.query[:CHARACTERS_MAX], snapshot.language)
    by_mode = by_legacy if request.search_mode == "legacy" else by_words
    matched = by_mode(snapshot, names, wanted, fuzzy=request.fuzzy)
    symbols = names.symbols(snapshot)
    if request.strategy == "dependency":
        matched = by_links_to(snapshot, symbols, matched)
    order = _Order(snapshot, symbols, matched, request)
    most = min(SYMBOLS_MAX, request.token_budget // LINE_TOKENS_MIN + MISSES_MAX)
    return Ranking(
        revision=snapshot.revision,
        request=request,
        tier=matched.tier,
        correction=told(request.query, matched),
        symbols=tuple(order.best(most)),
        found=matched.count,
    )


def packed(ranking: Ranking, count_tokens: Callable[[str], int]) -> RankReply:
    """Return the reply: symbols one after the other, as long as their lines fit the budget."""
    rows: list[RankedSymbol] = []
    left, misses = ranking.request.token_budget, 0
    for symbol in ranking.symbols:
        if left < LINE_TOKENS_MIN or misses > MISSES_MAX:
            break
        tokens = count_tokens(symbol.line)
        if tokens > left:
            misses += 1
            continue
        left -= tokens
        rows.append(_row(symbol, tokens))
    return RankReply(
        revision=ranking.revision,
        query=ranking.request.query,
        strategy=ranking.request.strategy,
        results=tuple(rows),
        total_tokens=ranking.request.token_budget - left,
        token_budget=ranking.request.token_budget,
        search_metrics=SearchMetrics(tier=ranking.tier, took_ms=0.0, candidates=ranking.found),
        fuzzy_correction=ranking.correction,
        meta=Meta(
            total_items=ranking.found,
            returned_items=len(rows),
            truncated=len(rows) < ranking.found,
        ),
    )


def _row(symbol: Symbol, tokens: int) -> RankedSymbol:
    return RankedSymbol(
        symbol_id=symbol.id,
        name=symbol.name,
        kind=symbol.kind,
        file=symbol.file,
        relevance_score=rounded(symbol.relevance),
        importance_score=rounded(symbol.importance),
        combined_score=symbol.combined,
        tokens=tokens,
    )


class _Order:
    """All symbols in one row, notes, headings, concepts, with the score that orders them."""

    def __init__(
        self, snapshot: Snapshot, symbols: Symbols, matched: Relevance, request: Rank
    ) -> None:
        self._snapshot, self._symbols = snapshot, symbols
        important = snapshot.derived.importance
        nodes = snapshot.derived.nodes
        self._first_heading = len(matched.notes)
        self._first_concept = self._first_heading + len(matched.headings)
        self._relevance = np.concatenate([matched.notes, matched.headings, matched.concepts])
        self._importance = np.concatenate(
            [
                important[: nodes.note_slots],
                important[symbols.notes],  # a heading is as important as its note
                important[nodes.node_of_concept],
            ]
        )
        self._combined = _combined(self._relevance, self._importance, request)

    def best(self, most: int) -> list[Symbol]:
        """Return the symbols that score most; equals as shown by kind, name and id."""
        found = np.flatnonzero(self._relevance > 0)
        if len(found) > most:
            scores = self._combined[found]
            bound = np.partition(scores, len(found) - most)[len(found) - most]
            found = found[scores >= bound - _SLACK]
        symbols = sorted(self._symbols_at(found), key=lambda s: (-s.combined, s.kind, s.name, s.id))
        return symbols[:most]

    def _symbols_at(self, places: Int64Array) -> Iterable[Symbol]:
        named: tuple[str, str, str, str | None]
        scores = (self._relevance, self._importance, self._combined)
        columns = (each[places].tolist() for each in scores)
        for place, relevance, importance, combined in zip(places.tolist(), *columns, strict=True):
            if place < self._first_heading:
                named = self._note(place)
            elif place < self._first_concept:
                named = self._heading(place - self._first_heading)
            else:
                named = self._concept(place - self._first_concept)
            yield Symbol(*named, relevance, importance, rounded(combined))

    def _note(self, note_id: int) -> tuple[str, str, str, str]:
        path = self._snapshot.graph.path(note_id)
        uri = to_uri(path)
        return uri, self._snapshot.note(path).title, "note", uri

    def _heading(self, place: int) -> tuple[str, str, str, str]:
        path = self._snapshot.graph.path(int(self._symbols.notes[place]))
        heading = self._snapshot.note(path).headings[int(self._symbols.places[place])]
        uri = to_uri(path)
        name = heading.text.strip()
        return f"{uri}#{heading.line}", name, "heading", uri

    def _concept(self, number: int) -> tuple[str, str, str, str | None]:
        name = self._snapshot.graph.name(number)
        owners = self._snapshot.paths_by_concept.get(name)
        file = to_uri(min(owners)) if owners else None
        return f"concept://{name}", self._snapshot.display(name), "concept", file


def _combined(relevance: Float64Array, importance: Float64Array, request: Rank) -> Float64Array:
    if request.strategy == "importance":
        return importance
    if request.search_mode == "legacy":
        return legacy_score(relevance, importance)
    return relevance * importance
