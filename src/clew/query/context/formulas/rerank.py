"""Greedy rerank: the order in which candidates enter a pack, and why.

Each step takes the candidate with the highest score

    .72 * relevance / highest relevance
    + .18 * (target share of its source - share of its source so far) + boost of the route
    + .10 * novelty - .08 * (1 - novelty) - .05 if the last two came from its source

where novelty is the share of its terms that no candidate before it has, and shares are of tokens.
It is maximal marginal relevance with a term for the balance of sources: Carbonell, Goldstein, "The
use of MMR, diversity-based reranking for reordering documents and producing summaries", SIGIR 1998.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from clew.query.context.formulas.route import Route
from clew.query.context.formulas.shares import GRAPHRAG, KAG, RAG, SOURCES, Shares, Source
from clew.values.arrays import BoolArray

RELEVANCE_WEIGHT = 0.72
BALANCE_WEIGHT = 0.18
NOVELTY_WEIGHT = 0.10
REDUNDANCY_PENALTY = 0.08
STREAK_PENALTY = 0.05  # for a third candidate in a row from one source

BOOSTS: Mapping[Route, Mapping[Source, float]] = {
    "code": {RAG: -0.04, KAG: 0.08, GRAPHRAG: 0.04},
    "memory": {RAG: 0.08, KAG: -0.04, GRAPHRAG: 0.04},
    "hybrid": {RAG: 0.0, KAG: 0.0, GRAPHRAG: 0.02},
}


@dataclass(frozen=True, slots=True)
class Rated:
    """What the rerank knows of a candidate."""

    source: Source
    relevance: float  # 0 or more, comparable within one query
    terms: frozenset[str]
    size: float  # tokens; only sizes relative to each other matter


@dataclass(frozen=True, slots=True)
class Pick:
    """A candidate at its place in the order: the score and the parts that add up to it."""

    index: int  # in the candidates given
    score: float
    semantic: float
    balance: float  # with the boost of the route
    novelty: float
    redundancy: float  # subtracted


def rerank(candidates: Sequence[Rated], shares: Shares, route: Route) -> list[Pick]:
    """Return all candidates in the order in which a greedy choice takes them; ties by index."""
    if not candidates:
        return []
    greedy = _Greedy(candidates, shares, route)
    return [greedy.take_best() for _ in candidates]


class _Greedy:
    """The scores of the candidates that are left, kept up to date as others are taken."""

    def __init__(self, candidates: Sequence[Rated], shares: Shares, route: Route) -> None:
        self._sizes_by_candidate = [each.size for each in candidates]
        self._source_by_candidate = [SOURCES.index(each.source) for each in candidates]
        self._sources = np.array(self._source_by_candidate)
        self._targets = [shares[source] for source in SOURCES]
        self._boosts = [BOOSTS[route][source] for source in SOURCES]
        relevance = np.array([each.relevance for each in candidates], np.float64)
        highest = float(relevance.max()) or 1.0
        self._semantic = RELEVANCE_WEIGHT * relevance / highest  # -inf once taken
        self._term_counts = np.array([max(1, len(each.terms)) for each in candidates], np.float64)
        self._has_term = _incidence([each.terms for each in candidates])
        self._unseen = self._has_term.sum(axis=1, dtype=np.float64)
        self._is_unseen = np.ones(self._has_term.shape[1], np.bool_)  # by term
        self._sizes = [0.0] * len(SOURCES)  # taken, by source
        self._last: tuple[int, ...] = ()  # sources of the last two taken

    def take_best(self) -> Pick:
        """Take the candidate with the highest score."""
        balance = self._balance_by_source()
        novelty = self._unseen / self._term_counts
        redundancy = REDUNDANCY_PENALTY * (1.0 - novelty)
        if len(self._last) == 2 and self._last[0] == self._last[1]:
            redundancy += STREAK_PENALTY * (self._sources == self._last[0])
        scores = self._semantic + np.array(balance)[self._sources]
        scores += NOVELTY_WEIGHT * novelty
        scores -= redundancy
        best = int(scores.argmax())
        pick = Pick(
            index=best,
            score=float(scores[best]),
            semantic=float(self._semantic[best]),
            balance=balance[self._source_by_candidate[best]],
            novelty=NOVELTY_WEIGHT * float(novelty[best]),
            redundancy=float(redundancy[best]),
        )
        self._take(best)
        return pick

    def _balance_by_source(self) -> list[float]:
        total = sum(self._sizes)
        so_far = [size / total for size in self._sizes] if total else self._sizes
        parts = zip(self._targets, so_far, self._boosts, strict=True)
        return [BALANCE_WEIGHT * (target - share) + boost for target, share, boost in parts]

    def _take(self, best: int) -> None:
        source = self._source_by_candidate[best]
        self._semantic[best] = -np.inf
        self._sizes[source] += self._sizes_by_candidate[best]
        self._last = (*self._last[-1:], source)
        new = np.flatnonzero(self._has_term[best] & self._is_unseen)
        self._unseen -= self._has_term.take(new, axis=1).sum(axis=1)
        self._is_unseen[new] = False


def _incidence(terms_by_candidate: Sequence[frozenset[str]]) -> BoolArray:
    """Return which candidate has which term, of shape (candidates, terms)."""
    all_terms = frozenset[str]().union(*terms_by_candidate)
    columns = {term: column for column, term in enumerate(all_terms)}  # in any order
    has_term = np.zeros((len(terms_by_candidate), len(columns)), np.bool_)
    for row, terms in zip(has_term, terms_by_candidate, strict=True):
        row[list(map(columns.__getitem__, terms))] = True
    return has_term
