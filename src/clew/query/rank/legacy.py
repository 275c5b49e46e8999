"""The legacy matcher of ``rank``: what a symbol's name has to do with the query, and its weight."""

from dataclasses import dataclass

import numpy as np

from clew.index.symbol_words import NameTable
from clew.values.arrays import Float64Array

EXACT = 1.0
CONTAINS = 0.7
ANY_WORD = 0.4
RELEVANCE_WEIGHT = 0.6
IMPORTANCE_WEIGHT = 0.4
WORDS_MAX = 64  # of a query that names are searched for


@dataclass(frozen=True, slots=True)
class Folded:
    """A query as names are compared with it."""

    whole: str
    words: tuple[str, ...]  # each once


def folded(query: str) -> Folded:
    """Fold a query, and cut it into the words that white space parts."""
    whole = query.strip().casefold()
    return Folded(whole, tuple(dict.fromkeys(whole.split()[:WORDS_MAX])))


def legacy_relevance(query: Folded, name: str) -> float:
    """Return how much ``name`` is what ``query`` says, in whatever case.

    1.0 where it is the query, 0.7 where it contains it, 0.4 where it contains any of its words,
    else 0. A query of white space alone is nothing's name.
    """
    found = name.strip().casefold()
    if not query.whole:
        return 0.0
    if query.whole == found:
        return EXACT
    if query.whole in found:
        return CONTAINS
    return ANY_WORD if any(word in found for word in query.words) else 0.0


def relevance_of_names(query: Folded, table: NameTable) -> Float64Array:
    """Return the relevance of each name; what is joined by hyphens counts as words too."""
    word_counts = np.zeros(len(table), np.int64)
    for word in query.words:
        word_counts[table.names_containing(word)] += 1
    scores = np.where(word_counts > 0, ANY_WORD, 0.0)
    # What holds the whole query holds each of its words; few names do.
    for number in np.flatnonzero(word_counts == len(query.words)).tolist():
        name = table.text(number)
        apart = legacy_relevance(query, name.replace("-", " "))
        scores[number] = max(apart, legacy_relevance(query, name))
    return scores


def legacy_score(relevance: Float64Array, importance: Float64Array) -> Float64Array:
    """Return ``0.6 * relevance + 0.4 * importance`` of each symbol; in [0, 1] where both are."""
    return RELEVANCE_WEIGHT * relevance + IMPORTANCE_WEIGHT * importance
