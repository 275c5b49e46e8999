"""The relevance of each symbol of the vault to a query: notes, headings and concepts.

Mode ``fts`` scores by BM25: notes by all their text, as search does; headings and concepts by the
words of their names, each kind a collection of its own. Mode ``legacy`` compares names as text.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np

from clew.engine.derived.symbols import NO_NAME, Symbols
from clew.engine.snapshot import Snapshot
from clew.index.formulas.bm25 import inverse_frequency, length_norm, saturation
from clew.index.symbol_words import NameTable
from clew.query.rank.legacy import folded_query, relevance_of_names
from clew.query.search.matching import (
    FEW_NOTES,
    Scope,
    Tier,
    WordMatches,
    match_word_parts,
    match_words,
    vocabulary_of,
    word_ids_by_term,
)
from clew.query.search.query_terms import QueryTerms
from clew.query.search.spelling import corrected_query, unknown_words
from clew.query.slices import Slices
from clew.text.fuzzy import Correction, correct
from clew.values.arrays import Float64Array, Int32Array


@dataclass(frozen=True, slots=True, eq=False)
class Relevance:
    """The relevance of each symbol, 0..1; arrays are parallel to those of ``Symbols``."""

    query: QueryTerms  # with misspelt words corrected
    tier: Tier
    by_note: Float64Array
    by_heading: Float64Array
    by_concept: Float64Array
    corrections: tuple[Correction, ...] = ()

    @property
    def count(self) -> int:
        """The number of symbols with a relevance above 0."""
        arrays = (self.by_note, self.by_heading, self.by_concept)
        return sum(int(np.count_nonzero(relevance)) for relevance in arrays)


# -- mode "fts" -----------------------------------------------------------------------------------


def bm25_relevance(
    scope: Scope, symbols: Symbols, query: QueryTerms, *, fuzzy: bool
) -> Slices[Relevance]:
    """Return the relevance of symbols by BM25.

    That of a note is its score divided by the best note's; that of a name is its score divided by
    that of a name with just the words of the query. A word that occurs in a name is not corrected.
    """
    known_terms = _terms_of_names(symbols, query)
    matches = yield from match_words(scope, query, fuzzy=fuzzy, known_terms=known_terms)
    relevance = _relevance_of_matches(scope.snapshot, symbols, matches)
    if relevance.count:
        return relevance
    matches = yield from match_word_parts(scope, query)
    return _relevance_of_matches(scope.snapshot, symbols, matches)


def _terms_of_names(symbols: Symbols, query: QueryTerms) -> AbstractSet[str]:
    """Return the terms of ``query`` that occur in the name of a heading or concept."""
    kinds = [_headings(symbols), _concepts(symbols)]
    return {
        term
        for term in query.terms
        if any(kind.count_of(kind.table.words_of_term(term)) for kind in kinds)
    }


def _relevance_of_matches(snapshot: Snapshot, symbols: Symbols, matches: WordMatches) -> Relevance:
    by_note = matches.scores_by_note
    if matches.tier != "keyword" and matches.note_count:
        by_note = by_note / by_note.max()
    concepts = _concepts(symbols)
    words_by_term = _words_by_term(snapshot, concepts, matches)
    return Relevance(
        query=matches.query,
        tier=matches.tier,
        by_note=by_note,
        by_heading=_headings(symbols).relevance(words_by_term),
        by_concept=concepts.relevance(words_by_term),
        corrections=matches.corrections,
    )


def _words_by_term(
    snapshot: Snapshot, concepts: "_NamedSymbols", matches: WordMatches
) -> list[AbstractSet[str]]:
    """Return the words that match each term: words of texts, and of names of concepts.

    A concept's name need not occur in any text. Terms that occur nowhere at this revision are
    left out.
    """
    keyword = snapshot.passages.keyword
    groups: list[set[str]] = [set(forms) for forms in matches.forms_by_term]
    for term in matches.query.terms:
        words_in_names = concepts.table.words_of_term(term)
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


class _NamedSymbols:
    """The symbols of one kind, by the words of their names; statistics are those of the kind."""

    def __init__(self, table: NameTable, name_by_symbol: Int32Array) -> None:
        self.table, self._name_by_symbol = table, name_by_symbol
        named = name_by_symbol[name_by_symbol != NO_NAME]
        self._symbol_counts = np.bincount(named, minlength=len(table))  # by name

    def count_of(self, words: Iterable[str]) -> int:
        """Return the number of symbols with any of ``words`` in their names."""
        return int(self._symbol_counts[self.table.names_with_any_word(words)[0]].sum())

    def relevance(self, words_by_term: Sequence[AbstractSet[str]]) -> Float64Array:
        """Return the relevance of each symbol to terms; a term is given as its matching words."""
        symbol_count = int(self._symbol_counts.sum())
        if not symbol_count or not words_by_term:
            return np.zeros(len(self._name_by_symbol))
        lengths = self.table.lengths.astype(np.float64)
        mean_length = max(1.0, float((lengths * self._symbol_counts).sum()) / symbol_count)
        norms = length_norm(lengths, mean_length)
        query_norm = length_norm(np.full(1, float(len(words_by_term))), mean_length)
        scores, query_score = np.zeros(len(self.table)), 0.0
        for words in words_by_term:
            names, counts = self.table.names_with_any_word(words)
            weight = inverse_frequency(symbol_count, int(self._symbol_counts[names].sum()))
            scores[names] += weight * saturation(counts, norms[names])
            query_score += weight * float(saturation(np.ones(1), query_norm)[0])
        return _by_symbol(np.minimum(1.0, scores / query_score), self._name_by_symbol)


def _headings(symbols: Symbols) -> _NamedSymbols:
    return _NamedSymbols(symbols.text_names, symbols.name_by_heading)


def _concepts(symbols: Symbols) -> _NamedSymbols:
    return _NamedSymbols(symbols.concept_names, symbols.name_by_concept)


def _by_symbol(relevance_by_name: Float64Array, name_by_symbol: Int32Array) -> Float64Array:
    """Return the relevance of each symbol's name; 0.0 for ``NO_NAME``, the last index."""
    return np.append(relevance_by_name, 0.0)[name_by_symbol]


