"""Search: what the legs find, made one ranking that tells why each note stands where it does."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

import numpy as np
from msgspec import UNSET, UnsetType

from clew.engine.settings import Leg, SearchRules
from clew.engine.snapshot import Snapshot
from clew.query.paging import page
from clew.query.search.filters import allowed_notes
from clew.query.search.fusion import fuse, recency_factor
from clew.query.search.hits import NO_SLOT, NOTHING, Hits, ordered, ranked
from clew.query.search.legs.semantic import by_meaning
from clew.query.search.legs.spread import by_links
from clew.query.search.legs.temporal import by_time, period_and_rest
from clew.query.search.matching import Matching, VocabularyMissing, by_parts, matching, told
from clew.query.search.named import Named, named_in, seeds_of
from clew.query.search.query_terms import CHARACTERS_MAX, asked
from clew.query.search.reasons import Additive
from clew.query.search.snippet import snippet
from clew.text.passages import chunk_text, heading_path
from clew.text.uri import to_uri
from clew.values import requests, search_replies
from clew.values.arrays import BoolArray, Int8Array
from clew.values.replies import SCORE_DECIMALS, rounded

SEEDS_MAX = 10  # notes from which the graph leg sets out
LEGS_OF_MODE: Mapping[str, frozenset[Leg]] = {
    "hybrid": frozenset(Leg),
    "keyword": frozenset({Leg.KEYWORD}),
    "semantic": frozenset({Leg.SEMANTIC}),
    "graph": frozenset({Leg.GRAPH}),
}

Encode = Callable[[str], Int8Array]


@dataclass(frozen=True, slots=True)
class Setting:
    """What an answer depends on beside the vault and the request."""

    now_s: float
    zone: tzinfo  # in which days begin and end
    rules: SearchRules
    encode: Encode | None  # makes the vector of a query; None: there is no semantic leg
    degraded: tuple[str, ...] = ()  # what does not work, to be told


@dataclass(frozen=True, slots=True)
class Found:
    """All that the legs found for one query."""

    matching: Matching
    legs: Mapping[Leg, Hits]
    named: Sequence[Named]


def search(
    snapshot: Snapshot, request: requests.Search, setting: Setting
) -> search_replies.SearchReply:
    """Return the notes that answer a query, best first.

    Raises:
        InvalidParams: the query has no word, or stop words alone; a filter or the cursor is none.
    """
    try:
        return search_at_once(snapshot, request, setting)
    except VocabularyMissing:
        snapshot.derived.vocabulary = snapshot.derived.word_list().vocabulary()
        return search_at_once(snapshot, request, setting)


def search_at_once(
    snapshot: Snapshot, request: requests.Search, setting: Setting
) -> search_replies.SearchReply:
    """Return what ``search`` does, without the tenth of a second that counting words can take.

    Raises:
        InvalidParams: the query has no word, or stop words alone; a filter or the cursor is none.
        VocabularyMissing: it takes the words of the vault, and they are not counted yet.
    """
    result = find(snapshot, request, setting)
    additive = None
    if _is_explained(request):
        additive = Additive(
            snapshot, result.matching, result.legs, result.named, setting.rules, setting.now_s
        )
    if additive is not None and request.ranking == "additive":
        scores = additive.scores()
        is_found = np.isin(np.arange(len(scores)), list(additive.notes))
    else:
        scores = fuse(result.legs, setting.rules.weights, snapshot.graph.note_slots)
        scores *= recency_factor(snapshot.weights(setting.now_s), setting.rules.recency)
        is_found = scores > 0
    scores = np.round(scores, SCORE_DECIMALS)  # what replies show as equal is parted by path
    notes = ordered(np.flatnonzero(is_found), scores, snapshot.graph.paths)
    shown = page(notes.tolist(), request)
    places = {leg: hits.places() for leg, hits in result.legs.items()}
    rows = []
    for note in shown.rows:
        own = {leg: among[note] for leg, among in places.items() if note in among}
        breakdown = additive.breakdown(note) if additive is not None else UNSET
        rows.append(_result(snapshot, note, float(scores[note]), result, own, breakdown))
    return search_replies.SearchReply(
        revision=snapshot.revision,
        query=request.query,
        results=tuple(rows),
        search_metrics=search_replies.SearchMetrics(
            tier=result.matching.tier, took_ms=0.0, candidates=len(notes)
        ),
        fuzzy_correction=told(request.query, result.matching),
        degraded=setting.degraded,
        meta=search_replies.Meta(
            total_items=len(notes), returned_items=len(rows), truncated=shown.cursor is not None
        ),
        total=shown.total,
        cursor=shown.cursor,
    )


def _is_explained(request: requests.Search) -> bool:
    return request.explain or request.ranking == "additive"


def find(snapshot: Snapshot, request: requests.Search, setting: Setting) -> Found:
    """Return what the legs of the request's mode find."""
    allowed = allowed_notes(snapshot, request.filters)
    wants = LEGS_OF_MODE[request.mode]
    query = request.query[:CHARACTERS_MAX]
    period, rest = period_and_rest(query, setting.now_s, setting.zone)
    if Leg.TEMPORAL not in wants:
        period, rest = None, query
    wanted = asked(rest, snapshot.language, may_be_empty=period is not None)
    matched = matching(snapshot, wanted, allowed, fuzzy=request.fuzzy)
    nearest = NOTHING
    if setting.encode is not None and wants & {Leg.SEMANTIC, Leg.GRAPH} and wanted.words:
        nearest = by_meaning(snapshot, setting.encode(matched.asked.text), allowed)
    legs = {Leg.KEYWORD: matched.hits, Leg.SEMANTIC: nearest}
    named: Sequence[Named] = ()
    if Leg.GRAPH in wants or _is_explained(request):
        named = named_in(snapshot, matched.asked.text)
    if Leg.GRAPH in wants and wanted.words:
        legs[Leg.GRAPH] = _linked(snapshot, legs, named, setting.rules, allowed)
    if period is not None:
        legs[Leg.TEMPORAL] = by_time(snapshot, period, allowed, setting.now_s)
    kept = {leg: hits for leg, hits in legs.items() if leg in wants}
    if wanted.words and not any(len(hits.notes) for hits in kept.values()):
        matched = by_parts(snapshot, wanted, allowed)
        kept = {Leg.KEYWORD: matched.hits}
    return Found(matched, kept, named)


