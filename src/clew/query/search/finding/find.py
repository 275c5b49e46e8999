"""Parse a query and run the legs of search on it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from clew.engine.snapshot import Snapshot
from clew.query.search.finding.setting import Setting
from clew.query.search.legs.base import Query
from clew.query.search.legs.comparison import Comparison, begin_comparison
from clew.query.search.legs.keyword import KEYWORD
from clew.query.search.legs.temporal import (
    TEMPORAL,
    notes_within,
    split_period,
    without_period,
)
from clew.query.search.matching import (
    Scope,
    WordMatches,
    match_corrected,
    match_word_parts,
    match_words,
)
from clew.query.search.narrowing.kinds import (
    NO_KINDS,
    NamedKinds,
    named_kinds,
    newest_of_kinds,
    types_named,
)
from clew.query.search.narrowing.narrowed import Narrowed, narrowed
from clew.query.search.narrowing.options import without_options
from clew.query.search.narrowing.titles import has_only_stop_words, notes_titled
from clew.query.search.passage_hits import NO_HITS, PassageHits
from clew.query.search.query_terms import NO_TERMS, QueryTerms, query_terms
from clew.query.search.spelling import corrected_text, runs_of, time_word_slips
from clew.query.slices import PAUSE, Slices
from clew.text.dates.intent import Period
from clew.text.dates.seasons import Span, seasons_in
from clew.text.query_language import SEARCHED_CHARACTERS_MAX, ParsedQuery, parse_query
from clew.text.similarity.fuzzy import Correction
from clew.text.terms import query_words
from clew.values import requests

ALL_LEGS = "hybrid"  # the mode that shows the hits of every leg

HitsByLeg = Mapping[str, PassageHits]

_POSSESSIVES = ("", "'s", "\u2019s")  # between the words for a period and a note: "today's page"


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """The hits of the legs for one query."""

    parsed: ParsedQuery
    plain: str  # its plain text, with slips in words for times corrected
    narrowed: Narrowed
    matches: WordMatches
    hits_by_leg: HitsByLeg = field(default_factory=dict)  # of the legs that the mode shows
    all_hits: HitsByLeg = field(default_factory=dict)  # of all legs that ran: they admit hits
    period: Period | None = None  # what the query says of time
    seasons: Sequence[Span] = ()  # seasons that the query names, whose days are not known
    asked: QueryTerms = NO_TERMS  # the terms as they were typed
    kinds: NamedKinds = NO_KINDS  # types, folders, tags and sources that the query names
    is_of_period: bool = False  # only the notes of ``period`` were searched
    is_list: bool = False  # the query has nothing to rank by: all notes that pass are listed

    @property
    def undated(self) -> tuple[str, ...]:
        """The seasons that the query names, as it does."""
        return tuple(self.plain[start:end] for start, end in self.seasons)

    @property
    def words_of_period(self) -> frozenset[str]:
        """The words of the query that name its period."""
        return self.words_in(() if self.period is None else self.period.spans)

    def words_in(self, spans: Iterable[Span]) -> frozenset[str]:
        """Return the words in some spans of the plain text."""
        texts = (self.plain[start:end] for start, end in spans)
        return frozenset(word for text in texts for word in query_words(text))

    @property
    def asks_for_newest(self) -> bool:
        """Whether the query asks for the newest notes."""
        return self.period is not None and self.period.newest_first

    def with_hits(self, hits_by_leg: HitsByLeg) -> "Findings":
        """Return findings with these hits alone."""
        return replace(self, hits_by_leg=hits_by_leg, all_hits=hits_by_leg)


def find(
    snapshot: Snapshot, request: requests.Search, setting: Setting, *, at_any_time: bool = False
) -> Slices[Findings]:
    """Return the hits of the legs of the request's mode.

    If the query asks for notes of a period on a topic, only notes of the period are searched,
    unless there are none. ``at_any_time``: other notes are searched too, and rank lower.

    The legs before that of the mode run too, as admission looks at them, and are not shown. If no
    shown leg has a hit, parts of words are matched. Stop words alone find the notes with these
    words in their title, whatever the mode.

    Raises:
        InvalidParams: the query has no word and no operator, or none but stop words that are in no
            title, or too many clauses; a filter is invalid.
    """
    parsed = yield from without_options(snapshot, parse_query(request.query))
    asked = _asked(snapshot, parsed.plain, request, setting)
    found = yield from _findings(snapshot, request, setting, parsed, asked, at_any_time=at_any_time)
    if not asked.slips:
        return found
    corrections = (*asked.slips, *found.matches.corrections)
    return replace(found, matches=replace(found.matches, corrections=corrections))


def _findings(
    snapshot: Snapshot,
    request: requests.Search,
    setting: Setting,
    parsed: ParsedQuery,
    asked: "_Asked",
    *,
    at_any_time: bool,
) -> Slices[Findings]:
    plain, text, period, kinds, seasons, _ = asked
    kept = yield from narrowed(snapshot, request.filters, parsed.clauses, setting.clock)
    is_of_period = False
    if period is not None and period.is_of_notes and text and not at_any_time:
        kept, is_of_period = _within_period(snapshot, kept, period)
    scope = Scope(snapshot, kept.allowed, setting.is_word)
    titled = _titled(scope, text, parsed, period)
    terms = query_terms(
        text,
        snapshot.languages,
        phrases=parsed.phrases,
        may_be_empty=period is not None
        or bool(parsed.clauses)
        or (request.filters is not None and not plain.strip())
        or len(titled.note_ids) > 0,
    )
    begun = None
    if terms.words and not len(titled.note_ids):
        begun = begin_comparison(snapshot, terms.text, setting.encode, kept.allowed, setting.begin)
    matches = yield from match_words(scope, terms, fuzzy=request.fuzzy)
    found = Findings(
        parsed,
        plain,
        kept,
        matches,
        period=period,
        seasons=seasons,
        asked=terms,
        kinds=kinds,
        is_of_period=is_of_period and bool(terms.words),
    )
    if len(titled.note_ids):
        return found.with_hits({KEYWORD: titled})
    if not terms.words and period is None:
        return replace(found, is_list=True)
    if period is not None and (period.newest_first or is_of_period) and kinds.is_all:
        newest = yield from newest_of_kinds(snapshot, kept, kinds, period)
        if newest.allowed is not None and newest.allowed.any():
            listed = _without_forms(matches, parsed.phrases)
            return replace(found, matches=listed, narrowed=newest, is_list=True)
    of_words = yield from _with_hits(found, scope, request, setting, begun)
    asks_for_more = bool(text and terms.words)  # unlike "the day before yesterday"
    if not (asks_for_more and _is_period_empty(of_words) and _may_be_a_topic(plain, period)):
        return of_words
    # No note is of that time, so that the words for it may be what a note is about: "today's page".
    terms = query_terms(plain[:SEARCHED_CHARACTERS_MAX], snapshot.languages, phrases=parsed.phrases)
    of_time = frozenset(terms.terms).difference(found.asked.terms)  # which are spelt right
    matches = yield from match_words(scope, terms, fuzzy=request.fuzzy, known_terms=of_time)
    found = replace(found, matches=matches, asked=terms)
    return (yield from _with_hits(found, scope, request, setting))


def _without_forms(matches: WordMatches, phrases: Sequence[str]) -> WordMatches:
    """Return matches whose words, but for those of ``phrases``, name what every listed note is.

    They tell nothing of a note, so that none is corrected, or shown where a note has it.
    """
    quoted = {word for phrase in phrases for word in query_words(phrase)}
    terms = zip(matches.asked_by_term, matches.forms_by_term, strict=True)
    forms = [forms if asked.word in quoted else () for asked, forms in terms]
    return replace(matches, corrections=(), tier="bm25", forms_by_term=forms)


class _Asked(NamedTuple):
    plain: str  # the plain text of the query, with slips in words for times corrected
    text: str  # the words to look for
    period: Period | None = None
    kinds: NamedKinds = NO_KINDS
    seasons: Sequence[Span] = ()
    slips: tuple[Correction, ...] = ()


def _asked(snapshot: Snapshot, plain: str, request: requests.Search, setting: Setting) -> _Asked:
    """Return what the plain text of a query says of time and of kinds of notes, and the rest.

    Slips are corrected in the words that say the time, or ask for notes of it: in "notes from
    febuary", which the correction makes a period.
    """
    if request.mode != ALL_LEGS:
        return _Asked(plain, plain[:SEARCHED_CHARACTERS_MAX])
    asked = _read(snapshot, plain, setting)
    searched = plain[:SEARCHED_CHARACTERS_MAX]
    slips = time_word_slips(snapshot, searched, setting.is_word) if request.fuzzy else []
    if not slips:
        return asked
    corrected = _read(snapshot, corrected_text(plain, slips), setting)
    used = _words_of_period(corrected)
    slips = [each for each in slips if each.corrected in used]
    if not slips:
        return asked
    return _read(snapshot, corrected_text(plain, slips), setting)._replace(slips=tuple(slips))


def _read(snapshot: Snapshot, plain: str, setting: Setting) -> _Asked:
    searched = plain[:SEARCHED_CHARACTERS_MAX]
    types = types_named(snapshot, searched)
    period, text = split_period(searched, setting.now_s, setting.zone, snapshot, types)
    kinds = named_kinds(snapshot, without_period(searched, period))
    return _Asked(plain, text, period, kinds, seasons_in(searched))


def _words_of_period(asked: _Asked) -> frozenset[str]:
    """Return the words that say the time, or ask for notes of it."""
    spans = (*asked.period.spans, *asked.period.asking) if asked.period is not None else ()
    return frozenset(
        run.casefold() for start, end in spans for run in runs_of(asked.plain[start:end])
    )


def _is_period_empty(found: Findings) -> bool:
    """Return whether the query asks for a time of which no note is."""
    hits = found.all_hits.get(TEMPORAL)
    has_none = hits is not None and not len(hits.note_ids)
    return found.period is not None and not found.is_of_period and has_none


def _may_be_a_topic(plain: str, period: Period | None) -> bool:
    """Return whether the words for a period may be what a note is about, as in "today's note".

    They are not where other words ask for notes of the period ("notes from last month").
    """
    if period is None or not period.asking:
        return True
    return any(
        plain[end:start].strip() in _POSSESSIVES
        for _, end in period.spans
        for start, _ in period.asking
        if end <= start
    )


def _within_period(snapshot: Snapshot, kept: Narrowed, period: Period) -> tuple[Narrowed, bool]:
    """Return a search narrowed to the notes of ``period``, and true; as it is if there are none."""
    allowed = notes_within(snapshot, period)
    if kept.allowed is not None:
        allowed &= kept.allowed
    return (replace(kept, allowed=allowed), True) if allowed.any() else (kept, False)


def find_corrected(
    snapshot: Snapshot, request: requests.Search, setting: Setting, found: Findings
) -> Slices[Findings | None]:
    """Return findings with spelling slips corrected in words that ``found`` took for right.

    ``None`` if there are no such slips. A slip may have the stem of another word of the vault.
    """
    if not request.fuzzy or found.is_list or found.matches.corrections:
        return None
    scope = Scope(snapshot, found.narrowed.allowed, setting.is_word)
    matches = yield from match_corrected(scope, found.matches.query)
    if matches is None:
        return None
    return (yield from _with_hits(replace(found, matches=matches), scope, request, setting))


def _with_hits(
    found: Findings,
    scope: Scope,
    request: requests.Search,
    setting: Setting,
    begun: Comparison | None = None,
) -> Slices[Findings]:
    """Return findings with the hits of the legs for its matches."""
    matches = found.matches
    all_hits: dict[str, PassageHits] = {}
    query = Query(
        terms=matches.query,
        word_hits=matches.hits,
        # If all notes searched are of the period, being of it ranks none of them.
        period=None if found.is_of_period and not found.asks_for_newest else found.period,
        now_s=setting.now_s,
        encode=setting.encode,
        noise=setting.noise,
        weights=setting.weights(scope.snapshot),
        earlier_hits=all_hits,
        comparison=begun,
    )
    mode: str = request.mode
    for leg in setting.legs:  # a leg may start from the hits of earlier ones
        all_hits[leg.name] = leg.find(scope.snapshot, query, scope.allowed)
        if leg.name == mode:
            break
        yield PAUSE
    shown = all_hits if mode == ALL_LEGS else {mode: all_hits[mode]}
    if matches.query.words and not any(len(hits.note_ids) for hits in shown.values()):
        matches = yield from match_word_parts(scope, found.asked)
        return replace(found, matches=matches).with_hits({KEYWORD: matches.hits})
    return replace(found, hits_by_leg=shown, all_hits=all_hits)


def _titled(scope: Scope, text: str, parsed: ParsedQuery, period: Period | None) -> PassageHits:
    """Return the notes with the words of the query in their title, if it has only stop words."""
    is_for_titles = period is None and not parsed.phrases
    if is_for_titles and has_only_stop_words(text, scope.snapshot.languages.stop_words):
        return notes_titled(scope.snapshot, text, scope.allowed)
    return NO_HITS
