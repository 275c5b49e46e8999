"""The replies of search, rank, similar and context."""

from collections.abc import Mapping
from typing import Literal

from msgspec import UNSET, UnsetType, field

from clew.values.replies import ListReply, Part, Problem, Reply


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


class LiveNote(Part, frozen=True, kw_only=True):
    """A note that replaces another."""

    uri: str
    title: str
    since: str  # the day of its creation, from which on it counts: YYYY-MM-DD


class SearchResult(Part, frozen=True, kw_only=True):
    """One note with its best passage."""

    uri: str
    title: str
    heading: str | None  # the headings above the passage, outermost first
    lines: tuple[int, int]  # first and last line of the passage, 1-based
    line: int  # of the first query word in the snippet, else where what it shows begins
    snippet: str
    score: float
    confidence: float  # 0..1: how certain it is that the note answers the query
    matched: tuple[str, ...]  # words of the query that its best passage has
    legs: dict[str, LegHit]
    breakdown: Breakdown | UnsetType = UNSET
    tokens: int  # number of tokens of the passage
    # Only if the query asks for a period: the day that puts the note into the period, else the day
    # of its last change, as YYYY-MM-DD; and whether the note belongs to the period. If the query
    # asks for the newest notes alone: the day on which the note was written.
    day: str | UnsetType = UNSET
    of_period: bool | UnsetType = UNSET
    superseded_by: tuple[LiveNote, ...] | UnsetType = UNSET  # if live notes replace it
    brought_in: bool | UnsetType = UNSET  # true: listed only because it replaces another result


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
    """The parsed parts of a query, each in the syntax of queries."""

    words: tuple[str, ...]  # searched words, after corrections and without stop words
    phrases: tuple[str, ...]
    excluded: tuple[str, ...]  # words and phrases
    operators: tuple[str, ...]
    kinds: tuple[str, ...]  # the types, folders, tags and sources that it names: "type:decision"


class AskedPeriod(Part, frozen=True, kw_only=True):
    """The period of notes that a query asks for, with days as ``YYYY-MM-DD``."""

    since: str | None  # the first day; None for no limit
    until: str | None  # the day after the last; None for no limit
    only: bool  # notes of other times were left out
    matching: int  # number of found notes that belong to the period


class EmptyFilter(Part, frozen=True, kw_only=True):
    """A filter that no note passes."""

    filter: str  # a key of ``filters``, an operator, "phrase", "period" or "all"
    value: str  # as in a request; "" for "all": each filter passes notes, but no note passes all
    suggestions: tuple[str, ...] = ()  # names of folders, types, tags or sources like it


class SearchReply(ListReply, frozen=True, kw_only=True):
    """The notes found, best first."""

    query: str
    answered: Literal["yes", "weak", "no"]
    results: tuple[SearchResult, ...]
    search_metrics: SearchMetrics
    fuzzy_correction: FuzzyCorrection | None
    period: AskedPeriod | None  # the period that the query names, in mode ``hybrid``
    undated: tuple[str, ...] | UnsetType = UNSET  # seasons in the query, which are no period
    empty_filter: EmptyFilter | None  # why there are no results, or none of the period
    suggestions: tuple[str, ...]  # similar names and words of the vault, if there is no answer
    degraded: tuple[str, ...]
    understood: Understood | UnsetType = UNSET
    meta: Meta = field(name="_meta")


class SimilarRow(Part, frozen=True, kw_only=True):
    """A concept with a similar name."""

    name: str
    display_name: str
    similarity: float
    connected: bool  # some note mentions both


class SimilarReply(ListReply, frozen=True, kw_only=True):
    """Concepts with similar names, the most similar first."""

    similar: tuple[SimilarRow, ...]
    known_to_model: bool = True  # False: only names that share most of its words count as similar
    unknown: tuple[str, ...]  # requested concepts that no note mentions
    ignored: tuple[str, ...] = ()  # the ones in ``unknown`` that .clew/concepts.toml ignores
    suggestions: tuple[str, ...]  # concepts whose names have similar letters
    display_suggestions: tuple[str, ...]
    degraded: tuple[str, ...]


class RankedSymbol(Part, frozen=True, kw_only=True):
    """A note, a heading or a concept."""

    symbol_id: str
    name: str
    kind: str
    file: str | None
    lines: tuple[int, int] | None  # of its own text, 1-based; null for a concept
    relevance_score: float
    importance_score: float
    combined_score: float
    tokens: int  # of its own text


class RankReply(Reply, frozen=True, kw_only=True):
    """The ranked notes, headings and concepts, best first."""

    importance_revision: int  # the importance is computed from the links of this revision
    query: str
    strategy: str
    format: str
    results: tuple[RankedSymbol, ...] = ()  # with the format ``rows``
    text: str | UnsetType = UNSET  # with the format ``map``
    total_tokens: int
    token_budget: int
    search_metrics: SearchMetrics
    fuzzy_correction: FuzzyCorrection | None
    meta: Meta = field(name="_meta")


