"""The relevance of each symbol of the vault to a query: notes, headings and concepts.

Mode ``fts`` scores by BM25: notes by all their text, as search does; headings and concepts by the
words of their names, each kind a collection of its own. Mode ``legacy`` compares names as text.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.engine.symbols import SymbolIndex
from clew.index.formulas.bm25 import inverse_frequency, length_norm, saturation
from clew.index.symbol_words import NameWords
from clew.query.rank.legacy import folded_query, relevance_of_names
from clew.query.search.fallbacks.vocabulary import corrections_of
from clew.query.search.legs.word_scores import scores_by_note
from clew.query.search.matching import (
    FEW_NOTES,
    Scope,
    Tier,
    WordMatches,
    match_word_parts,
    match_words,
    word_ids_by_term,
)
from clew.query.search.query_terms import QueryTerms
from clew.query.search.spelling import corrected_query, unknown_words
from clew.query.slices import PAUSE, Slices
from clew.text.similarity.fuzzy import Correction
from clew.values.arrays import Float64Array, Int32Array


@dataclass(frozen=True, slots=True, eq=False)
class Relevance:
    """The relevance of each symbol, 0..1."""

    query: QueryTerms  # with misspelt words corrected
    tier: Tier
    by_note: Float64Array  # by note id
    by_heading: Float64Array  # by slot of ``SymbolIndex``
    by_concept: Float64Array  # by concept id
    corrections: tuple[Correction, ...] = ()

    @property
    def count(self) -> int:
        """The number of symbols with a relevance above 0."""
        arrays = (self.by_note, self.by_heading, self.by_concept)
        return sum(int(np.count_nonzero(relevance)) for relevance in arrays)


# -- mode "fts" -----------------------------------------------------------------------------------


def bm25_relevance(scope: Scope, query: QueryTerms, *, fuzzy: bool) -> Slices[Relevance]:
    """Return the relevance of symbols by BM25.

    A note's relevance is its score divided by the best note's. A name's relevance is its score
    divided by that of a name with just the words of the query. A word that occurs in a name is not
    corrected.
    """
    known_terms = _terms_of_names(scope.snapshot, query)
    matches = yield from match_words(scope, query, fuzzy=fuzzy, known_terms=known_terms)
    relevance = yield from _relevance_of_matches(scope.snapshot, matches)
    if relevance.count:
        return relevance
    matches = yield from match_word_parts(scope, query)
    return (yield from _relevance_of_matches(scope.snapshot, matches))


def _terms_of_names(snapshot: Snapshot, query: QueryTerms) -> AbstractSet[str]:
    """Return the terms of ``query`` that occur in the name of a heading or concept."""
    kinds = [_headings(snapshot), _concepts(snapshot)]
    return {
        term
        for term in query.terms
        if any(kind.count_of(kind.names.words_of_term(term)) for kind in kinds)
    }


def _relevance_of_matches(snapshot: Snapshot, matches: WordMatches) -> Slices[Relevance]:
    by_note = matches.shares
    if by_note is None:
        matching_notes = np.flatnonzero(matches.scores.of_notes)
        by_note = yield from scores_by_note(snapshot.derived.layout, matches.scores, matching_notes)
        by_note /= by_note.max(initial=0.0) or 1.0
        yield PAUSE
    headings, concepts = _headings(snapshot), _concepts(snapshot)
    words_by_term = _words_by_term(snapshot, concepts, matches)
    return Relevance(
        query=matches.query,
        tier=matches.tier,
        by_note=by_note,
        by_heading=_by_heading(headings.relevance(words_by_term), snapshot.symbols),
        by_concept=np.where(concepts.counts > 0, concepts.relevance(words_by_term), 0.0),
        corrections=matches.corrections,
    )


def _words_by_term(
    snapshot: Snapshot, concepts: "_Kind", matches: WordMatches
) -> list[AbstractSet[str]]:
    """Return the words that match each term: words of texts, and of names of concepts.

    A concept's name need not occur in any text. Terms that occur nowhere at this revision are
    left out.
    """
    keyword = snapshot.passages.keyword
    groups: list[set[str]] = [set(forms) for forms in matches.forms_by_term]
    for term in matches.query.terms:
        words_in_names = concepts.names.words_of_term(term)
        term_ids = set(keyword.ids_of_term(term))
        for index, word_ids in enumerate(matches.word_ids_by_term):
            if not term_ids.isdisjoint(word_ids):
                groups[index].update(words_in_names)
                break
        else:
            groups.append(set(words_in_names))
    ids = [[n for word in group if (n := keyword.id_of(word)) is not None] for group in groups]
    live_ids = snapshot.passages.words_in_use(ids)
    return [
        group
        for group, live in zip(groups, live_ids, strict=True)
        if live or concepts.count_of(group)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Kind:
    """The symbols of one kind, by the words of their names; statistics count this kind only."""

    names: NameWords
    counts: Int32Array  # of symbols, by name
    symbol_count: int
    word_count: int  # in the names of all symbols

    def count_of(self, words: Iterable[str]) -> int:
        """Return the number of symbols with any of ``words`` in their names."""
        return int(self.counts[self.names.names_with_any_word(words)[0]].sum())

    def relevance(self, words_by_term: Sequence[AbstractSet[str]]) -> Float64Array:
        """Return the relevance of each name to terms; a term is given as its matching words."""
        scores, query_score = np.zeros(len(self.names)), 0.0
        if not self.symbol_count or not words_by_term:
            return scores
        mean_length = max(1.0, self.word_count / self.symbol_count)
        query_norm = length_norm(np.full(1, float(len(words_by_term))), mean_length)
        for words in words_by_term:
            names, counts = self.names.names_with_any_word(words)
            weight = inverse_frequency(self.symbol_count, int(self.counts[names].sum()))
            norms = length_norm(self.names.lengths[names].astype(np.float64), mean_length)
            scores[names] += weight * saturation(counts, norms)
            query_score += weight * float(saturation(np.ones(1), query_norm)[0])
        return np.minimum(1.0, scores / query_score)


def _headings(snapshot: Snapshot) -> _Kind:
    symbols = snapshot.symbols
    return _Kind(symbols.texts, symbols.heading_counts, *symbols.heading_totals)


def _concepts(snapshot: Snapshot) -> _Kind:
    names, is_mentioned = snapshot.symbols.concepts, snapshot.graph.note_counts > 0
    word_count = int(names.lengths[is_mentioned].sum())
    counts = is_mentioned.astype(np.int32)
    return _Kind(names, counts, int(np.count_nonzero(is_mentioned)), word_count)


def _by_heading(relevance_by_text: Float64Array, symbols: SymbolIndex) -> Float64Array:
    """Return the relevance of each heading's name, by slot."""
    return _by_symbol(relevance_by_text, symbols.name_by_heading)


