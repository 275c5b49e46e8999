"""BM25: a document's relevance to a query, from the frequency and rarity of the query's terms.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
Foundations and Trends in Information Retrieval, 2009; the inverse document frequency is Lucene's,
which is never negative. A k1 for each term is the idea of Lv and Zhai, "Adaptive Term Frequency
Normalization for BM25", CIKM 2011.
"""

import math

import numpy as np

from clew.values.arrays import Float64Array

K1 = 1.2  # saturation: with larger values, more repetitions of a term raise the score
B = 0.75  # length normalization: 0 for none, 1 for full
LEAST_NORM = 1.0 - B  # the ``length_norm`` of an empty document
USUAL_COUNT = 1.5  # mean count of a term, in the documents that have it, for which k1 is ``K1``
K1_MIN = 0.75 * K1  # nearly that of a mean count of 1
K1_MAX = 1.5 * K1  # that of a mean count of 3


def inverse_frequency(documents: int, frequency: int) -> float:
    """Return ``ln(1 + (N - df + 0.5) / (df + 0.5))``, the weight of a term.

    ``documents``: N, the number of documents; ``frequency``: df, the number that have the term.
    """
    return math.log(1.0 + (documents - frequency + 0.5) / (frequency + 0.5))


def length_norm(lengths: Float64Array, mean_length: float) -> Float64Array:
    """Return ``1 - b + b * length / mean`` by document; ``mean_length`` is above 0."""
    return 1.0 - B + B * lengths / mean_length


def k1_of(mean_counts: Float64Array) -> Float64Array:
    """Return the k1 of each term, ``K1 * ln(1 + mean) / ln(1 + USUAL_COUNT)``, within its bounds.

    ``mean_counts``: how often each term stands, on average, in the documents that have it. Where
    that is often, one occurrence may be a mention in passing, and repetitions tell more. A term
    that mostly stands once tells by that nearly all it can.
    """
    k1s = K1 * np.log1p(mean_counts) / math.log1p(USUAL_COUNT)
    return np.clip(k1s, K1_MIN, K1_MAX)


def saturation(
    counts: Float64Array, norms: Float64Array | float, k1s: Float64Array | float = K1
) -> Float64Array:
    """Return ``tf * (k1 + 1) / (tf + k1 * norm)``, in [0, k1 + 1).

    ``counts``: the count of the term by document; ``norms``: the ``length_norm`` by document, or
    one number for all; ``k1s``: the k1 of the term, one number or by document.
    """
    return counts * (k1s + 1.0) / (counts + k1s * norms)
