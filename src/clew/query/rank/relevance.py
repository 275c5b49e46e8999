"""How much each symbol of the vault has to do with a query: notes, headings and concepts.

By BM25 (mode ``fts``): notes by all their text, as search has it; headings and concepts by the
words of their names, each kind a collection of its own. By the legacy matcher: all by their names.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np

from clew.engine.derived.symbols import NO_NAME, SymbolNames
from clew.engine.snapshot import Snapshot
from clew.index.formulas.bm25 import inverse_frequency, length_norm, saturation
from clew.index.symbol_words import NameTable
from clew.query.rank.legacy import folded, relevance_of_names
from clew.query.search.matching import FEW, Matching, Tier, by_parts, matching, respelt
from clew.query.search.query_terms import Asked
from clew.text.fuzzy import Correction
from clew.values.arrays import Float64Array, Int32Array


@dataclass(frozen=True, slots=True, eq=False)
class Relevance:
    """What a query has to do with each symbol, 0..1; arrays as those of ``Symbols``."""

    asked: Asked  # as answered
    tier: Tier
    notes: Float64Array
    headings: Float64Array
    concepts: Float64Array
    corrections: tuple[Correction, ...] = ()

    @property
    def count(self) -> int:
        """How many symbols it has anything to do with."""
        return sum(
            int(np.count_nonzero(each)) for each in (self.notes, self.headings, self.concepts)
        )


def by_words(snapshot: Snapshot, names: SymbolNames, wanted: Asked, *, fuzzy: bool) -> Relevance:
    """Return the relevance of symbols by BM25.

    Of a note, as a share of the best note's score; of a name, as a share of what the query's words
    alone would score as a name. A word that some name has is not taken for another.
    """
    own = _terms_of_names(snapshot, names, wanted)
    matched = matching(snapshot, wanted, None, fuzzy=fuzzy, own=own)
    found = _matched(snapshot, names, matched)
    return found if found.count else _matched(snapshot, names, by_parts(snapshot, wanted, None))


def _terms_of_names(snapshot: Snapshot, names: SymbolNames, wanted: Asked) -> AbstractSet[str]:
    """Return which of the terms asked for stand in the name of a heading or concept."""
    symbols = names.symbols(snapshot)
    kinds = [_Named(names.written, symbols.headings), _Named(names.concepts, symbols.concepts)]
    return {
        term
        for term in wanted.terms
        if any(kind.count_of(kind.table.words_of_term(term)) for kind in kinds)
    }


def _matched(snapshot: Snapshot, names: SymbolNames, matched: Matching) -> Relevance:
    symbols = names.symbols(snapshot)
    notes = matched.scores
    if matched.tier != "keyword" and len(matched.hits.notes):
        notes = notes / notes.max()
    headings = _Named(names.written, symbols.headings)
    concepts = _Named(names.concepts, symbols.concepts)
    groups = _groups(snapshot, concepts, matched)
    return Relevance(
        asked=matched.asked,
        tier=matched.tier,
        notes=notes,
        headings=headings.relevance(groups),
        concepts=concepts.relevance(groups),
        corrections=matched.corrections,
    )


def _groups(snapshot: Snapshot, concepts: "_Named", matched: Matching) -> list[AbstractSet[str]]:
    """Return the words that count for each term: those of texts, and of concepts no text shows.

    Only of terms that stand somewhere at this revision.
    """
    keyword = snapshot.passages.keyword
    groups: list[set[str]] = [set(each) for each in matched.forms]
    for term in matched.asked.terms:
        own = concepts.table.words_of_term(term)
        written = set(keyword.ids_of_term(term))
        places = (place for place, ids in enumerate(matched.ids) if not written.isdisjoint(ids))
        place = next(places, None)
        if place is not None:
            groups[place].update(own)
        else:
            groups.append(set(own))
    ids = [[n for word in each if (n := keyword.id_of(word)) is not None] for each in groups]
    standing = snapshot.passages.words_in_use(ids)
    return [
        group
        for group, found in zip(groups, standing, strict=True)
        if found or concepts.count_of(group)
    ]


class _Named:
    """Symbols of one kind by the words of their names, statistics those of this revision."""

    def __init__(self, table: NameTable, symbols: Int32Array) -> None:
        self.table, self._symbols = table, symbols
        self._times = np.bincount(symbols[symbols != NO_NAME], minlength=len(table))

    def count_of(self, words: Iterable[str]) -> int:
        """Return how many symbols hold any of ``words``."""
        return int(self._times[self.table.names_with_any_word(words)[0]].sum())

    def relevance(self, groups: Sequence[AbstractSet[str]]) -> Float64Array:
        """Return the relevance of each symbol to terms, each given as the words that count."""
        count = int(self._times.sum())
        if not count or not groups:
            return np.zeros(len(self._symbols))
        lengths = self.table.lengths.astype(np.float64)
        mean = max(1.0, float((lengths * self._times).sum()) / count)
        norms = length_norm(lengths, mean)
        scores, whole = np.zeros(len(self.table)), 0.0
        norm = length_norm(np.full(1, float(len(groups))), mean)
        for words in groups:
            found, counts = self.table.names_with_any_word(words)
            weight = inverse_frequency(count, int(self._times[found].sum()))
            scores[found] += weight * saturation(counts, norms[found])
            whole += weight * float(saturation(np.ones(1), norm)[0])
        return _of_symbols(np.minimum(1.0, scores / whole), self._symbols)


def _of_symbols(of_names: Float64Array, symbols: Int32Array) -> Float64Array:
    """Return what holds for names for the symbols that have them."""
    # The last place stands for no name.
    return np.append(of_names, 0.0)[symbols]


def by_legacy(snapshot: Snapshot, names: SymbolNames, wanted: Asked, *, fuzzy: bool) -> Relevance:
    """Return the relevance of symbols by the legacy matcher."""
    found = _legacy(snapshot, names, wanted, "keyword")
    if found.count >= FEW or not fuzzy:
        return found
    own = _terms_of_names(snapshot, names, wanted)
    corrected, corrections = respelt(snapshot, wanted, own)
    if not corrections:
        return found
    nearest = _legacy(snapshot, names, corrected, "fuzzy", corrections)
    return nearest if nearest.count > found.count else found


def _legacy(
    snapshot: Snapshot,
    names: SymbolNames,
    wanted: Asked,
    tier: Tier,
    corrections: tuple[Correction, ...] = (),
) -> Relevance:
    symbols = names.symbols(snapshot)
    query = folded(wanted.text)
    written = relevance_of_names(query, names.written)
    return Relevance(
        asked=wanted,
        tier=tier,
        notes=_of_symbols(written, symbols.titles),
        headings=_of_symbols(written, symbols.headings),
        concepts=_of_symbols(relevance_of_names(query, names.concepts), symbols.concepts),
        corrections=corrections,
    )
