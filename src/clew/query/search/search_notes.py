"""Search: the hits of all legs fused into one ranking that shows why each note is in it.

``find`` parses the query and runs the legs; ``search`` ranks what they find and makes the reply.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo

import numpy as np
from msgspec import UNSET, structs

from clew.embed.noise import BUILTIN_NOISE
from clew.engine.snapshot import Snapshot
from clew.query.dates import Clock
from clew.query.highest import ordered
from clew.query.paging import Page, page
from clew.query.search.additive.additive_scores import AdditiveScores
from clew.query.search.admission.admitted import Admission, admitted, all_admitted
from clew.query.search.admission.suggestions import near_names
from clew.query.search.fusion import fuse, recency_factor
from clew.query.search.legs.base import Encode, Leg, Query
from clew.query.search.legs.keyword import KEYWORD
from clew.query.search.legs.registry import LEGS
from clew.query.search.legs.temporal import split_period
from clew.query.search.matching import Scope, WordMatches, match_word_parts, match_words
from clew.query.search.narrowing.narrowed import Narrowed, narrowed
from clew.query.search.narrowing.understood import understood
from clew.query.search.passage_hits import PassageHits
from clew.query.search.query_terms import CHARACTERS_MAX, query_terms
from clew.query.search.results import result_rows
from clew.query.search.search_config import SearchConfig
from clew.query.search.spelling import correction_reply
from clew.query.slices import PAUSE, Slices
from clew.text.query_language import ParsedQuery, parse_query
from clew.values import requests, search_replies
from clew.values.arrays import BoolArray, Float64Array, Int64Array
from clew.values.replies import SCORE_DECIMALS

ALL_LEGS = "hybrid"  # the mode that shows the hits of every leg


@dataclass(frozen=True, slots=True)
class Setting:
    """The settings and the moment that a reply depends on, besides the vault and the request."""

    now_s: float
    zone: tzinfo  # the time zone in which days begin and end
    config: SearchConfig
    encode: Encode | None  # makes the vector of a query; ``None``: no model is loaded
    degraded: tuple[str, ...] = ()  # the degraded parts, for the reply
    legs: Sequence[Leg] = LEGS
    noise: float = BUILTIN_NOISE  # of the model of ``encode``

    @property
    def clock(self) -> Clock:
        """The moment, and the zone of its days."""
        return Clock(self.now_s, self.zone)

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each leg, by name: the configured one, else the leg's default."""
        weights = self.config.weights
        return {leg.name: weights.get(leg.name, leg.default_weight) for leg in self.legs}


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """The hits of the legs for one query."""

    parsed: ParsedQuery
    narrowed: Narrowed
    matches: WordMatches
    hits_by_leg: Mapping[str, PassageHits]  # of the legs that the mode shows, in their order
    all_hits: Mapping[str, PassageHits]  # of all legs that ran: what hits are admitted by
    is_list: bool = False  # the query has nothing to rank by: all notes that pass are listed


def find(snapshot: Snapshot, request: requests.Search, setting: Setting) -> Slices[Findings]:
    """Return the hits of the legs of the request's mode.

    If no leg has a hit, parts of words are matched.

    Raises:
        InvalidParams: the query has no word and no operator, or none but stop words, or too many
            clauses; a filter is invalid.
    """
    parsed = parse_query(request.query)
    kept = yield from narrowed(snapshot, request.filters, parsed.clauses, setting.clock)
    scope = Scope(snapshot, kept.allowed)
    text, period = parsed.plain[:CHARACTERS_MAX], None
    if request.mode == ALL_LEGS:
        period, text = split_period(text, setting.now_s, setting.zone)
    terms = query_terms(
        text,
        snapshot.language,
        phrases=parsed.phrases,
        may_be_empty=period is not None or bool(parsed.clauses),
    )
    matches = yield from match_words(scope, terms, fuzzy=request.fuzzy)
    if not terms.words and period is None:
        return Findings(parsed, kept, matches, {}, {}, is_list=True)
    query = Query(
        terms=matches.query,
        word_hits=matches.hits,
        period=period,
        now_s=setting.now_s,
        encode=setting.encode,
        weights=setting.weights,
        earlier_hits={},
    )
    all_hits = yield from _hits_up_to(request.mode, scope, query, setting.legs)
    mode: str = request.mode
    hits_by_leg = all_hits if mode == ALL_LEGS else {mode: all_hits[mode]}
    if terms.words and not any(len(hits.note_ids) for hits in hits_by_leg.values()):
        matches = yield from match_word_parts(scope, terms)
        only = {KEYWORD: matches.hits}
        return Findings(parsed, kept, matches, only, only)
    return Findings(parsed, kept, matches, hits_by_leg, all_hits)


def _hits_up_to(
    mode: str, scope: Scope, query: Query, legs: Sequence[Leg]
) -> Slices[dict[str, PassageHits]]:
    """Return the hits of all legs, or of those up to the leg with the name ``mode``.

    A leg may start from the hits of earlier ones, and admission looks at them.
    """
    hits_by_leg: dict[str, PassageHits] = {}
    for leg in legs:
        seen = replace(query, earlier_hits=hits_by_leg.copy())
        hits_by_leg[leg.name] = leg.find(scope.snapshot, seen, scope.allowed)
        if leg.name == mode:
            break
        yield PAUSE
    return hits_by_leg


