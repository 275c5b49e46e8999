"""BM25: a document's relevance to a query, from the frequency and rarity of the query's terms.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
Foundations and Trends in Information Retrieval, 2009; the inverse document frequency is Lucene's,
which is never negative.
"""

import math

from clew.values.arrays import Float64Array

K1 = 1.2  # saturation: with larger values, more repetitions of a term raise the score
B = 0.75  # length normalization: 0 for none, 1 for full
LEAST_NORM = K1 * (1.0 - B)  # the ``length_norm`` of an empty document


def inverse_frequency(documents: int, frequency: int) -> float:
    """Return ``ln(1 + (N - df + 0.5) / (df + 0.5))``, the weight of a term.

    ``documents``: N, the number of documents; ``frequency``: df, the number that have the term.
    """
    return math.log(1.0 + (documents - frequency + 0.5) / (frequency + 0.5))


def length_norm(lengths: Float64Array, mean_length: float) -> Float64Array:
    """Return ``k1 * (1 - b + b * length / mean)`` by document; ``mean_length`` is above 0."""
    return K1 * (1.0 - B + B * lengths / mean_length)


def saturation(counts: Float64Array, norms: Float64Array | float) -> Float64Array:
    """Return ``tf * (k1 + 1) / (tf + norm)``, in [0, k1 + 1).

    ``counts``: the count of the term by document; ``norms``: the ``length_norm`` by document, or
    one number for all.
    """
    return counts * (K1 + 1.0) / (counts + norms)
