"""The legacy matcher of ``rank``: what a symbol's name has to do with the query, and its weight."""

from clew.query.hits import FloatArray

EXACT = 1.0
CONTAINS = 0.7
ANY_WORD = 0.4
RELEVANCE_WEIGHT = 0.6
IMPORTANCE_WEIGHT = 0.4


def legacy_relevance(query: str, name: str) -> float:
    """Return how much ``name`` is what ``query`` says, in whatever case.

    1.0 where it is the query, 0.7 where it contains it, 0.4 where it contains any of its words,
    else 0. A query of white space alone is nothing's name.
    """
    wanted, found = query.strip().casefold(), name.strip().casefold()
    if not wanted:
        return 0.0
    if wanted == found:
        return EXACT
    if wanted in found:
        return CONTAINS
    return ANY_WORD if any(word in found for word in wanted.split()) else 0.0


def legacy_score(relevance: FloatArray, importance: FloatArray) -> FloatArray:
    """Return ``0.6 * relevance + 0.4 * importance`` of each symbol; in [0, 1] where both are."""
    return RELEVANCE_WEIGHT * relevance + IMPORTANCE_WEIGHT * importance
