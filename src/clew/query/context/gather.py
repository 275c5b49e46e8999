"""Gathering of what may enter a pack: all that needs the snapshot.

The result refers to no snapshot, so that packing, which counts tokens, can run on any thread.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.context.excluded import Held, held_lines
from clew.query.context.formulas.relevance import relevance_by_slot
from clew.query.context.insights import Insight, insights
from clew.query.context.passages import (
    PASSAGES_MAX,
    Passage,
    newest_passages,
    passages_of,
)
from clew.query.context.pieces import TermForms
from clew.query.highest import highest_in_slices
from clew.query.search.admission.evidence import Answered
from clew.query.search.admission.suggestions import near_names
from clew.query.search.finding.emptied import empty_narrowing
from clew.query.search.finding.find import Findings
from clew.query.search.finding.judge import Judged, find_and_judge
from clew.query.search.finding.setting import Setting
from clew.query.search.matching import WordMatches
from clew.query.search.narrowing.empty_filter import asked_period
from clew.query.search.passage_hits import PassageHits
from clew.query.search.query_terms import CHARACTERS_MAX
from clew.query.search.spelling import correction_reply
from clew.query.slices import PAUSE, Slices
from clew.text.secrets import masked
from clew.text.written_forms import number_forms
from clew.values.arrays import Int64Array
from clew.values.requests import Context, Search
from clew.values.search_replies import AskedPeriod, EmptyFilter, FuzzyCorrection

if TYPE_CHECKING:
    from clew.query.code.related import CodeInsight

TOKENS_TRIED = 2.0  # times the budget: passages with so many tokens are looked at
TERM_FORMS_MAX = 40
BELOW_MAX = 10  # passages below admission that the evidence names
_NO_NOTES: Final = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """What may enter a pack, best first."""

    revision: int
    request: Context
    passages: Sequence[Passage]
    below: Sequence[Passage]  # the best that search found but did not admit, for the evidence
    insights: Sequence[Insight]
    code: "Sequence[CodeInsight]"
    terms: Sequence[TermForms]  # of the query, as the vault spells them
    asked: Sequence[str]  # the word of the query that each term is for
    correction: FuzzyCorrection | None
    degraded: tuple[str, ...]
    answered: Answered  # by search
    suggestions: tuple[str, ...]  # names near to the query, if nothing answers it
    held: Held
    delivered: AbstractSet[bytes]  # to this session; see ``query.citations.delivered``
    weighed: Int64Array | None  # ids of notes whose weights the pack depends on; None: of all
    period: AskedPeriod | None  # what the query says of time
    empty_filter: EmptyFilter | None  # a filter or period that no note passes


def gather(
    snapshot: Snapshot,
    request: Context,
    setting: Setting,
    delivered: AbstractSet[bytes] = frozenset(),
) -> Slices[Material]:
    """Return what may enter the pack for a request, in a session that has what was ``delivered``.

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
    below: list[Passage] = []
    if request.include_memories and request.include_evidence and not findings.is_list:
        below = yield from _below(snapshot, findings, judged, setting)
    found: list[Insight] = []
    if request.include_graph_rag and judged.admission.answered != "no":
        plain = findings.parsed.plain[:CHARACTERS_MAX]
        found = yield from insights(snapshot, plain, setting.now_s, setting.config.entity_types)
    code: list[CodeInsight] = []
    if request.include_code_graph and snapshot.code.files:
        # The code graph takes no memory where no note has code.
        from clew.query.code.related import code_insights  # noqa: PLC0415

        code = yield from code_insights(snapshot, request.query)
    paths = {passage.note.path for passage in passages}
    held = yield from held_lines(snapshot, request.exclude, paths)
    empty = yield from empty_narrowing(snapshot, search, setting, findings)
    matches = findings.matches
    return Material(
        revision=snapshot.revision,
        request=request,
        passages=passages,
        below=below,
        insights=found,
        code=code,
        terms=_weighted_terms(findings.matches),
        asked=[asked.word for asked in matches.asked_by_term],
        correction=correction_reply(
            request.query, matches.corrections, findings.parsed.spans_within(CHARACTERS_MAX)
        ),
        degraded=setting.degraded,
        answered=_answered(judged.admission.answered, code),
        suggestions=() if code else tuple(masked(name)[0] for name in suggestions),
        period=asked_period(findings.period),
        empty_filter=empty,
        held=held,
        delivered=delivered,
        weighed=_weighed(findings, found),
    )


def _answered(by_notes: Answered, code: "Sequence[CodeInsight]") -> Answered:
    """Return whether a query is answered: where notes do not, code that it names does weakly."""
    return "weak" if code and by_notes == "no" else by_notes


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
    return (
        yield from _best_passages(
            snapshot, findings, judged, hits_by_leg, setting, PASSAGES_MAX, most
        )
    )


def _below(
    snapshot: Snapshot, findings: Findings, judged: Judged, setting: Setting
) -> Slices[list[Passage]]:
    """Return the best passages that search found and does not show."""
    is_below = judged.admission.confidences <= 0
    hits = {leg: hits.among(is_below) for leg, hits in findings.hits_by_leg.items()}
    return (yield from _best_passages(snapshot, findings, judged, hits, setting, BELOW_MAX, 0))


def _best_passages(
    snapshot: Snapshot,
    findings: Findings,
    judged: Judged,
    hits_by_leg: Mapping[str, PassageHits],
    setting: Setting,
    count_max: int,
    tokens_min: int,
) -> Slices[list[Passage]]:
    slots = snapshot.passages.slots
    note_ids = np.unique(np.concatenate([_NO_NOTES, *(h.note_ids for h in hits_by_leg.values())]))
    firsts = dict(zip(note_ids.tolist(), slots.firsts[note_ids].tolist(), strict=True))
    relevance = relevance_by_slot(hits_by_leg, setting.weights(snapshot), judged.scores, firsts)
    yield PAUSE
    forms = _forms(findings.matches)
    return (yield from passages_of(snapshot, relevance, forms, tokens_min, count_max))


def _forms(matches: WordMatches) -> list[list[str]]:
    """Return the spellings of each term that the vault has, folded."""
    return [
        [form for word in words[:TERM_FORMS_MAX] for form in number_forms(word)]
        for words in matches.forms_by_term
    ]


def _weighted_terms(matches: WordMatches) -> list[TermForms]:
    """Return the spellings of each term that the vault has, folded, and how rare it is."""
    rarities = [term.weight for term in matches.slots_by_term]
    return list(zip(_forms(matches), rarities, strict=True))


def _weighed(findings: Findings, found: Sequence[Insight]) -> Int64Array | None:
    """Return the ids of the notes that were ranked, or whose weights an insight sums.

    ``None`` if paths were looked for: which path is best depends on all others.
    """
    if len(found) > 1:
        return None
    ranked = [hits.note_ids for hits in findings.hits_by_leg.values()]
    return np.unique(np.concatenate([_NO_NOTES, *ranked, *(each.note_ids for each in found)]))