# -- mode "legacy" --------------------------------------------------------------------------------


def legacy_relevance_of_symbols(
    scope: Scope, symbols: Symbols, query: QueryTerms, *, fuzzy: bool
) -> Slices[Relevance]:
    """Return the relevance of symbols by the legacy matcher.

    If few symbols are relevant, misspelt words are corrected, provided that this finds more.
    """
    relevance = _legacy(symbols, query, "keyword")
    if relevance.count >= FEW_NOTES or not fuzzy:
        return relevance
    snapshot = scope.snapshot
    ids_by_term = word_ids_by_term(snapshot, query.terms)
    terms_of_texts = {term for term, ids in zip(query.terms, ids_by_term, strict=True) if ids}
    known_terms = _terms_of_names(symbols, query) | terms_of_texts
    misspelt = unknown_words(query, snapshot.language, known_terms)
    if not misspelt:
        return relevance
    vocabulary = yield from vocabulary_of(snapshot)
    corrections = tuple(correct(misspelt, vocabulary))
    if not corrections:
        return relevance
    corrected = corrected_query(snapshot, query, corrections)
    nearest = _legacy(symbols, corrected, "fuzzy", corrections)
    return nearest if nearest.count > relevance.count else relevance


def _legacy(
    symbols: Symbols,
    query: QueryTerms,
    tier: Tier,
    corrections: tuple[Correction, ...] = (),
) -> Relevance:
    folded = folded_query(query.text)
    by_text_name = relevance_of_names(folded, symbols.text_names)
    by_concept_name = relevance_of_names(folded, symbols.concept_names)
    return Relevance(
        query=query,
        tier=tier,
        by_note=_by_symbol(by_text_name, symbols.title_by_note),
        by_heading=_by_symbol(by_text_name, symbols.name_by_heading),
        by_concept=_by_symbol(by_concept_name, symbols.name_by_concept),
        corrections=corrections,
    )
