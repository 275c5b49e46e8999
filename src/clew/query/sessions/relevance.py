"""The relevance of a turn to a query, as replies report it; turns are not ranked by it."""

SIMILARITY_MIN = 0.3  # of a turn that is recalled; docs/quality.md has the measurement
RELEVANCE_MAX = 0.5
SIMILARITY_SHARE = 0.6
RECENCY_SHARE = 0.2
RECENT_DAYS = 30.0
OTHER_SESSION = 0.5  # the weight of a turn of another session than the present one


def relevance(similarity: float, *, is_same_session: bool, days: float) -> float | None:
    """Return the relevance of a turn, in [0, 0.5]; ``None`` if it is not similar enough.

    ``similarity``: calibrated, in [0, 1]. ``days``: its age; a negative age counts as 0.
    """
    if similarity < SIMILARITY_MIN:
        return None
    weight = 1.0 if is_same_session else OTHER_SESSION
    recency = RECENCY_SHARE * min(1.0, max(0.0, 1.0 - days / RECENT_DAYS))
    return min(RELEVANCE_MAX, similarity * weight * SIMILARITY_SHARE + recency)