def search(
    snapshot: Snapshot, request: requests.Search, setting: Setting
) -> Slices[search_replies.SearchReply]:
    """Return the notes that answer a query, best first.

    Raises:
        InvalidParams: the query has no word, or none but stop words; a filter or the cursor is
            invalid.
    """
    findings = yield from find(snapshot, request, setting)
    additive = _additive_scores(snapshot, request, setting, findings)
    judged = judge(snapshot, request, setting, findings, additive)
    yield PAUSE
    suggestions = yield from near_names(snapshot, findings.matches.query, judged.admission)
    shown = page(judged.admission.of(judged.note_ids).tolist(), request)
    rows = result_rows(
        snapshot,
        shown.rows,
        judged.scores,
        findings.hits_by_leg,
        findings.matches.forms_by_term,
        findings.narrowed.slot_by_note,
        judged.admission,
    )
    if additive is not None:
        rows = [
            structs.replace(row, breakdown=additive.breakdown(note_id))
            for note_id, row in zip(shown.rows, rows, strict=True)
        ]
    answer = Page(rows, shown.total, shown.cursor)
    reply = _reply(snapshot, request, setting, findings, judged, answer)
    return structs.replace(reply, suggestions=suggestions)


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The notes that some leg found, ranked, and which of them are admitted."""

    note_ids: Int64Array  # best first
    scores: Float64Array  # by note id
    admission: Admission


def judge(
    snapshot: Snapshot,
    request: requests.Search,
    setting: Setting,
    findings: Findings,
    additive: AdditiveScores | None = None,
) -> Judged:
    """Return the ranking of the notes found, and which of them have evidence enough."""
    note_ids, scores = _ranked(snapshot, request, setting, findings, additive)
    if not findings.matches.query.words:
        return Judged(note_ids, scores, all_admitted(snapshot, note_ids))
    admission = admitted(
        snapshot,
        findings.matches,
        findings.all_hits,
        noise=setting.noise,
        has_all_vectors=not setting.degraded,
    )
    return Judged(note_ids, scores, admission)


def _ranked(
    snapshot: Snapshot,
    request: requests.Search,
    setting: Setting,
    findings: Findings,
    additive: AdditiveScores | None,
) -> tuple[Int64Array, Float64Array]:
    """Return the notes in the order of the reply, and the score of each note by id."""
    if findings.is_list:
        assert findings.narrowed.allowed is not None, "else the query would be refused"
        return _newest_first(snapshot, findings.narrowed.allowed)
    if additive is not None and request.ranking == "additive":
        scores, note_ids = additive.by_note(), np.array(sorted(additive.note_ids), np.int64)
    else:
        scores = fuse(findings.hits_by_leg, setting.weights, snapshot.graph.note_slots)
        scores *= recency_factor(snapshot.decay(setting.now_s), setting.config.recency)
        note_ids = np.flatnonzero(scores > 0)
    # Round first, so that notes whose scores are shown as equal are ordered by path.
    scores = np.round(scores, SCORE_DECIMALS)
    return ordered(note_ids, scores, snapshot.graph.path), scores


def _newest_first(snapshot: Snapshot, allowed: BoolArray) -> tuple[Int64Array, Float64Array]:
    """Return these notes by the date of their last change, all with a score of 0."""
    scores = np.zeros(len(allowed))
    changed_s = scores.copy()
    note_ids = np.flatnonzero(allowed)
    changed_s[note_ids] = snapshot.ages.changed_s(note_ids)
    return ordered(note_ids, changed_s, snapshot.graph.path), scores


def _additive_scores(
    snapshot: Snapshot, request: requests.Search, setting: Setting, findings: Findings
) -> AdditiveScores | None:
    """Return the additive scores if the request ranks by them or has ``explain``."""
    if findings.is_list or (request.ranking != "additive" and not request.explain):
        return None
    text, sources = findings.matches.query.text, setting.config.sources
    return AdditiveScores(snapshot, text, findings.hits_by_leg, sources, setting.now_s)


def _unread_remark(phrase: str) -> str:
    return f"phrase: many passages have the words of {phrase[:100]!r}, and only some were read"


def _reply(
    snapshot: Snapshot,
    request: requests.Search,
    setting: Setting,
    findings: Findings,
    judged: Judged,
    shown: Page[search_replies.SearchResult],
) -> search_replies.SearchReply:
    matches, parsed = findings.matches, findings.parsed
    return search_replies.SearchReply(
        revision=snapshot.revision,
        query=request.query,
        results=tuple(shown.rows),
        search_metrics=search_replies.SearchMetrics(
            tier=matches.tier, took_ms=0.0, candidates=len(judged.note_ids)
        ),
        fuzzy_correction=correction_reply(
            request.query, matches.corrections, parsed.spans_within(CHARACTERS_MAX)
        ),
        answered=judged.admission.answered,
        suggestions=(),
        degraded=(*setting.degraded, *map(_unread_remark, findings.narrowed.unread)),
        understood=understood(parsed, matches.query) if request.explain else UNSET,
        meta=search_replies.Meta(
            total_items=shown.total,
            returned_items=len(shown.rows),
            truncated=shown.cursor is not None,
        ),
        total=shown.total,
        cursor=shown.cursor,
    )
