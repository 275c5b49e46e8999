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
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush, heapreplace

from msgspec import Struct

from clew.query.context.formulas.shares import GRAPHRAG, KAG, RAG, SOURCES, Shares
from clew.values.search_replies import ContextRoute, ContextSource

RELEVANCE_WEIGHT = 0.72
BALANCE_WEIGHT = 0.18
NOVELTY_WEIGHT = 0.10
REDUNDANCY_PENALTY = 0.08
STREAK_PENALTY = 0.05  # for a third candidate in a row from one source
_ROUNDING = 1e-9  # far above that of a score

BOOSTS: Mapping[ContextRoute, Mapping[ContextSource, float]] = {
    "code": {RAG: -0.04, KAG: 0.08, GRAPHRAG: 0.04},
    "memory": {RAG: 0.08, KAG: -0.04, GRAPHRAG: 0.04},
    "hybrid": {RAG: 0.0, KAG: 0.0, GRAPHRAG: 0.02},
}


class Rated(Struct, frozen=True, gc=False):
    """What the rerank knows of a candidate."""

    source: ContextSource
    relevance: float  # 0 or more, comparable within one query
    terms: frozenset[str]
    size: float  # tokens; only sizes relative to each other matter


class Pick(Struct, frozen=True, gc=False):
    """A candidate at its place in the order: the score and the parts that add up to it."""

    index: int  # in the candidates given
    score: float
    semantic: float
    balance: float  # with the boost of the route
    novelty: float
    redundancy: float  # subtracted


def rerank(candidates: Sequence[Rated], shares: Shares, route: ContextRoute) -> list[Pick]:
    """Return all candidates in the order in which a greedy choice takes them; ties by index."""
    if not candidates:
        return []
    greedy = _Greedy(candidates, shares, route)
    return [greedy.take_best() for _ in candidates]


@dataclass(slots=True)
class _Waiting:
    """A candidate that is not taken yet."""

    index: int
    source: int
    semantic: float
    terms: frozenset[str]
    size: float
    unseen: frozenset[str]  # its terms that the first ``taken`` candidates lack; it only shrinks
    taken: int = 0
    novelty: float = field(init=False)  # the share of its terms that is unseen
    own_score: float = field(init=False)  # the part that depends on no sources taken before

    def __post_init__(self) -> None:
        self._rate()

    def see(self, seen: AbstractSet[str], taken: int) -> None:
        """Rate it anew, given the terms that the first ``taken`` candidates have."""
        self.unseen, self.taken = self.unseen - seen, taken
        self._rate()

    def _rate(self) -> None:
        self.novelty = len(self.unseen) / (len(self.terms) or 1)
        self.own_score = self.semantic + (NOVELTY_WEIGHT + REDUNDANCY_PENALTY) * self.novelty


class _Greedy:
    """The candidates that are left, a heap for each source, by the part of the score ``own_score``.

    This part only falls as others are taken, so few are computed anew for each that is taken.
    """

    def __init__(self, candidates: Sequence[Rated], shares: Shares, route: ContextRoute) -> None:
        self._targets = [shares[source] for source in SOURCES]
        self._boosts = [BOOSTS[route][source] for source in SOURCES]
        highest = max(each.relevance for each in candidates) or 1.0
        self._waiting: list[list[tuple[float, int, _Waiting]]] = [[] for _ in SOURCES]  # heaps
        for index, each in enumerate(candidates):
            semantic = RELEVANCE_WEIGHT * each.relevance / highest
            source = SOURCES.index(each.source)
            waiting = _Waiting(index, source, semantic, each.terms, each.size, each.terms)
            self._waiting[source].append((-waiting.own_score, index, waiting))
        for heap in self._waiting:
            heapify(heap)
        self._seen: set[str] = set()  # terms of those taken
        self._taken = 0
        self._sizes = [0.0] * len(SOURCES)  # taken, by source
        self._last: tuple[int, ...] = ()  # sources of the last two taken

    def take_best(self) -> Pick:
        """Take the candidate with the highest score."""
        balance = self._balance_by_source()
        highest = [each for heap in self._waiting for each in self._highest(heap)]
        picks = [(self._pick(each, balance[each.source]), each) for each in highest]
        pick, best = min(picks, key=lambda pair: (-pair[0].score, pair[0].index))
        for each in highest:
            if each is not best:
                heappush(self._waiting[each.source], (-each.own_score, each.index, each))
        self._sizes[best.source] += best.size
        self._last = (*self._last[-1:], best.source)
        self._seen |= best.terms
        self._taken += 1
        return pick

    def _balance_by_source(self) -> list[float]:
        total = sum(self._sizes)
        so_far = [size / total for size in self._sizes] if total else self._sizes
        parts = zip(self._targets, so_far, self._boosts, strict=True)
        return [BALANCE_WEIGHT * (target - share) + boost for target, share, boost in parts]

    def _highest(self, heap: list[tuple[float, int, _Waiting]]) -> list[_Waiting]:
        """Take the highest candidate out of a heap, with all that may score as much."""
        highest: list[_Waiting] = []
        while heap and (not highest or -heap[0][0] >= highest[0].own_score - _ROUNDING):
            waiting = heap[0][2]
            if waiting.taken == self._taken:
                highest.append(waiting)
                heappop(heap)
            else:
                waiting.see(self._seen, self._taken)
                heapreplace(heap, (-waiting.own_score, waiting.index, waiting))
        return highest

    def _pick(self, waiting: _Waiting, balance: float) -> Pick:
        redundancy = REDUNDANCY_PENALTY * (1.0 - waiting.novelty)
        if self._last == (waiting.source, waiting.source):
            redundancy += STREAK_PENALTY
        novelty = NOVELTY_WEIGHT * waiting.novelty
        return Pick(
            index=waiting.index,
            score=waiting.semantic + balance + novelty - redundancy,
            semantic=waiting.semantic,
            balance=balance,
            novelty=novelty,
            redundancy=redundancy,
        )
