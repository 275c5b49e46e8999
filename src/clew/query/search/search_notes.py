"""Search: the hits of all legs fused into one ranking that shows why each note is in it.

``find`` parses the query and runs the legs; ``search`` ranks what they find and makes the reply.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo

import numpy as np
from msgspec import structs

from clew.engine.snapshot import Snapshot
from clew.query.highest import ordered
from clew.query.paging import Page, page
from clew.query.search.additive.additive_scores import AdditiveScores
from clew.query.search.filters import allowed_notes
from clew.query.search.fusion import fuse, recency_factor
from clew.query.search.legs.base import Encode, Leg, Query
from clew.query.search.legs.keyword import KEYWORD
from clew.query.search.legs.registry import LEGS
from clew.query.search.legs.temporal import split_period
from clew.query.search.matching import Scope, WordMatches, match_word_parts, match_words
from clew.query.search.passage_hits import PassageHits
from clew.query.search.query_terms import CHARACTERS_MAX, query_terms
from clew.query.search.results import result_rows
from clew.query.search.search_config import SearchConfig
from clew.query.search.spelling import correction_reply
from clew.query.slices import PAUSE, Slices
from clew.values import requests, search_replies
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
    def weights(self) -> dict[str, float]:
        """The weight of each leg, by name: the configured one, else the leg's default."""
        weights = self.config.weights
        return {leg.name: weights.get(leg.name, leg.default_weight) for leg in self.legs}


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """The hits of the legs for one query."""

    matches: WordMatches
    hits_by_leg: Mapping[str, PassageHits]  # of the legs that the mode shows, in their order


def find(snapshot: Snapshot, request: requests.Search, setting: Setting) -> Slices[Findings]:
    """Return the hits of the legs of the request's mode.

    If no leg has a hit, parts of words are matched.

    Raises:
        InvalidParams: the query has no word, or none but stop words; a filter is invalid.
    """
    scope = Scope(snapshot, allowed_notes(snapshot, request.filters))
    text, period = request.query[:CHARACTERS_MAX], None
    if request.mode == ALL_LEGS:
        period, text = split_period(text, setting.now_s, setting.zone)
    terms = query_terms(text, snapshot.language, may_be_empty=period is not None)
    matches = yield from match_words(scope, terms, fuzzy=request.fuzzy)
    query = Query(
        terms=matches.query,
        word_hits=matches.hits,
        period=period,
        now_s=setting.now_s,
        encode=setting.encode,
        weights=setting.weights,
        earlier_hits={},
    )
    hits_by_leg = yield from _hits_of_mode(request.mode, scope, query, setting.legs)
    if terms.words and not any(len(hits.note_ids) for hits in hits_by_leg.values()):
        matches = yield from match_word_parts(scope, terms)
        return Findings(matches, {KEYWORD: matches.hits})
    return Findings(matches, hits_by_leg)


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
        InvalidParams: the query has no word, or none but stop words; a filter or the cursor is
            invalid.
    """
    findings = yield from find(snapshot, request, setting)
    additive = _additive_scores(snapshot, request, setting, findings)
    if additive is not None and request.ranking == "additive":
        scores, note_ids = additive.by_note(), np.array(sorted(additive.note_ids), np.int64)
    else:
        scores = fuse(findings.hits_by_leg, setting.weights, snapshot.graph.note_slots)
        scores *= recency_factor(snapshot.decay(setting.now_s), setting.config.recency)
        note_ids = np.flatnonzero(scores > 0)
    # Round first, so that notes whose scores are shown as equal are ordered by path.
    scores = np.round(scores, SCORE_DECIMALS)
    note_ids = ordered(note_ids, scores, snapshot.graph.path)
    shown = page(note_ids.tolist(), request)
    rows = result_rows(
        snapshot, shown.rows, scores, findings.hits_by_leg, findings.matches.forms_by_term
    )
    if additive is not None:
        rows = [
            structs.replace(row, breakdown=additive.breakdown(note_id))
            for note_id, row in zip(shown.rows, rows, strict=True)
        ]
    return _reply(
        snapshot, request, setting, findings.matches, Page(rows, shown.total, shown.cursor)
    )


def _additive_scores(
    snapshot: Snapshot, request: requests.Search, setting: Setting, findings: Findings
) -> AdditiveScores | None:
    """Return the additive scores if the request ranks by them or has ``explain``."""
    if request.ranking != "additive" and not request.explain:
        return None
    text, sources = findings.matches.query.text, setting.config.sources
    return AdditiveScores(snapshot, text, findings.hits_by_leg, sources, setting.now_s)


def _reply(
    snapshot: Snapshot,
    request: requests.Search,
    setting: Setting,
    matches: WordMatches,
    shown: Page[search_replies.SearchResult],
) -> search_replies.SearchReply:
    return search_replies.SearchReply(
        revision=snapshot.revision,
        query=request.query,
        results=tuple(shown.rows),
        search_metrics=search_replies.SearchMetrics(
            tier=matches.tier, took_ms=0.0, candidates=shown.total
        ),
        fuzzy_correction=correction_reply(request.query, matches.corrections),
        degraded=setting.degraded,
        meta=search_replies.Meta(
            total_items=shown.total,
            returned_items=len(shown.rows),
            truncated=shown.cursor is not None,
        ),
        total=shown.total,
        cursor=shown.cursor,
    )
