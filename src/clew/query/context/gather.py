"""Gathering of what may enter a pack: all that needs the snapshot.

The result refers to no snapshot, so that packing, which counts tokens, can run on any thread.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from msgspec import structs

from clew.engine.snapshot import Snapshot
from clew.index.structures.id_sums import distinct_ids
from clew.query.context.excluded import Held, held_lines
from clew.query.context.formulas.relevance import (
    RankedSlots,
    relevance_by_slot,
    with_explaining,
)
from clew.query.context.insights import Insight, insights
from clew.query.context.linking.named_notes import with_named_notes
from clew.query.context.linking.passage_links import PassageLink, passage_links
from clew.query.context.linking.shared_names import with_shared_names
from clew.query.context.passages import (
    PASSAGES_MAX,
    NoteCard,
    Passage,
    newest_passages,
    passages_of,
)
from clew.query.highest import highest_in_slices
from clew.query.search.admission.evidence import Answered
from clew.query.search.admission.names import names_in
from clew.query.search.admission.suggestions import near_names
from clew.query.search.finding.emptied import empty_narrowing
from clew.query.search.finding.find import Findings
from clew.query.search.finding.judge import find_and_judge
from clew.query.search.finding.judged import Judged
from clew.query.search.finding.period_notes import PeriodNotes, period_notes
from clew.query.search.finding.setting import Setting, Specificity
from clew.query.search.matching import WordMatches
from clew.query.search.order.superseded import replaced_notes
from clew.query.search.passage_hits import PassageHits
from clew.query.search.spelling import correction_reply
from clew.query.slices import PAUSE, Slices
from clew.text.languages.relation_words import without_relations
from clew.text.masking.secrets import masked
from clew.text.query_language import SEARCHED_CHARACTERS_MAX
from clew.text.similarity.folded_terms import TermForms
from clew.text.written_forms import joined_forms, number_forms
from clew.values.arrays import Int64Array
from clew.values.requests import Context, Search
from clew.values.search_replies import AskedPeriod, EmptyFilter, FuzzyCorrection

if TYPE_CHECKING:
    from clew.query.code.explanations import ExplainingSlots
    from clew.query.code.related import CodeInsight

TOKENS_TRIED = 1.5  # times the budget: passages with so many tokens are looked at
TERM_FORMS_MAX = 40
SUPERSEDED_FACTOR = 0.5  # of the score of a note whose live note may be in the pack too
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
    links: Sequence[PassageLink]  # between the passages; none of a list
    terms: Sequence[TermForms]  # of the query, as the vault spells them
    asked: Sequence[str]  # the word of the query that each term is for
    terms_of_period: AbstractSet[int]  # indexes of the terms that say the period
    correction: FuzzyCorrection | None
    degraded: tuple[str, ...]
    answered: Answered  # by search
    suggestions: tuple[str, ...]  # names near to the query, if nothing answers it
    held: Held
    delivered: AbstractSet[bytes]  # keys of pieces that this session has; see ``delivered``
    weighed: Int64Array | None  # ids of notes whose weights the pack depends on; None: of all
    period: AskedPeriod | None  # what the query says of time
    undated: tuple[str, ...]  # seasons in it, which are no period
    empty_filter: EmptyFilter | None  # a filter or period that no note passes


def gather(
    snapshot: Snapshot,
    request: Context,
    setting: Setting,
    delivered: AbstractSet[bytes] = frozenset(),
    *,
    has_details: bool | None = None,
) -> Slices[Material]:
    """Return what may enter the pack for a request, without the pieces with ``delivered`` keys.

    ``has_details``: with dates and related files of notes; ``None``: if the pack or evidence shows
    them.

    Raises:
        InvalidParams: the query or a filter is refused by search.
    """
    code, explaining = yield from _code(snapshot, request)
    search = Search(query=_expanded(snapshot, request.query, code), filters=request.filters)
    # A pack looks at far more notes than one page of search shows. Links tell little of those
    # further down, so words and meaning count in full.
    findings, judged = yield from find_and_judge(snapshot, search, replace(setting, before=1.0))
    suggestions = yield from near_names(snapshot, findings.matches.query, judged.admission)
    if has_details is None:
        has_details = request.template == "detailed" or request.include_evidence
    tokens_min = int(TOKENS_TRIED * request.token_budget)
    wanted = _Wanted(_weighted_terms(findings, setting.specificity), tokens_min, has_details)
    passages: list[Passage] = []
    if request.include_memories:
        passages = yield from _passages(snapshot, findings, judged, setting, explaining, wanted)
    dated = period_notes(snapshot, findings)
    passages = passages if dated is None else _with_days(snapshot, passages, dated, setting)
    links = [] if findings.is_list else (yield from passage_links(snapshot, passages))
    below: list[Passage] = []
    if request.include_memories and request.include_evidence and not findings.is_list:
        below = yield from _below(snapshot, findings, judged, setting, wanted, passages)
    found: list[Insight] = []
    if request.include_graph_rag and judged.admission.answered != "no":
        plain = findings.plain[:SEARCHED_CHARACTERS_MAX]
        found = yield from insights(snapshot, plain, setting.now_s, setting.config.entity_types)
    paths = {passage.note.path for passage in (*passages, *below)}
    held = yield from held_lines(snapshot, request.exclude, paths)
    empty = yield from empty_narrowing(snapshot, search, setting, findings)
    plain_spans = findings.parsed.spans_within(SEARCHED_CHARACTERS_MAX)
    return Material(
        revision=snapshot.revision,
        request=request,
        passages=passages,
        below=below,
        insights=found,
        code=code,
        links=links,
        terms=wanted.terms,
        asked=[asked.word for asked in findings.matches.asked_by_term],
        terms_of_period=_terms_of_period(findings),
        correction=correction_reply(request.query, findings.matches.corrections, plain_spans),
        degraded=setting.degraded,
        answered=_answered(judged.admission.answered, code),
        suggestions=() if code else tuple(masked(name)[0] for name in suggestions),
        period=None if dated is None else dated.as_reply(snapshot, judged),
        undated=findings.undated,
        empty_filter=empty,
        held=held,
        delivered=delivered,
        weighed=_weighed(findings, found),
    )


def _code(
    snapshot: Snapshot, request: Context
) -> "Slices[tuple[list[CodeInsight], ExplainingSlots | None]]":
    """Return what a query says of code, and the slots of passages that explain it."""
    if not (request.include_code_graph and snapshot.code.files):
        return [], None
    # The code graph takes no memory where no note has code.
    from clew.query.code.explanations import explaining_slots  # noqa: PLC0415
    from clew.query.code.related import code_insights  # noqa: PLC0415

    code = yield from code_insights(snapshot, request.query)
    return code, (yield from explaining_slots(snapshot, code))


def _expanded(snapshot: Snapshot, query: str, code: "Sequence[CodeInsight]") -> str:
    """Return the query to search notes for.

    "What calls open" is about open: a note that only has "calls" is no answer.
    """
    if not code:
        return query
    from clew.query.code.query_expansion import expanded_query  # noqa: PLC0415 - see ``_code``

    return expanded_query(snapshot, without_relations(query, words_matched(code)), code)


def words_matched(code: "Sequence[CodeInsight]") -> set[str]:
    """Return the words of the query that name entities of code."""
    return {word for insight in code for word in insight.matched.split(".")}


def _answered(by_notes: Answered, code: "Sequence[CodeInsight]") -> Answered:
    """Return whether a query is answered.

    Code that it names is a weak answer, and a full one if lines of notes mention that code.
    """
    if any(insight.mentions for insight in code):
        return "yes"
    return "weak" if code and by_notes == "no" else by_notes


def _admitted(findings: Findings, judged: Judged) -> dict[str, PassageHits]:
    """Return the hits that may enter a pack, by leg: those that search shows."""
    is_admitted = judged.admission.confidences > 0
    return {leg: hits.among(is_admitted) for leg, hits in findings.hits_by_leg.items()}


class _Wanted(NamedTuple):
    """Which passages are looked at, and how."""

    terms: Sequence[TermForms]  # of the query
    tokens_min: int  # of all passages together, if there are so many
    has_details: bool  # with dates and related files of notes


def _passages(
    snapshot: Snapshot,
    findings: Findings,
    judged: Judged,
    setting: Setting,
    explaining: "ExplainingSlots | None",
    wanted: _Wanted,
) -> Slices[list[Passage]]:
    """Return the passages that may enter a pack; of a query that lists notes the newest first."""
    terms, tokens_min, has_details = wanted
    if not findings.is_list:
        ranked = yield from _ranked_slots(snapshot, findings, judged, setting, explaining)
        found = passages_of(snapshot, ranked, terms, tokens_min, has_details=has_details)
        return (yield from found)
    assert findings.narrowed.allowed is not None, "else the query would be refused"
    note_ids = np.flatnonzero(findings.narrowed.allowed)
    newest = yield from highest_in_slices(note_ids, judged.order, snapshot.graph.path, PASSAGES_MAX)
    listed = newest.tolist()
    return (yield from newest_passages(snapshot, listed, tokens_min, has_details=has_details))


def _ranked_slots(
    snapshot: Snapshot,
    findings: Findings,
    judged: Judged,
    setting: Setting,
    explaining: "ExplainingSlots | None",
) -> Slices[RankedSlots]:
    """Return the slots that may enter a pack, ranked; ``explaining``: those that explain code."""
    hits = _admitted(findings, judged)
    superseded = yield from _superseded(snapshot, judged)
    judged = _with_lower_scores(judged, superseded)
    ranked = yield from _ranked(snapshot, hits, judged, setting)
    ranked = with_shared_names(snapshot, findings.matches, ranked, superseded)
    plain = findings.plain[:SEARCHED_CHARACTERS_MAX]
    ranked = with_named_notes(snapshot, plain, ranked, superseded)
    yield PAUSE
    if explaining is None:
        return ranked
    slots, allowed = snapshot.passages.slots, findings.narrowed.allowed
    passing = (
        [slot for slot in each if allowed is None or allowed[slots.note_ids[slot]]]
        for each in explaining
    )
    return with_explaining(ranked, *passing)


def _with_days(
    snapshot: Snapshot, passages: Sequence[Passage], dated: PeriodNotes, setting: Setting
) -> list[Passage]:
    """Return the passages with the days of their notes, and whether these are of the period."""
    note_ids = snapshot.graph.note_ids
    cards: dict[NoteCard, NoteCard] = {}  # the passages of a note share its card
    for passage in passages:
        if passage.note not in cards:
            note_id = note_ids[passage.note.path]
            day, is_of = dated.day_of(snapshot, note_id, setting.zone)
            cards[passage.note] = structs.replace(passage.note, day=day, is_of_period=is_of)
    return [structs.replace(passage, note=cards[passage.note]) for passage in passages]


def _superseded(snapshot: Snapshot, judged: Judged) -> Slices[list[int]]:
    """Return the ids of the notes whose live note may be in a pack too."""
    admitted, confidences = judged.admission.of(judged.note_ids), judged.admission.confidences
    replaced = yield from replaced_notes(snapshot, admitted)
    return [old for old, live in replaced if any(confidences[each] > 0 for each in live)]


def _with_lower_scores(judged: Judged, superseded: Sequence[int]) -> Judged:
    """Return the scores of notes for a pack, which are lower for superseded ones."""
    if not superseded:
        return judged
    scores = judged.scores.copy()
    scores[superseded] *= SUPERSEDED_FACTOR
    return replace(judged, scores=scores)


def _below(
    snapshot: Snapshot,
    findings: Findings,
    judged: Judged,
    setting: Setting,
    wanted: _Wanted,
    passages: Sequence[Passage],
) -> Slices[list[Passage]]:
    """Return the best passages that search found and does not show; none of ``passages``."""
    is_below = judged.admission.confidences <= 0
    hits = {leg: hits.among(is_below) for leg, hits in findings.hits_by_leg.items()}
    judged = replace(judged, brought_in=_NO_NOTES)
    ranked = yield from _ranked(snapshot, hits, judged, setting)
    below = yield from passages_of(
        snapshot, ranked, wanted.terms, 0, BELOW_MAX, has_details=wanted.has_details
    )
    shown = {(passage.note.path, passage.part) for passage in passages}
    return [each for each in below if (each.note.path, each.part) not in shown]


def _ranked(
    snapshot: Snapshot, hits_by_leg: Mapping[str, PassageHits], judged: Judged, setting: Setting
) -> Slices[RankedSlots]:
    """Return the passages that the legs found, ranked as search ranks their notes."""
    of_legs = (hits.note_ids for hits in hits_by_leg.values())
    note_ids = distinct_ids(np.concatenate([judged.brought_in, *of_legs]))
    firsts = snapshot.passages.slots.firsts[note_ids].astype(np.int64)
    weights = setting.weights(snapshot)
    ranked = relevance_by_slot(hits_by_leg, weights, judged.scores, note_ids, firsts)
    yield PAUSE
    return ranked


def _forms(matches: WordMatches) -> list[list[str]]:
    """Return the spellings of each term that the vault has, folded."""
    joined = joined_forms(matches.query.text)
    return [
        [
            form
            for word in words[:TERM_FORMS_MAX]
            for form in (*number_forms(word), *filter(None, [joined.get(word)]))
        ]
        for words in matches.forms_by_term
    ]


def _weighted_terms(findings: Findings, specificity: Specificity) -> list[TermForms]:
    """Return the spellings of each term that the vault has, folded, and how much it counts.

    It counts more the rarer it is in the vault, and less if it tells little of any subject: few
    notes have "how many", and those that do are not about what is counted. A name tells one thing
    from others, whatever its words tell elsewhere: "South" in "South Park".
    """
    matches = findings.matches
    names = names_in(findings.plain[:SEARCHED_CHARACTERS_MAX])
    weights = [
        term.weight * (1.0 if each.word in names else specificity(each.word))
        for term, each in zip(matches.slots_by_term, matches.asked_by_term, strict=True)
    ]
    return list(zip(_forms(matches), weights, strict=True))


def _terms_of_period(findings: Findings) -> frozenset[int]:
    """Return the indexes of the terms that say the period of the query."""
    asked, words = enumerate(findings.matches.asked_by_term), findings.words_of_period
    return frozenset(index for index, each in asked if each.word in words)


def _weighed(findings: Findings, found: Sequence[Insight]) -> Int64Array | None:
    """Return the ids of the notes that were ranked, or whose weights an insight sums.

    ``None`` if paths were looked for: which path is best depends on all others.
    """
    if len(found) > 1:
        return None
    ranked = [hits.note_ids for hits in findings.hits_by_leg.values()]
    return distinct_ids(np.concatenate([_NO_NOTES, *ranked, *(each.note_ids for each in found)]))