def _linked(
    snapshot: Snapshot,
    legs: Mapping[Leg, Hits],
    named: Sequence[Named],
    rules: SearchRules,
    allowed: BoolArray | None,
) -> Hits:
    """Return what is linked with the best of the other legs and with concepts that are named."""
    scores = fuse(legs, rules.weights, snapshot.graph.note_slots)
    notes = ranked(scores, snapshot.graph.paths, SEEDS_MAX).tolist()
    best = float(scores[notes[0]]) if notes else 1.0
    # Where the query is the name of a note, its words say nothing else: mass starts there alone.
    is_name = any(each.is_whole and each.paths for each in named)
    note_seeds = {} if is_name else {note: (float(scores[note]) / best) ** 2 for note in notes}
    named_notes, concept_seeds = seeds_of(snapshot, named)
    for note, weight in named_notes.items():
        note_seeds[note] = note_seeds.get(note, 0.0) + weight
    return by_links(snapshot, note_seeds, concept_seeds, allowed)


def _result(
    snapshot: Snapshot,
    note_id: int,
    score: float,
    result: Found,
    places: Mapping[Leg, int],
    breakdown: search_replies.Breakdown | UnsetType,
) -> search_replies.SearchResult:
    """Return a note as replies show it; ``places``: its own in the lists of the legs."""
    path = snapshot.graph.path(note_id)
    note = snapshot.note(path)
    legs, slot = {}, NO_SLOT
    for leg in filter(places.__contains__, Leg):
        hits, place = result.legs[leg], places[leg]
        legs[leg.value] = search_replies.LegHit(
            rank=place + 1, raw=rounded(float(hits.scores[place]))
        )
        slot = slot if slot != NO_SLOT else int(hits.slots[place])
    part = slot - snapshot.passages.slots.slots_of(path).start if slot != NO_SLOT else 1
    chunk = note.chunks[part - 1] if 0 < part <= len(note.chunks) else None
    text = chunk_text(note, chunk) if chunk else ""
    headings = heading_path(note, chunk.heading) if chunk else ()
    return search_replies.SearchResult(
        uri=to_uri(path),
        title=note.title,
        heading=" > ".join(headings) or None,
        lines=(chunk.first_line, chunk.last_line) if chunk else (1, 1),
        snippet=snippet(text, result.matching.forms),
        score=rounded(score),
        legs=legs,
        tokens=chunk.tokens if chunk else 0,
        breakdown=breakdown,
    )
