"""Gathering of what may enter a pack: all that needs the snapshot.

The result refers to no snapshot, so that packing, which counts tokens, can run on any thread.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.context.insights import Insight, insights
from clew.query.context.passages import (
    PASSAGES_MAX,
    Passage,
    fused_passages,
    newest_passages,
    passages_of,
)
from clew.query.context.pieces import TermForms
from clew.query.context.references import Reference, parse_reference
from clew.query.highest import highest_in_slices
from clew.query.notes.references import locate
from clew.query.search.admission.evidence import Answered
from clew.query.search.admission.suggestions import near_names
from clew.query.search.finding.find import Findings
from clew.query.search.finding.judge import Judged, find_and_judge
from clew.query.search.finding.setting import Setting
from clew.query.search.matching import WordMatches
from clew.query.search.passage_hits import PassageHits
from clew.query.search.query_terms import CHARACTERS_MAX
from clew.query.search.spelling import correction_reply
from clew.query.slices import PAUSE, Slices
from clew.text.written_forms import number_forms
from clew.values.arrays import Int64Array
from clew.values.errors import Ambiguous, UnknownNote
from clew.values.requests import Context, Search
from clew.values.search_replies import FuzzyCorrection

TOKENS_TRIED = 2.5  # times the budget: passages with so many tokens are looked at
TERM_FORMS_MAX = 40
_HELD_A_STEP = 64
_NO_NOTES: Final = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """What may enter a pack, best first."""

    revision: int
    request: Context
    passages: Sequence[Passage]
    insights: Sequence[Insight]
    terms: Sequence[TermForms]  # of the query, as the vault spells them
    asked: Sequence[str]  # the word of the query that each term is for
    correction: FuzzyCorrection | None
    degraded: tuple[str, ...]
    answered: Answered  # by search
    suggestions: tuple[str, ...]  # names near to the query, if nothing answers it
    held: Sequence[Reference]  # what the caller holds, by the paths of notes
    weighed: Int64Array  # ids of the notes whose weights the pack depends on


def gather(snapshot: Snapshot, request: Context, setting: Setting) -> Slices[Material]:
    """Return what may enter the pack for a request.

    Raises:
        InvalidParams: the query or a filter is refused by search.
    """
    search = Search(query=request.query, filters=request.filters)
    findings, judged = yield from find_and_judge(snapshot, search, setting)
    suggestions = yield from near_names(snapshot, findings.matches.query, judged.admission)
    most = int(TOKENS_TRIED * request.token_budget)
    passages: list[Passage] = []
    if request.include_memories:
        passages = yield from _passages(snapshot, findings, judged, setting, most)
    found: list[Insight] = []
    if request.include_graph_rag and judged.admission.answered != "no":
        plain = findings.parsed.plain[:CHARACTERS_MAX]
        found = yield from insights(snapshot, plain, setting.now_s)
    held = yield from _held(snapshot, request.exclude)
    matches = findings.matches
    return Material(
        revision=snapshot.revision,
        request=request,
        passages=passages,
        insights=found,
        terms=_weighted_terms(findings.matches),
        asked=[asked.word for asked in matches.asked_by_term],
        correction=correction_reply(
            request.query, matches.corrections, findings.parsed.spans_within(CHARACTERS_MAX)
        ),
        degraded=setting.degraded,
        answered=judged.admission.answered,
        suggestions=suggestions,
        held=held,
        weighed=_weighed(findings, found),
    )


def _held(snapshot: Snapshot, references: Sequence[str]) -> Slices[list[Reference]]:
    """Return the references with the paths of their notes; those of no note are left out."""
    held = []
    for count, text in enumerate(references):
        found = parse_reference(text)
        try:
            held.append(replace(found, uri=locate(snapshot, found.uri)))
        except (UnknownNote, Ambiguous):
            continue  # it may have been deleted since, or another note may have its name too
        if count % _HELD_A_STEP == 0:
            yield PAUSE
    return held


def _admitted(findings: Findings, judged: Judged) -> dict[str, PassageHits]:
    """Return the hits that may enter a pack, by leg: those that search shows."""
    is_admitted = judged.admission.confidences > 0
    return {leg: hits.among(is_admitted) for leg, hits in findings.hits_by_leg.items()}


def _passages(
    snapshot: Snapshot, findings: Findings, judged: Judged, setting: Setting, most: int
) -> Slices[list[Passage]]:
    if findings.is_list:
        assert findings.narrowed.allowed is not None, "else the query would be refused"
        note_ids = np.flatnonzero(findings.narrowed.allowed)
        newest = yield from highest_in_slices(
            note_ids, judged.order, snapshot.graph.path, PASSAGES_MAX
        )
        return (yield from newest_passages(snapshot, newest.tolist(), most))
    hits_by_leg = _admitted(findings, judged)
    slots = snapshot.passages.slots
    note_ids = np.unique(np.concatenate([_NO_NOTES, *(h.note_ids for h in hits_by_leg.values())]))
    firsts = {note_id: slots.slots_of(note_id).start for note_id in note_ids.tolist()}
    relevance = fused_passages(hits_by_leg, setting.weights(snapshot), firsts)
    yield PAUSE
    decay, recency = snapshot.decay(setting.now_s), setting.config.recency
    relevance = {
        slot: score * (1.0 - recency + recency * float(decay[int(slots.note_ids[slot])]))
        for slot, score in relevance.items()
    }
    yield PAUSE
    return (yield from passages_of(snapshot, relevance, most))


def _weighted_terms(matches: WordMatches) -> list[TermForms]:
    """Return the spellings of each term that the vault has, folded, and how rare it is."""
    weighted: list[TermForms] = []
    for forms, term in zip(matches.forms_by_term, matches.slots_by_term, strict=True):
        spelled = [form for word in forms[:TERM_FORMS_MAX] for form in number_forms(word)]
        weighted.append((tuple(spelled), term.weight))
    return weighted


def _weighed(findings: Findings, found: Sequence[Insight]) -> Int64Array:
    """Return the ids of the notes that were ranked, or whose weights an insight sums."""
    ranked = [hits.note_ids for hits in findings.hits_by_leg.values()]
    return np.unique(np.concatenate([_NO_NOTES, *ranked, *(each.note_ids for each in found)]))