ContextSource = Literal["rag", "kag", "graphrag"]  # notes, code, concepts
ContextRoute = Literal["memory", "code", "hybrid"]
ExclusionReason = Literal["token_budget", "duplicate", "delivered", "below_threshold", "filtered"]


class RerankerBreakdown(Part, frozen=True, kw_only=True):
    """The parts of a reranker's score: the first three are added, the last is subtracted."""

    semantic: float
    source_balance: float
    novelty: float
    redundancy_penalty: float


class MemoryEvidence(Part, frozen=True, kw_only=True):
    """The passage of a note."""

    id: str  # its reference
    uri: str
    lines: tuple[int, int]  # first and last, 1-based
    type: str
    tags: tuple[str, ...]
    importance: float
    related_files: tuple[str, ...]


class CodeEvidence(Part, frozen=True, kw_only=True):
    """An entity of code that the query names."""

    node_id: str
    node_type: str
    file_path: str  # the URI of a note, or the path of a file of code
    matched_entity: str  # the name in the query
    callers: tuple[str, ...]
    calls: tuple[str, ...]
    implementations: tuple[str, ...]


class GraphEvidence(Part, frozen=True, kw_only=True):
    """A concept, or a path between two concepts."""

    entity_id: str
    entity_type: str  # CONCEPT, or the config's entity type for the type of the concept's note
    mention_count: int
    relationship_count: int
    community_ids: tuple[int, ...]
    source_memory_ids: tuple[str, ...]


class Evidence(Part, frozen=True, kw_only=True):
    """One candidate for the pack, and whether it is in it."""

    id: str
    title: str
    source: ContextSource
    rank: int  # 1-based, in the order of the reranker
    relevance: float
    reranker_score: float
    reranker_breakdown: RerankerBreakdown
    tokens: int  # of its text in the pack, or of its full text if it is not included
    included: bool
    exclusion_reason: ExclusionReason | None
    reason: str
    query_terms: tuple[str, ...]  # query words that it contains
    memory: MemoryEvidence | UnsetType = UNSET
    code: CodeEvidence | UnsetType = UNSET
    graph: GraphEvidence | UnsetType = UNSET


class MorePassage(Part, frozen=True, kw_only=True):
    """A passage that did not fit."""

    ref: str
    title: str
    tokens: int


class ContextMetadata(Part, frozen=True, kw_only=True):
    """How a pack was made."""

    total_tokens: int  # of the whole text
    token_budget: int
    sections_included: int  # entries of all sources
    rag_sections: int
    kag_sections: int
    graphrag_sections: int
    truncated: bool  # something did not fit, or is in the pack only in part
    dropped_count: int  # candidates that did not fit
    delivered_count: int  # candidates that were already delivered to this session
    masked: int  # secrets that were replaced
    route: ContextRoute
    route_reason: str
    unknown_excluded: tuple[str, ...]  # unknown names in ``exclude``: at most 100, shortened
    period: AskedPeriod | None  # the period that the query names
    undated: tuple[str, ...] | UnsetType = UNSET  # seasons in the query, which are no period
    empty_filter: EmptyFilter | None  # why nothing was found, or nothing of the period
    cache_hit: bool
    stage_timings: dict[str, float]  # milliseconds


class ContextReply(Reply, frozen=True, kw_only=True):
    """A Markdown pack, and how it was made."""

    context: str
    answered: Literal["yes", "weak", "no"]
    metadata: ContextMetadata
    more: tuple[MorePassage, ...]  # the best passages that did not fit
    degraded: tuple[str, ...]
    fuzzy_correction: FuzzyCorrection | None
    suggestions: tuple[str, ...]
    evidence: tuple[Evidence, ...] | UnsetType = field(default=UNSET)


class RuleAction(Part, frozen=True, kw_only=True, omit_defaults=True):
    """The action of a rule, as written in its file."""

    type: str  # include, exclude, cap or setPriority
    ref: str | None = None
    section: str | None = None
    source: str | None = None
    tokens: int | None = None
    value: str | None = None


class FiredRule(Part, frozen=True, kw_only=True):
    """A rule whose condition holds."""

    name: str
    path: str
    line: int
    action: RuleAction
    applied: bool  # False: an earlier rule decides for the same reference, cap or section


class RuleCaps(Part, frozen=True, kw_only=True):
    """Token limits by section and by source of items."""

    sections: Mapping[str, int]
    sources: Mapping[str, int]


class EvaluateRules(Reply, frozen=True, kw_only=True):
    """The rules that fire for a task, in the order of their files, and their combined effects."""

    rules: int  # number of rules evaluated
    matched: tuple[FiredRule, ...]
    included: tuple[str, ...]  # references
    excluded: tuple[str, ...]
    caps: RuleCaps
    priorities: Mapping[str, str]  # by section
    missing: tuple[str, ...]  # fields that a condition asked for and the request lacks
    problems: tuple[Problem, ...]  # of the files of rules
