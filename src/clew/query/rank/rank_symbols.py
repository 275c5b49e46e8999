"""Symbols of the vault, best first, as many as fit a token budget.

A symbol costs the tokens of its line in a map of the vault: ``- NAME (KIND) FILE`` with a line end,
without the file where there is none. So the map of a reply has exactly ``totalTokens``.

``rank`` orders the symbols by relevance and importance, and needs the snapshot; ``packed`` counts
tokens and fills the budget without the snapshot, so it can run on any thread.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from clew.engine.derived.importance import Importance
from clew.engine.snapshot import Snapshot
from clew.query.rank.dependency import linked_relevance
from clew.query.rank.legacy import legacy_score
from clew.query.rank.relevance import Relevance, bm25_relevance, legacy_relevance_of_symbols
from clew.query.search.matching import Scope, Tier
from clew.query.search.query_terms import CHARACTERS_MAX, query_terms
from clew.query.search.spelling import correction_reply
from clew.query.slices import PAUSE, Slices
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

SYMBOLS_MAX = 5_000  # symbols of a reply
LINE_TOKENS_MIN = 5  # the fewest tokens of a line: "-", a name, " (", a kind, ")"
MISSES_MAX = 50  # after this many lines that do not fit, no shorter one is looked for
_NAMES_A_STEP = 32
_ROUNDING_MAX = 1e-6  # scores further apart than this never round to the same number


_Name: TypeAlias = tuple[str, str, str, str | None]  # id, name, kind and file of a symbol


class Symbol(NamedTuple):
    """One symbol with its scores."""

    id: str
    name: str
    kind: str
    file: str | None
    relevance: float
    importance: float
    combined: float  # rounded, as replies show it

    @property
    def line(self) -> str:
        """The symbol's line in a map."""
        # The hyphen of the next line keeps a line end from forming a token with its text.
        file = f" {self.file}" if self.file else ""
        return f"- {self.name} ({self.kind}){file}\n"


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best symbols, more than fit the budget; refers to no snapshot."""

    revision: int
    importance_revision: int
    request: Rank
    tier: Tier
    correction: FuzzyCorrection | None
    symbols: tuple[Symbol, ...]
    relevant_count: int  # symbols with a relevance above 0


def rank(snapshot: Snapshot, request: Rank) -> Slices[Ranking]:
    """Return the symbols that are relevant to a query, best first.

    Raises:
        InvalidParams: the query has no word, or none but stop words.
    """
    scope = Scope(snapshot, allowed=None)
    query = query_terms(request.query[:CHARACTERS_MAX], snapshot.languages)
    by_mode = legacy_relevance_of_symbols if request.search_mode == "legacy" else bm25_relevance
    relevance = yield from by_mode(scope, query, fuzzy=request.fuzzy)
    if not snapshot.derived.has_importance:
        yield snapshot.derived.weigh_nodes
    if request.strategy == "dependency":
        relevance = linked_relevance(snapshot, relevance)
    importance = snapshot.derived.importance
    is_present = importance.link_changes == snapshot.graph.link_changes
    revision = snapshot.revision if is_present else importance.revision
    most = min(SYMBOLS_MAX, request.token_budget // LINE_TOKENS_MIN + MISSES_MAX)
    symbols = yield from _best_symbols(snapshot, relevance, importance, request, most)
    return Ranking(
        revision=snapshot.revision,
        importance_revision=revision,
        request=request,
        tier=relevance.tier,
        correction=correction_reply(request.query, relevance.corrections),
        symbols=tuple(symbols),
        relevant_count=relevance.count,
    )


def packed(ranking: Ranking, count_tokens: Callable[[str], int]) -> RankReply:
    """Return the reply: symbols in their order, each whose line fits what is left of the budget."""
    rows: list[RankedSymbol] = []
    tokens_left, misses = ranking.request.token_budget, 0
    for symbol in ranking.symbols:
        if tokens_left < LINE_TOKENS_MIN or misses > MISSES_MAX:
            break
        tokens = count_tokens(symbol.line)
        if tokens > tokens_left:
            misses += 1
            continue
        tokens_left -= tokens
        rows.append(_row(symbol, tokens))
    count = ranking.relevant_count
    return RankReply(
        revision=ranking.revision,
        importance_revision=ranking.importance_revision,
        query=ranking.request.query,
        strategy=ranking.request.strategy,
        results=tuple(rows),
        total_tokens=ranking.request.token_budget - tokens_left,
        token_budget=ranking.request.token_budget,
        search_metrics=SearchMetrics(tier=ranking.tier, took_ms=0.0, candidates=count),
        fuzzy_correction=ranking.correction,
        meta=Meta(total_items=count, returned_items=len(rows), truncated=len(rows) < count),
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


def _best_symbols(
    snapshot: Snapshot,
    relevance: Relevance,
    importance: Importance,
    request: Rank,
    most: int,
) -> Slices[list[Symbol]]:
    """Return up to ``most`` relevant symbols with the highest scores; ties by kind, name and id.

    Arrays hold the relevant symbols: notes, then headings, then concepts.
    """
    notes, headings, concepts = (
        np.flatnonzero(each > 0)
        for each in (relevance.by_note, relevance.by_heading, relevance.by_concept)
    )
    relevances = np.concatenate(
        [relevance.by_note[notes], relevance.by_heading[headings], relevance.by_concept[concepts]]
    )
    importances = np.concatenate(
        [
            importance.of_notes(notes),
            importance.of_notes(snapshot.symbols.note_by_heading[headings]),
            importance.of_concepts(concepts),
        ]
    )
    scores = _combined(relevances, importances, request)
    yield PAUSE
    chosen = _highest(scores, most)
    kinds = np.repeat([0, 1, 2], [len(notes), len(headings), len(concepts)])[chosen].tolist()
    ids = np.concatenate([notes, headings, concepts])[chosen].tolist()
    columns = (array[chosen].tolist() for array in (relevances, importances, scores))
    best: list[Symbol] = []
    for kind, id_, relevant, important, score in zip(kinds, ids, *columns, strict=True):
        name: _Name = _NAMES[kind](snapshot, id_)
        best.append(Symbol(*name, relevant, important, rounded(score)))
        if len(best) % _NAMES_A_STEP == 0:
            yield PAUSE
    return sorted(best, key=lambda s: (-s.combined, s.kind, s.name, s.id))[:most]


def _combined(relevance: Float64Array, importance: Float64Array, request: Rank) -> Float64Array:
    if request.strategy == "importance":
        return importance
    if request.search_mode == "legacy":
        return legacy_score(relevance, importance)
    return relevance * importance


def _highest(scores: Float64Array, most: int) -> Int64Array:
    """Return the indexes of the ``most`` highest scores, and those that may round to a tie."""
    if len(scores) <= most:
        return np.arange(len(scores))
    bound = np.partition(scores, len(scores) - most)[len(scores) - most]
    return np.flatnonzero(scores >= bound - _ROUNDING_MAX)


def _note_name(snapshot: Snapshot, note_id: int) -> _Name:
    path = snapshot.graph.path(note_id)
    uri = to_uri(path)
    return uri, snapshot.facts[path].title, "note", uri


def _heading_name(snapshot: Snapshot, index: int) -> _Name:
    symbols = snapshot.symbols
    path = snapshot.graph.path(int(symbols.note_by_heading[index]))
    heading = snapshot.note(path).headings[int(symbols.index_by_heading[index])]
    uri = to_uri(path)
    return f"{uri}#{heading.line}", heading.text.strip(), "heading", uri


def _concept_name(snapshot: Snapshot, concept_id: int) -> _Name:
    name = snapshot.graph.name(concept_id)
    paths = snapshot.paths_by_concept.get(name)
    file = to_uri(min(paths)) if paths else None
    return f"concept://{name}", snapshot.display(name), "concept", file


_NAMES: Final[tuple[Callable[[Snapshot, int], _Name], ...]] = (
    _note_name,
    _heading_name,
    _concept_name,
)
