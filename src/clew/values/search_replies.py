"""The replies of search, rank and similar."""

from typing import Literal

from msgspec import UNSET, UnsetType, field

from clew.values.replies import ListReply, Part, Reply


class LegHit(Part, frozen=True, kw_only=True):
    """The rank and raw score of a result in one leg."""

    rank: int  # 1-based
    raw: float  # comparable only within this leg and query


class Breakdown(Part, frozen=True, kw_only=True):
    """The terms of the score in the additive ranking."""

    semantic: float
    recency: float
    entity: float
    source: float
    keyword: float
    explicit: float


class SearchResult(Part, frozen=True, kw_only=True):
    """One note with its best passage."""

    uri: str
    title: str
    heading: str | None  # the headings above the passage, outermost first
    lines: tuple[int, int]  # first and last line of the passage, 1-based
    snippet: str
    score: float
    confidence: float  # 0..1: how certain it is that the note speaks of what was asked
    matched: tuple[str, ...]  # words of the query that its best passage has
    legs: dict[str, LegHit]
    breakdown: Breakdown | UnsetType = UNSET
    tokens: int  # number of tokens of the passage


class Correction(Part, frozen=True, kw_only=True):
    """A word of the query and the word that replaced it."""

    from_: str = field(name="from")
    to: str
    distance: int


class FuzzyCorrection(Part, frozen=True, kw_only=True):
    """The query before and after words were replaced."""

    from_: str = field(name="from")
    to: str
    corrections: tuple[Correction, ...]


class SearchMetrics(Part, frozen=True, kw_only=True):
    """How a search was answered."""

    tier: Literal["bm25", "trigram", "fuzzy", "keyword"]  # how words were matched
    took_ms: float
    candidates: int  # notes that any leg found, admitted or not


class Meta(Part, frozen=True, kw_only=True):
    """How many of the results are in the reply."""

    total_items: int
    returned_items: int
    truncated: bool


class Understood(Part, frozen=True, kw_only=True):
    """What of a query was understood, as it can be written in a query."""

    words: tuple[str, ...]  # looked for, after corrections and without stop words
    phrases: tuple[str, ...]
    excluded: tuple[str, ...]  # words and phrases
    operators: tuple[str, ...]


class SearchReply(ListReply, frozen=True, kw_only=True):
    """The notes found, best first."""

    query: str
    answered: Literal["yes", "weak", "no"]
    results: tuple[SearchResult, ...]
    search_metrics: SearchMetrics
    fuzzy_correction: FuzzyCorrection | None
    suggestions: tuple[str, ...]  # names and words of the vault near to the query, if not answered
    degraded: tuple[str, ...]
    understood: Understood | UnsetType = UNSET
    meta: Meta = field(name="_meta")


class SimilarRow(Part, frozen=True, kw_only=True):
    """A concept with a similar name."""

    name: str
    similarity: float
    connected: bool  # some note mentions both


class SimilarReply(ListReply, frozen=True, kw_only=True):
    """Concepts with similar names, the most similar first."""

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
    """The ranked notes, headings and concepts, best first."""

    importance_revision: int  # whose links the importance is from
    query: str
    strategy: str
    results: tuple[RankedSymbol, ...]
    total_tokens: int
    token_budget: int
    search_metrics: SearchMetrics
    fuzzy_correction: FuzzyCorrection | None
    meta: Meta = field(name="_meta")
