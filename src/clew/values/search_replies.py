"""The replies of search: what was found, by which legs, and why it stands where it does."""

from typing import Literal

from msgspec import UNSET, UnsetType, field

from clew.values.replies import ListReply, Part, Reply


class LegHit(Part, frozen=True, kw_only=True):
    """What one leg says of a result."""

    rank: int  # 1-based
    raw: float  # comparable within this leg and this query alone


class Breakdown(Part, frozen=True, kw_only=True):
    """What each reason adds in the additive ranking."""

    semantic: float
    recency: float
    entity: float
    source: float
    keyword: float
    explicit: float


class SearchResult(Part, frozen=True, kw_only=True):
    """One note, by the passage that speaks for it most."""

    uri: str
    title: str
    heading: str | None  # the headings that the passage stands under, outermost first
    lines: tuple[int, int]  # of the passage, 1-based
    snippet: str
    score: float
    legs: dict[str, LegHit]
    breakdown: Breakdown | UnsetType = UNSET
    tokens: int  # of the passage


class Correction(Part, frozen=True, kw_only=True):
    """One word that was taken for another."""

    from_: str = field(name="from")
    to: str
    distance: int


class FuzzyCorrection(Part, frozen=True, kw_only=True):
    """The query as it was answered."""

    from_: str = field(name="from")
    to: str
    corrections: tuple[Correction, ...]


class SearchMetrics(Part, frozen=True, kw_only=True):
    """How a search went."""

    tier: Literal["bm25", "trigram", "fuzzy", "keyword"]  # how words were matched
    took_ms: float
    candidates: int  # notes that some leg found


class Meta(Part, frozen=True, kw_only=True):
    """How much of what was found is in the reply."""

    total_items: int
    returned_items: int
    truncated: bool


class SearchReply(ListReply, frozen=True, kw_only=True):
    """What was found, best first."""

    query: str
    results: tuple[SearchResult, ...]
    search_metrics: SearchMetrics
    fuzzy_correction: FuzzyCorrection | None
    degraded: tuple[str, ...]
    meta: Meta = field(name="_meta")


class SimilarRow(Part, frozen=True, kw_only=True):
    """A concept near in meaning."""

    name: str
    similarity: float
    connected: bool  # some note mentions both


class SimilarReply(ListReply, frozen=True, kw_only=True):
    """Concepts near in meaning, the nearest first."""

    similar: tuple[SimilarRow, ...]
    degraded: tuple[str, ...]


class RankedSymbol(Part, frozen=True, kw_only=True):
    """A note, a heading or a concept."""

    symbol_id: str
    name: str
    kind: str
    file: str | None
    relevance_score: float
    importance_score: float
    combined_score: float
    tokens: int


class RankReply(Reply, frozen=True, kw_only=True):
    """Symbols, best first, within a budget of tokens."""

    query: str
    strategy: str
    results: tuple[RankedSymbol, ...]
    total_tokens: int
    token_budget: int
    search_metrics: SearchMetrics
    fuzzy_correction: FuzzyCorrection | None
    meta: Meta = field(name="_meta")
