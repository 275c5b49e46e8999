"""Rank the notes that the legs found, and judge which of them have evidence enough."""

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.search.additive.additive_scores import AdditiveScores
from clew.query.search.admission.admitted import admitted, all_admitted
from clew.query.search.admission.evidence import ANSWERS
from clew.query.search.admission.names import names_in
from clew.query.search.admission.request_words import request_words
from clew.query.search.finding.find import ALL_LEGS, Findings, find, find_corrected
from clew.query.search.finding.judged import Judged
from clew.query.search.finding.setting import Setting
from clew.query.search.fusion import final_weights, fuse, recency_factor
from clew.query.search.narrowing.kinds import prefer
from clew.query.search.order.empty_notes import below_notes_with_text
from clew.query.search.order.newest import newest_first_dates, newest_of_alike_first
from clew.query.search.order.own_language import language_factor
from clew.query.search.order.superseded import with_live_above
from clew.query.search.order.templates import template_factor
from clew.query.slices import PAUSE, Slices
from clew.text.query_language import SEARCHED_CHARACTERS_MAX
from clew.values import requests
from clew.values.arrays import Float64Array, Int64Array
from clew.values.replies import SCORE_DECIMALS


def find_and_judge(
    snapshot: Snapshot, request: requests.Search, setting: Setting
) -> Slices[tuple[Findings, Judged]]:
    """Return the hits for a query, judged; live notes are ranked above those that they replace.

    If nothing answers the query for sure, slips are corrected even in words that may be right. If
    nothing in the notes of its period does at all, those of other times are searched.

    Raises:
        InvalidParams: see ``find``.
    """
    findings, judged = yield from _found_and_judged(snapshot, request, setting)
    if findings.is_of_period and judged.admission.answered == "no":
        found = _found_and_judged(snapshot, request, setting, at_any_time=True)
        findings, judged = yield from found
    may_enter = findings.narrowed.allowed
    if findings.period is not None:  # who asks for a time wants the notes of that time
        may_enter = np.zeros(snapshot.graph.note_slots, np.bool_)
    judged = yield from with_live_above(snapshot, judged, may_enter)
    yield PAUSE
    return findings, judged


def _found_and_judged(
    snapshot: Snapshot, request: requests.Search, setting: Setting, *, at_any_time: bool = False
) -> Slices[tuple[Findings, Judged]]:
    findings = yield from find(snapshot, request, setting, at_any_time=at_any_time)
    judged = judge(snapshot, request, setting, findings)
    yield PAUSE
    if judged.admission.answered != "yes":
        corrected = yield from find_corrected(snapshot, request, setting, findings)
        if corrected is not None:
            second = judge(snapshot, request, setting, corrected)
            yield PAUSE
            if ANSWERS.index(second.admission.answered) > ANSWERS.index(judged.admission.answered):
                return corrected, second
    return findings, judged


def judge(
    snapshot: Snapshot, request: requests.Search, setting: Setting, findings: Findings
) -> Judged:
    """Return the scores of the notes found, and which of them have evidence enough."""
    additive = _additive_scores(snapshot, request, setting, findings)
    note_ids, order, scores = _scored(snapshot, request, setting, findings, additive)
    of_period = findings.words_of_period
    if findings.is_list or of_period.issuperset(findings.matches.query.words):
        return Judged(note_ids, order, scores, all_admitted(snapshot, note_ids), additive)
    aside = of_period | _words_of_seasons(findings)
    asking = request_words(findings.plain)
    if not (aside | asking).issuperset(findings.matches.query.words):
        aside |= asking
    admission = admitted(
        snapshot,
        findings.matches,
        findings.all_hits,
        noise=setting.noise,
        has_all_vectors=not setting.degraded,
        aside=aside,
        names=names_in(findings.plain[:SEARCHED_CHARACTERS_MAX]),
    )
    period = findings.period
    if period is not None and findings.asks_for_newest and request.ranking != "additive":
        order = scores = newest_of_alike_first(snapshot, scores, admission, findings.kinds, period)
    return Judged(note_ids, order, scores, admission, additive)


def _words_of_seasons(findings: Findings) -> frozenset[str]:
    """Return the words of the seasons that the query names, unless it has no others.

    The days of a season are not known, so nothing tells which notes are of it; but notes may answer
    the other words.
    """
    words = findings.words_in(findings.seasons)
    others = set(findings.matches.query.words) - words - findings.words_of_period
    return words if others else frozenset()


def _scored(
    snapshot: Snapshot,
    request: requests.Search,
    setting: Setting,
    findings: Findings,
    additive: AdditiveScores | None,
) -> tuple[Int64Array, Float64Array, Float64Array]:
    """Return the notes found, their sort keys (highest first), and their scores, by note id.

    A list is sorted by the dates of the last change, or by when notes were written if the query
    asks for the newest; all of its scores are 0.
    """
    if findings.is_list:
        allowed = findings.narrowed.allowed
        assert allowed is not None, "else the query would be refused"
        note_ids, dates_s = np.flatnonzero(allowed), np.zeros(len(allowed))
        dates_s[note_ids] = (
            snapshot.ages.changed_s(note_ids)
            if findings.period is None
            else newest_first_dates(snapshot, note_ids, findings.period)
        )
        return note_ids, dates_s, np.zeros(len(allowed))
    if additive is not None and request.ranking == "additive":
        note_ids = np.array(sorted(additive.note_ids), np.int64)
        found = additive.by_note()[note_ids]
    else:
        weights = setting.weights(snapshot)
        if request.mode != ALL_LEGS:  # a leg that is asked for counts even if its weight is 0
            weights = {leg: weights[leg] or 1.0 for leg in findings.hits_by_leg}
        weights = final_weights(findings.hits_by_leg, weights, setting.before)
        note_ids, found = fuse(findings.hits_by_leg, weights, snapshot.graph.note_slots)
        found = found * language_factor(snapshot, findings.matches.query.text, note_ids)
        decay = snapshot.decay(setting.now_s).take(note_ids)
        found *= recency_factor(decay, setting.config.recency)
        found *= template_factor(snapshot, findings.plain, note_ids)
        found = prefer(snapshot, findings.kinds, note_ids, found, findings.period)
        hits = (found > 0).nonzero()[0]
        note_ids, found = note_ids.take(hits), found.take(hits)
    # Round first, so that notes whose scores are shown as equal are ordered by path.
    found = found.round(SCORE_DECIMALS)
    if request.ranking != "additive":
        matches = findings.matches
        found = below_notes_with_text(
            snapshot, matches.word_ids_by_term, matches.slots_by_term, note_ids, found
        )
    scores = np.zeros(snapshot.graph.note_slots)
    scores[note_ids] = found
    return note_ids, scores, scores


def _additive_scores(
    snapshot: Snapshot, request: requests.Search, setting: Setting, findings: Findings
) -> AdditiveScores | None:
    """Return the additive scores if the request ranks by them or has ``explain``."""
    if findings.is_list or (request.ranking != "additive" and not request.explain):
        return None
    text, sources = findings.matches.query.text, setting.config.sources
    return AdditiveScores(snapshot, text, findings.hits_by_leg, sources, setting.now_s)
