"""Search: the hits of all legs fused into one ranking that shows why each note is in it.

``find`` parses the query and runs the legs; ``search`` ranks what they find and makes the reply.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo

import numpy as np
from msgspec import UNSET, structs

from clew.engine.snapshot import Snapshot
from clew.query.dates import Clock
from clew.query.highest import highest_in_slices
from clew.query.paging import Page, page_at, start_of
from clew.query.search.additive.additive_scores import AdditiveScores
from clew.query.search.fusion import fuse, recency_factor
from clew.query.search.legs.base import Encode, Leg, Query
from clew.query.search.legs.keyword import KEYWORD
from clew.query.search.legs.registry import LEGS
from clew.query.search.legs.semantic import SEMANTIC, vector_share
from clew.query.search.legs.temporal import TEMPORAL, split_period, without_period
from clew.query.search.matching import Scope, WordMatches, match_word_parts, match_words
from clew.query.search.narrowing.empty_filter import asked_period, empty_filter, empty_period
from clew.query.search.narrowing.kinds import (
    NO_KINDS,
    NamedKinds,
    named_kinds,
    newest_of_kinds,
    prefer,
)
from clew.query.search.narrowing.narrowed import Narrowed, narrowed
from clew.query.search.narrowing.titles import has_only_stop_words, notes_titled
from clew.query.search.narrowing.understood import understood
from clew.query.search.order.empty_notes import below_notes_with_text
from clew.query.search.order.own_language import language_factor
from clew.query.search.passage_hits import NO_HITS, PassageHits
from clew.query.search.query_terms import CHARACTERS_MAX, query_terms
from clew.query.search.results import result_rows
from clew.query.search.search_config import SearchConfig
from clew.query.search.spelling import correction_reply
from clew.query.slices import PAUSE, Slices
from clew.text.dates.intent import Period
from clew.text.query_language import ParsedQuery, parse_query
from clew.values import requests, search_replies
from clew.values.arrays import Float64Array, Int64Array
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

    @property
    def clock(self) -> Clock:
        """The moment, and the zone of its days."""
        return Clock(self.now_s, self.zone)

    def weights(self, snapshot: Snapshot) -> dict[str, float]:
        """Return the weight of each leg, by name: the configured one, else the leg's default.

        That of the semantic leg is multiplied by the share of passages that have vectors.
        """
        set_by_leg = self.config.weights
        weights = {leg.name: set_by_leg.get(leg.name, leg.default_weight) for leg in self.legs}
        if SEMANTIC in weights:
            weights[SEMANTIC] *= vector_share(snapshot)
        return weights


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """The hits of the legs for one query."""

    parsed: ParsedQuery
    narrowed: Narrowed
    matches: WordMatches
    hits_by_leg: Mapping[str, PassageHits]  # of the legs that the mode shows, in their order
    period: Period | None = None  # what the query says of time
    kinds: NamedKinds = NO_KINDS  # types, folders, tags and sources that the query names
    is_list: bool = False  # the query has nothing to rank by: all notes that pass are listed


def find(snapshot: Snapshot, request: requests.Search, setting: Setting) -> Slices[Findings]:
    """Return the hits of the legs of the request's mode.

    If no leg has a hit, parts of words are matched. Stop words alone find the notes with these
    words in their title, whatever the mode.

    Raises:
        InvalidParams: the query has no word and no operator, or none but stop words that are in no
            title, or too many clauses; a filter is invalid.
    """
    parsed = parse_query(request.query)
    kept = yield from narrowed(snapshot, request.filters, parsed.clauses, setting.clock)
    scope = Scope(snapshot, kept.allowed)
    text, period, kinds = parsed.plain[:CHARACTERS_MAX], None, NO_KINDS
    if request.mode == ALL_LEGS:
        period, text = split_period(text, setting.now_s, setting.zone)
        kinds = named_kinds(snapshot, without_period(parsed.plain[:CHARACTERS_MAX], period))
    titled = _titled(scope, text, parsed, period)
    terms = query_terms(
        text,
        snapshot.languages,
        phrases=parsed.phrases,
        may_be_empty=period is not None or bool(parsed.clauses) or len(titled.note_ids) > 0,
    )
    matches = yield from match_words(scope, terms, fuzzy=request.fuzzy)
    if len(titled.note_ids):
        return Findings(parsed, kept, matches, {KEYWORD: titled})
    if not terms.words and period is None:
        return Findings(parsed, kept, matches, {}, is_list=True)
    if period is not None and period.newest_first and kinds.is_all:
        newest = yield from newest_of_kinds(snapshot, kept, kinds, period)
        if newest.allowed is not None and newest.allowed.any():
            return Findings(parsed, newest, matches, {}, period, kinds, is_list=True)
    query = Query(
        terms=matches.query,
        word_hits=matches.hits,
        period=period,
        now_s=setting.now_s,
        encode=setting.encode,
        weights=setting.weights(snapshot),
        earlier_hits={},
    )
    hits_by_leg = yield from _hits_of_mode(request.mode, scope, query, setting.legs)
    if terms.words and not any(len(hits.note_ids) for hits in hits_by_leg.values()):
        matches = yield from match_word_parts(scope, terms)
        return Findings(parsed, kept, matches, {KEYWORD: matches.hits}, period, kinds)
    return Findings(parsed, kept, matches, hits_by_leg, period, kinds)


def _titled(scope: Scope, text: str, parsed: ParsedQuery, period: Period | None) -> PassageHits:
    """Return the notes with the words of the query in their title, if it has only stop words."""
    is_for_titles = period is None and not parsed.phrases
    if is_for_titles and has_only_stop_words(text, scope.snapshot.languages.stop_words):
        return notes_titled(scope.snapshot, text, scope.allowed)
    return NO_HITS


def _hits_of_mode(
    mode: str, scope: Scope, query: Query, legs: Sequence[Leg]
) -> Slices[dict[str, PassageHits]]:
    """Return the hits that ``mode`` shows: those of all legs, or of the leg with its name.

    The legs before that one run too, since a leg may start from the hits of earlier ones.
    """
    hits_by_leg: dict[str, PassageHits] = {}
    for leg in legs:
        seen = replace(query, earlier_hits=hits_by_leg.copy())
        hits_by_leg[leg.name] = leg.find(scope.snapshot, seen, scope.allowed)
        if leg.name == mode:
            return {mode: hits_by_leg[mode]}
        yield PAUSE
    return hits_by_leg


def search(
    snapshot: Snapshot, request: requests.Search, setting: Setting
) -> Slices[search_replies.SearchReply]:
    """Return the notes that answer a query, best first.

    Raises:
        InvalidParams: the query has no word, or none but stop words that are in no title; a
            filter or the cursor is invalid.
    """
    findings = yield from find(snapshot, request, setting)
    additive = _additive_scores(snapshot, request, setting, findings)
    note_ids, values, scores = _scored(snapshot, request, setting, findings, additive)
    start = start_of(request)
    first = yield from highest_in_slices(
        note_ids, values, snapshot.graph.path, min(start, len(note_ids)) + request.limit
    )
    shown = page_at(start, first[start:].tolist(), len(note_ids))
    rows = result_rows(
        snapshot,
        shown.rows,
        scores,
        findings.hits_by_leg,
        findings.matches.forms_by_term,
        findings.narrowed.slot_by_note,
    )
    if additive is not None:
        rows = [
            structs.replace(row, breakdown=additive.breakdown(note_id))
            for note_id, row in zip(shown.rows, rows, strict=True)
        ]
    empty = yield from _empty_filter(snapshot, request, setting, findings)
    return _reply(
        snapshot, request, setting, findings, Page(rows, shown.total, shown.cursor), empty
    )


def _empty_filter(
    snapshot: Snapshot, request: requests.Search, setting: Setting, findings: Findings
) -> Slices[search_replies.EmptyFilter | None]:
    """Return the filter or the period that no note passes, ``None`` if there is none."""
    allowed, period = findings.narrowed.allowed, asked_period(findings.period)
    if allowed is not None and not allowed.any():
        clauses = findings.parsed.clauses
        return (yield from empty_filter(snapshot, request.filters, clauses, setting.clock))
    temporal = findings.hits_by_leg.get(TEMPORAL)
    has_none = temporal is None or not len(temporal.note_ids)
    if period is not None and has_none and not findings.is_list:
        return empty_period(period)
    return None


def _scored(
    snapshot: Snapshot,
    request: requests.Search,
    setting: Setting,
    findings: Findings,
    additive: AdditiveScores | None,
) -> tuple[Int64Array, Float64Array, Float64Array]:
    """Return the notes found, what they are ordered by and their scores, both by note id.

    Those of a list are ordered by the date of their last change, and all have a score of 0.
    """
    if findings.is_list:
        allowed = findings.narrowed.allowed
        assert allowed is not None, "else the query would be refused"
        note_ids, changed_s = np.flatnonzero(allowed), np.zeros(len(allowed))
        changed_s[note_ids] = snapshot.ages.changed_s(note_ids)
        return note_ids, changed_s, np.zeros(len(allowed))
    if additive is not None and request.ranking == "additive":
        scores, note_ids = additive.by_note(), np.array(sorted(additive.note_ids), np.int64)
    else:
        scores = fuse(findings.hits_by_leg, setting.weights(snapshot), snapshot.graph.note_slots)
        scores *= language_factor(snapshot, findings.matches.query.text)
        scores *= recency_factor(snapshot.decay(setting.now_s), setting.config.recency)
        scores = prefer(snapshot, findings.kinds, scores)
        note_ids = np.flatnonzero(scores > 0)
    # Round first, so that notes whose scores are shown as equal are ordered by path.
    scores = np.round(scores, SCORE_DECIMALS)
    if request.ranking != "additive":
        word_ids = findings.matches.word_ids_by_term
        scores = below_notes_with_text(snapshot, word_ids, note_ids, scores)
    return note_ids, scores, scores


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
    shown: Page[search_replies.SearchResult],
    empty: search_replies.EmptyFilter | None,
) -> search_replies.SearchReply:
    matches, parsed = findings.matches, findings.parsed
    return search_replies.SearchReply(
        revision=snapshot.revision,
        query=request.query,
        results=tuple(shown.rows),
        search_metrics=search_replies.SearchMetrics(
            tier=matches.tier, took_ms=0.0, candidates=shown.total
        ),
        fuzzy_correction=correction_reply(
            request.query, matches.corrections, parsed.spans_within(CHARACTERS_MAX)
        ),
        period=asked_period(findings.period),
        empty_filter=empty,
        degraded=(*setting.degraded, *map(_unread_remark, findings.narrowed.unread)),
        understood=understood(parsed, matches.query, findings.kinds) if request.explain else UNSET,
        meta=search_replies.Meta(
            total_items=shown.total,
            returned_items=len(shown.rows),
            truncated=shown.cursor is not None,
        ),
        total=shown.total,
        cursor=shown.cursor,
    )
