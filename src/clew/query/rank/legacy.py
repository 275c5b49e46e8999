"""The legacy matcher of ``rank``: compares the names of symbols with the query as plain text."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from clew.index.symbol_words import NameWords
from clew.values.arrays import Float64Array

EXACT = 1.0
CONTAINS = 0.7
ANY_WORD = 0.4
RELEVANCE_WEIGHT = 0.6
IMPORTANCE_WEIGHT = 0.4
WORDS_MAX = 64  # words of a query; later ones are ignored


@dataclass(frozen=True, slots=True)
class FoldedQuery:
    """A query, prepared for comparison with names."""

    text: str
    words: tuple[str, ...]  # distinct


def folded_query(query: str) -> FoldedQuery:
    """Return a query case-folded and split at white space."""
    text = query.strip().casefold()
    return FoldedQuery(text, tuple(dict.fromkeys(text.split()[:WORDS_MAX])))


def legacy_relevance(query: FoldedQuery, name: str) -> float:
    """Return the relevance of ``name`` to ``query``, ignoring case.

    1.0 if it equals the query, 0.7 if it contains it, 0.4 if it contains any of its words, else
    0. An empty query matches no name.
    """
    folded = name.strip().casefold()
    if not query.text:
        return 0.0
    if query.text == folded:
        return EXACT
    if query.text in folded:
        return CONTAINS
    return ANY_WORD if any(word in folded for word in query.words) else 0.0


def relevance_of_names(query: FoldedQuery, names: NameWords) -> Float64Array:
    """Return the relevance of each name, by its number; hyphens in names also match spaces."""
    word_counts = np.zeros(len(names), np.int64)
    for word in query.words:
        word_counts[names.names_containing(word)] += 1
    scores = np.where(word_counts > 0, ANY_WORD, 0.0)
    # A name that contains the whole query contains each of its words, and few names do.
    for number in np.flatnonzero(word_counts == len(query.words)).tolist():
        name = names.folded(number)
        spaced = legacy_relevance(query, name.replace("-", " "))
        scores[number] = max(spaced, legacy_relevance(query, name))
    return scores


Score = TypeVar("Score", float, Float64Array)


def legacy_score(relevance: Score, importance: Score) -> Score:
    """Return ``0.6 * relevance + 0.4 * importance`` of each symbol; in [0, 1] where both are."""
    return RELEVANCE_WEIGHT * relevance + IMPORTANCE_WEIGHT * importance
