"""BM25: how much a document is about the terms of a query, by how often and how rarely they stand.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
Foundations and Trends in Information Retrieval, 2009; the inverse document frequency as Lucene has
it, which is never negative.
"""

import math

from clew.values.arrays import Float64Array

K1 = 1.2  # how soon more of the same word says no more
B = 0.75  # how much long documents are discounted


def inverse_frequency(documents: int, frequency: int) -> float:
    """Return ``ln(1 + (N - df + 0.5) / (df + 0.5))``: what a term found in ``frequency`` weighs."""
    return math.log(1.0 + (documents - frequency + 0.5) / (frequency + 0.5))


def length_norm(lengths: Float64Array, mean_length: float) -> Float64Array:
    """Return ``k1 * (1 - b + b * length / mean)`` of documents; ``mean_length`` is above 0."""
    return K1 * (1.0 - B + B * lengths / mean_length)


def saturation(counts: Float64Array, norms: Float64Array) -> Float64Array:
    """Return ``tf * (k1 + 1) / (tf + norm)``, in [0, k1 + 1).

    Arrays of one shape: how often the term stands in each document, and its ``length_norm``.
    """
    return counts * (K1 + 1.0) / (counts + norms)
