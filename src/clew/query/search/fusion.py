"""Fusion of the legs' hits into one score per note: by rank, and by what the raw score tells.

With ranks alone a weak leg would outweigh a strong one: its tenth hit counts almost like its first,
however low its score is. So the rank of a hit is weighted by its share of the score of a note that
has all that the query asks for. Where the vault lacks words of a query, the best of the notes with
the others counts less than in full, and meaning more.
"""

from collections.abc import Mapping

import numpy as np

from clew.index.structures.id_sums import weights_by_id
from clew.query.search.passage_hits import PassageHits
from clew.values.arrays import Float64Array, Int64Array
from clew.values.replies import SCORE_DECIMALS

RANK_CONSTANT = 60
BEFORE = 0.25  # share of a leg's weight that counts if a later leg ranks by its scores too
SCORE_STEP = 10.0**-SCORE_DECIMALS  # the least difference between two scores


def fuse(
    hits_by_leg: Mapping[str, PassageHits], weights: Mapping[str, float], note_slots: int
) -> tuple[Int64Array, Float64Array]:
    """Return the notes of the hits, by rising id, and the score of each.

    The sum over legs of ``weight * share / (60 + rank)``; ranks begin at 1, and the share is where
    the raw score is between ``none`` and ``full`` of the leg's hits. Legs are added in the order of
    their names, so that equal input gives equal bits.

    Raises:
        KeyError: a leg has no weight.

    Source: Cormack, Clarke, Buettcher, "Reciprocal rank fusion outperforms Condorcet and individual
    rank learning methods", SIGIR 2009, here with a weight for each leg and shares of raw scores.
    """
    note_ids, scores = [np.zeros(0, np.int64)], [np.zeros(0)]
    for leg in sorted(hits_by_leg):
        hits = hits_by_leg[leg]
        if len(hits.note_ids):
            ranks = np.arange(RANK_CONSTANT + 1, RANK_CONSTANT + 1 + len(hits.note_ids))
            note_ids.append(hits.note_ids)
            scores.append(weights[leg] * hits.shares_of(hits.note_scores) / ranks)
    return weights_by_id(np.concatenate(note_ids), np.concatenate(scores), note_slots)


def final_weights(
    hits_by_leg: Mapping[str, PassageHits], weights: Mapping[str, float], before_share: float
) -> dict[str, float]:
    """Return the weights of legs for the last fusion; ``hits_by_leg``: in the order they ran.

    Of legs before one that has their evidence in its own scores ``before_share`` counts. In full
    they would count twice, and set notes that only have the words above those that links confirm.
    """
    final = dict(weights)
    before: list[str] = []
    for leg, hits in hits_by_leg.items():
        if hits.has_earlier and weights[leg] > 0 and len(hits.note_ids):
            final.update((name, before_share * weights[name]) for name in before)
        before.append(leg)
    return final


def recency_factor(decay: Float64Array, weight: float) -> Float64Array:
    """Return the factor of each note's score for its age: ``1 - weight + weight * decay``.

    Both arguments are in [0, 1], and so is the factor, which is never below ``1 - weight``.
    """
    return 1.0 - weight + weight * decay