def _by_symbol(relevance_by_name: Float64Array, name_by_symbol: Int32Array) -> Float64Array:
    """Return the relevance of each symbol's name; 0.0 for ``NO_NAME``, the last index."""
    return np.append(relevance_by_name, 0.0)[name_by_symbol]


# -- mode "legacy" --------------------------------------------------------------------------------


def legacy_relevance_of_symbols(
    scope: Scope, query: QueryTerms, *, fuzzy: bool
) -> Slices[Relevance]:
    """Return the relevance of symbols by the legacy matcher.

    If few symbols are relevant, misspelt words are corrected, provided that this finds more.
    """
    snapshot = scope.snapshot
    relevance = _legacy(snapshot, query, "keyword")
    if relevance.count >= FEW_NOTES or not fuzzy:
        return relevance
    ids_by_term = word_ids_by_term(snapshot, query.terms)
    terms_of_texts = {term for term, ids in zip(query.terms, ids_by_term, strict=True) if ids}
    known_terms = _terms_of_names(snapshot, query) | terms_of_texts
    misspelt = unknown_words(query, snapshot.languages, known_terms)
    if not misspelt:
        return relevance
    corrections = yield from corrections_of(snapshot.passages, misspelt)
    if not corrections:
        return relevance
    corrected = corrected_query(snapshot, query, corrections)
    nearest = _legacy(snapshot, corrected, "fuzzy", tuple(corrections))
    return nearest if nearest.count > relevance.count else relevance


def _legacy(
    snapshot: Snapshot,
    query: QueryTerms,
    tier: Tier,
    corrections: tuple[Correction, ...] = (),
) -> Relevance:
    folded = folded_query(query.text)
    symbols = snapshot.symbols
    by_text = relevance_of_names(folded, symbols.texts)
    by_concept = relevance_of_names(folded, symbols.concepts)
    return Relevance(
        query=query,
        tier=tier,
        by_note=_by_symbol(by_text, symbols.titles),
        by_heading=_by_heading(by_text, symbols),
        by_concept=np.where(snapshot.graph.note_counts > 0, by_concept, 0.0),
        corrections=corrections,
    )
