"""Several rankings of the same notes made one: by rank, and by how near each comes to its best.

Ranks alone let a weak leg pull a strong one down, for its tenth hit counts nearly as much as its
first, however poor; so a hit is admitted by the share of its leg's best raw score that it has.
"""

from collections.abc import Mapping

import numpy as np

from clew.engine.settings import Leg
from clew.query.search.hits import Hits
from clew.values.arrays import Float64Array

RANK_CONSTANT = 60


def fuse(legs: Mapping[Leg, Hits], weights: Mapping[Leg, float], note_slots: int) -> Float64Array:
    """Return the score of each note, by note id; float64 of shape (note_slots,).

    The sum over legs of ``weight * raw / best raw / (60 + rank)``; ranks begin at 1.

    Raises:
        KeyError: a leg has no weight.

    Source: Cormack, Clarke, Buettcher, "Reciprocal rank fusion outperforms Condorcet and individual
    rank learning methods", SIGIR 2009, here with a weight a leg and shares of raw scores.
    """
    scores = np.zeros(note_slots)
    for leg in sorted(legs):
        hits = legs[leg]
        if len(hits.notes):
            ranks = np.arange(1, len(hits.notes) + 1)
            shares = hits.scores / hits.scores[0]
            scores[hits.notes] += weights[leg] * shares / (RANK_CONSTANT + ranks)
    return scores


def recency_factor(decay: Float64Array, weight: float) -> Float64Array:
    """Return what scores are multiplied by for the age of their notes.

    ``1 - weight + weight * decay``: both are in [0, 1], and so is the result, never below
    ``1 - weight``.
    """
    return 1.0 - weight + weight * decay
