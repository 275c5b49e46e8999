"""The evidence that a note answers a query, and the confidence that it gives.

Evidence is the sum of two shares: that of the query's terms that a note has, most of all in one
passage, weighted by how rare they are, and that of the cosine above the model's noise. Of the
second the root counts: the first step above the noise tells most, and a high cosine is no
substitute for all words. Where the words tell little, it counts more, so that a note in quite other
words can answer; and nearly all words are enough alone, as a name in another language is. The
confidence is the probability, by logistic regression, that a query whose best note has this
evidence was asked of this vault rather than of another: fitted on seven collections, each with as
many questions of others (``benchmarks/admission.py``). The best of few passages has less evidence
by chance than that of many, so that in a small vault less is enough for a weak answer. It says
whether notes speak of the subject, not whether they are right.

Knows nothing of notes or indexes.
"""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from clew.values.arrays import Float64Array

Answered = Literal["yes", "weak", "no"]
ANSWERS: Sequence[Answered] = ("no", "weak", "yes")  # the least first

SLOPE = 13.8
MIDDLE = 1.198  # the evidence of confidence 0.5
YES_MIN = 0.5  # confidence
# Below: no answer. One in a hundred questions of a vault of ``MANY`` passages itself is there.
WEAK_MIN = 0.14
# With each e-fold of the passages, the evidence that a fifth of the questions of other vaults reach
# rises by so much: measured with 250, 1,015 and 1,898 passages of Wikipedia.
CHANCE = 0.08
FEW, MANY = 250, 1_000  # beyond these the bound stays the same
MEANING = 1.25  # factor of the root of the closeness, added to the share of the terms
MEANING_ALONE = 0.2  # factor of the closeness, which replaces a smaller share of the terms
WORDS = 1.2  # factor of the share of the terms, if words alone are more evidence
EVIDENCE_MIN = 0.5  # least evidence of a note beside a better one
# Without vectors words must tell alone: factor and base scale their share to the same evidence.
WORDS_ALONE = (1.0, 0.73)
# In other scripts than Latin no stop words are left out, and the parts of words count as words, so
# that the best passages have a smaller share: of Russian and Chinese questions half as much.
OTHER_SCRIPTS_ALONE = (2.0, 0.71)


def closeness(cosines: Float64Array, noise: float) -> Float64Array:
    """Return ``(cos - noise) / (1 - noise)``, at least 0; ``noise`` is in [0, 1)."""
    above: Float64Array = np.maximum(0.0, (cosines - noise) / (1.0 - noise))
    return above


def evidence(shares: Float64Array, closenesses: Float64Array) -> Float64Array:
    """Return the evidence of notes, in [0, 2.25], which rises with both arguments, in [0, 1]."""
    of_words = np.maximum(shares, MEANING_ALONE * closenesses)
    both: Float64Array = MEANING * np.sqrt(closenesses) + of_words
    return np.maximum(both, WORDS * shares)


def evidence_of_words(shares: Float64Array, *, is_latin: bool) -> Float64Array:
    """Return the evidence of notes if nothing is known of their meaning; 0 for a share of 0.

    ``is_latin``: most words of the query are in Latin script.
    """
    factor, base = WORDS_ALONE if is_latin else OTHER_SCRIPTS_ALONE
    return np.where(shares > 0, base + factor * shares, 0.0)


def confidence(evidences: Float64Array) -> Float64Array:
    """Return the logistic function of the evidence, in (0, 1)."""
    confidences: Float64Array = 1.0 / (1.0 + np.exp(-SLOPE * (evidences - MIDDLE)))
    return confidences


def weak_min_of(passages: int) -> float:
    """Return the least confidence of a weak answer in a vault of so many passages."""
    more = CHANCE * math.log(min(max(passages, FEW), MANY) / MANY)  # evidence, at most 0
    return 1.0 / (1.0 + (1.0 / WEAK_MIN - 1.0) * math.exp(-SLOPE * more))


def judged(best_confidence: float, weak_min: float = WEAK_MIN) -> Answered:
    """Return whether a query is answered, by the confidence of its best note.

    ``weak_min``: see ``weak_min_of``.
    """
    if best_confidence >= YES_MIN:
        return "yes"
    return "weak" if best_confidence >= weak_min else "no"
