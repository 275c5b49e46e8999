"""Matching of query words in tiers: exact terms, longer words, spelling correction, word parts.

A reply names the tier that answered. ``match_words`` tries three of them:

- ``bm25``: the words of the vault that have the same stem as a query word, and those that join two
  neighbours of the query (``clockdrift`` for "clock drift"). If ``FEW_NOTES`` notes or more contain
  one, the next tier is skipped.
- ``trigram``: also the words that contain a query word of ``LETTERS_MIN`` letters or more. Kept if
  it finds more notes, and final if it finds ``FEW_NOTES``; those of the first tier come first. A
  query word that is two words of the vault in one is split (``tidegauge``), unless a part is none
  as it stands and the whole is a slip. If few notes were found
  in the end, words that share most of their trigrams with a word that could not be corrected are
  tried too.
- ``fuzzy``: query words that the vault does not know are replaced by the vault's nearest word,
  unless the model knows them (``spelling.may_be_misspelt``).
  If exact terms found few notes, every unknown word is corrected. If they found enough, only
  obvious slips are (``spelling.is_slip``): most unknown words are then right, and the nearest word
  means something else. If the vault knows no word of the query, only likely corrections are made
  (``spelling.likely_corrections``). The result is kept if it has more notes, or as many notes with
  others of the terms. A slip in a stop word (``teh``) leaves that word out.

- ``keyword``, the last resort, is ``match_word_parts``. Search turns to it when no leg found any
  note: words that contain a query word of any length, notes ordered by how many query words match.

All tiers but the first search the words of the vault (``vocabulary``). Filters limit which notes
are found, never what statistics are taken from.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, NamedTuple

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.highest import ordered
from clew.query.search.fallbacks.compounds import (
    has_both_words,
    splits_of,
    with_joined_words,
)
from clew.query.search.fallbacks.similar_words import words_similar
from clew.query.search.fallbacks.vocabulary import corrections_of, words_containing
from clew.query.search.legs.keyword import keyword_hits, notes_holding
from clew.query.search.legs.word_scores import TermSlots, WordScores, score_words, scores_by_note
from clew.query.search.passage_hits import HITS_MAX, PassageHits, with_passages
from clew.query.search.query_terms import QueryTerms
from clew.query.search.spelling import (
    IsWord,
    corrected_query,
    is_slip,
    likely_corrections,
    may_be_misspelt,
    may_hold_slip,
    no_word,
    occurs,
    stop_word_slips,
    unknown_words,
)
from clew.query.slices import PAUSE, Slices
from clew.text.similarity.fuzzy import CORRECTIONS_MAX, Correction
from clew.values.arrays import BoolArray, Float64Array

FEW_NOTES = 3  # fewer notes than this, and the next tier is tried
LETTERS_MIN = 3  # a shorter query word is not looked for inside longer words
CONTAINING_MAX = 100  # longer words that are tried for one query word

Tier = Literal["bm25", "trigram", "fuzzy", "keyword"]


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """The notes that words are matched in."""

    snapshot: Snapshot
    allowed: BoolArray | None  # by note id; ``None``: all notes
    is_word: IsWord = no_word  # whether a word is right, though no note has it

    def has_only(self, count: int) -> bool:
        """Return whether filters leave so many notes, so that no words can find more of them."""
        return self.allowed is not None and np.count_nonzero(self.allowed) == count


class Asked(NamedTuple):
    """The word of a query that a term is for."""

    word: str
    is_exact: bool  # the vault has the word, by its stem or joined with its neighbour


Group = tuple[Asked, Sequence[int]]  # the ids of the words that match a word of the query


@dataclass(frozen=True, slots=True, eq=False)
class WordMatches:
    """The notes that the words of a query match, and how they match."""

    query: QueryTerms  # with misspelt words corrected
    hits: PassageHits
    tier: Tier
    word_ids_by_term: Sequence[Sequence[int]]  # the vault's words that match each matching term
    asked_by_term: Sequence[Asked]  # what of the query each of these terms is for
    forms_by_term: Sequence[Sequence[str]]  # the same words as text, sorted
    scores: WordScores  # of these words
    corrections: tuple[Correction, ...] = ()
    shares: Float64Array | None = None  # tier "keyword": share of the query's words, by note id

    @property
    def slots_by_term(self) -> Sequence[TermSlots]:
        """Where the words of each term are."""
        return self.scores.terms

    @property
    def note_count(self) -> int:
        """How many notes match, up to ``HITS_MAX``."""
        return len(self.hits.note_ids)


def match_words(
    scope: Scope, query: QueryTerms, *, fuzzy: bool, known_terms: AbstractSet[str] = frozenset()
) -> Slices[WordMatches]:
    """Return the notes that contain words of ``query``.

    Words whose terms are in ``known_terms`` are never corrected.
    """
    if not query.words:
        return (yield from _ranked(scope, query, (), "bm25"))
    snapshot = scope.snapshot
    groups = _groups_of(snapshot, query)
    known_terms = known_terms | {
        term for term, (_, ids) in zip(query.terms, groups, strict=True) if ids
    }
    unknown = unknown_words(query, snapshot.languages, known_terms) if fuzzy else []
    exact = yield from _ranked(scope, query, groups, "bm25")
    has_enough = exact.note_count >= FEW_NOTES
    yield PAUSE
    matches = exact
    if not has_enough:
        matches = yield from _with_longer_words(scope, exact, groups)
    if not unknown or (not has_enough and matches.note_count >= FEW_NOTES):
        return matches
    misspelt = may_be_misspelt(unknown, query, scope.is_word)
    made = yield from _corrections(scope, misspelt, only_slips=has_enough)
    if not has_enough and not known_terms:
        made = likely_corrections(query, made, scope.is_word)
    matches = yield from _corrected(scope, matches, made)
    if matches.note_count < FEW_NOTES:
        corrected_words = {each.word for each in matches.corrections}
        uncorrected = [word for word in unknown if word not in corrected_words]
        matches = yield from _with_similar_words(scope, matches, uncorrected)
    return matches


def match_corrected(scope: Scope, query: QueryTerms) -> Slices[WordMatches | None]:
    """Return the matches with slips corrected in words that the vault does not have as typed.

    ``None`` if there are no such slips. The vault may have a word with the same stem.
    """
    snapshot = scope.snapshot
    typed = unknown_words(query, snapshot.languages, frozenset())
    doubtful = may_be_misspelt(typed, query, scope.is_word)
    doubtful = [word for word in doubtful if not occurs(snapshot, word)]
    made = yield from _corrections(scope, doubtful, only_slips=True)
    corrected = corrected_query(snapshot, query, made) if made else query
    if not made or not corrected.words:
        return None
    matches = yield from _ranked(scope, corrected, _groups_of(snapshot, corrected), "fuzzy")
    return replace(matches, corrections=tuple(made))


def match_word_parts(scope: Scope, query: QueryTerms) -> Slices[WordMatches]:
    """Return the notes with words that contain query words.

    The notes in which most of the query words match come first.
    """
    snapshot = scope.snapshot
    longer = yield from _longer_words(snapshot, query.words)
    groups = [group for group in longer if group[1]]
    ids_by_word = [ids for _, ids in groups]
    counts = np.zeros(snapshot.graph.note_slots)  # of matching query words, by note id
    for word_ids in ids_by_word:
        counts[notes_holding(snapshot, word_ids)] += 1.0
    shares = counts / max(1, len(query.words))
    scores = yield from score_words(snapshot, ids_by_word)
    note_ids = np.flatnonzero(counts if scope.allowed is None else counts * scope.allowed)
    by_note = yield from scores_by_note(snapshot.derived.layout, scores, note_ids)
    note_ids = ordered(note_ids, by_note, snapshot.graph.path)
    note_ids = note_ids[np.argsort(-counts[note_ids], kind="stable")][:HITS_MAX]
    hits = with_passages(note_ids, shares[note_ids], scores.own, snapshot.derived.layout)
    forms = _forms(snapshot, ids_by_word)
    asked = [each for each, _ in groups]
    return WordMatches(query, hits, "keyword", ids_by_word, asked, forms, scores, shares=shares)


def word_ids_by_term(snapshot: Snapshot, terms: Sequence[str]) -> list[list[int]]:
    """Return for each term the ids of the indexed words with that stem."""
    passages = snapshot.passages
    return passages.words_in_use(list(map(passages.keyword.ids_of_term, terms)))


def _groups_of(snapshot: Snapshot, query: QueryTerms) -> list[Group]:
    """Return the word ids of each term of ``query``, and of words that join two of its words."""
    ids_by_term = with_joined_words(snapshot, query, word_ids_by_term(snapshot, query.terms))
    term_of = snapshot.languages.term_of
    word_by_term = {term_of(word): word for word in reversed(query.words)}
    return [
        (Asked(word_by_term[term], is_exact=bool(ids)), ids)
        for term, ids in zip(query.terms, ids_by_term, strict=True)
    ]


def _corrections(
    scope: Scope, unknown: Sequence[str], *, only_slips: bool
) -> Slices[list[Correction]]:
    """Return the corrections of words that the vault does not have."""
    snapshot = scope.snapshot
    splits = yield from splits_of(snapshot, unknown)
    made = {each.word: each for each in (*stop_word_slips(snapshot, unknown), *splits)}
    # "regularisation" has the stems of "regulate" and "arise", and is a slip of one letter.
    doubtful = {each.word for each in splits if not has_both_words(snapshot, each)}
    misspelt = [word for word in unknown if word not in made or word in doubtful]
    if only_slips:
        misspelt = list(filter(may_hold_slip, misspelt))
    nearest = yield from corrections_of(snapshot.passages, misspelt)
    stop_words = snapshot.languages.stop_words
    for each in nearest:
        if each.stems is not None and scope.is_word(each.word):
            continue  # "workers" is no slip for "wormer"
        # Correcting to a stop word drops the word from the query, so only sure slips may do that.
        is_split = each.word in made
        may_be_made = not is_split and not only_slips and each.corrected not in stop_words
        is_sure = is_slip(each) and (not is_split or each.stems is None)
        if is_sure or may_be_made:
            made[each.word] = each
    return [made[word] for word in unknown if word in made]


def _with_longer_words(
    scope: Scope, exact: WordMatches, by_term: Sequence[Group]
) -> Slices[WordMatches]:
    """Return the matches of the second tier, or ``exact`` if that tier finds no more notes."""
    parts = [word for word in exact.query.words if len(word) >= LETTERS_MIN]
    if not parts or scope.has_only(exact.note_count):
        return exact
    longer = yield from _longer_words(scope.snapshot, parts)
    more = yield from _with_more_words(scope, exact, _merged(by_term, longer))
    return replace(more, hits=more.hits.with_first(exact.hits.note_ids))


def _with_similar_words(
    scope: Scope, matches: WordMatches, unknown: Iterable[str]
) -> Slices[WordMatches]:
    """Return the matches with words similar to the ``unknown`` ones, or ``matches``."""
    found = list(zip(matches.asked_by_term, matches.word_ids_by_term, strict=True))
    similar: list[Group] = []
    for word in islice(unknown, CORRECTIONS_MAX):
        ids = yield from words_similar(scope.snapshot.passages, word)
        # Other words of the query stay terms of their own.
        taken = {id_ for asked, own in found if asked.word != word for id_ in own}
        similar.append((Asked(word, is_exact=False), [id_ for id_ in ids if id_ not in taken]))
    if not any(ids for _, ids in similar):
        return matches
    groups = _merged(found, similar)
    more = yield from _with_more_words(scope, matches, groups)
    return replace(more, corrections=matches.corrections)


def _with_more_words(
    scope: Scope, matches: WordMatches, groups: Sequence[Group]
) -> Slices[WordMatches]:
    """Return the matches of these words if there are more of them, else ``matches``."""
    more = yield from _ranked(scope, matches.query, groups, "trigram")
    return more if more.note_count > matches.note_count else matches


def _merged(by_term: Sequence[Group], longer: Sequence[Group]) -> list[Group]:
    """Return groups of word ids; each group is treated as one term.

    A group of ``longer`` takes in the terms with which it shares a word; other terms stay alone.
    """
    exact = {asked.word for asked, ids in by_term if asked.is_exact and ids}
    groups = [set(ids) for _, ids in longer]
    for _, term_ids in by_term:
        for group in groups:
            if not group.isdisjoint(term_ids):
                group.update(term_ids)
    covered = set().union(*groups)
    alone = [(asked, ids) for asked, ids in by_term if ids and covered.isdisjoint(ids)]
    merged = [
        (asked._replace(is_exact=asked.word in exact), sorted(group))
        for (asked, _), group in zip(longer, groups, strict=True)
        if group
    ]
    return [*merged, *alone]


def _corrected(
    scope: Scope, matches: WordMatches, made: Sequence[Correction]
) -> Slices[WordMatches]:
    """Return the matches of the corrected query, or ``matches`` if those are not better."""
    if not made:
        return matches
    query = corrected_query(scope.snapshot, matches.query, made)
    if not query.words:
        return matches
    groups = _groups_of(scope.snapshot, query)
    tier: Tier = "trigram" if all(" " in each.corrected for each in made) else "fuzzy"
    corrected = yield from _ranked(scope, query, groups, tier)
    if not _is_better(corrected, matches):
        return matches
    return replace(corrected, corrections=tuple(made))


def _is_better(corrected: WordMatches, matches: WordMatches) -> bool:
    """Return whether ``corrected`` has more notes, or as many for other terms of the first tier.

    Its terms may be fewer, if misspelt stop words are left out.
    """
    if corrected.note_count != matches.note_count:
        return corrected.note_count > matches.note_count
    terms, terms_before = set(corrected.query.terms), set(matches.query.terms)
    is_shorter = len(corrected.query.words) < len(matches.query.words)
    return matches.tier == "bm25" and (not terms <= terms_before or is_shorter)


def _ranked(
    scope: Scope, query: QueryTerms, groups: Sequence[Group], tier: Tier
) -> Slices[WordMatches]:
    """Return the notes that contain any of these words, ranked by BM25."""
    snapshot = scope.snapshot
    asked = [each for each, ids in groups if ids]
    word_ids = [ids for _, ids in groups if ids]
    scores = yield from score_words(snapshot, word_ids)
    term_of = snapshot.languages.term_of
    lacking = set(query.terms).difference(term_of(each.word) for each in asked)
    hits = yield from keyword_hits(snapshot, scores, scope.allowed, len(lacking))
    forms = _forms(snapshot, word_ids)
    return WordMatches(query, hits, tier, word_ids, asked, forms, scores)


def _forms(snapshot: Snapshot, groups: Sequence[Sequence[int]]) -> list[list[str]]:
    words = snapshot.passages.keyword.words
    return [sorted(words[word_id] for word_id in group) for group in groups]


def _longer_words(snapshot: Snapshot, parts: Iterable[str]) -> Slices[list[Group]]:
    """Return for each of ``parts`` the ids of the most frequent words that contain it."""
    longer: list[Group] = []
    for part in parts:
        ids = yield from words_containing(snapshot.passages, part, CONTAINING_MAX)
        longer.append((Asked(part, is_exact=False), ids))
    return longer
