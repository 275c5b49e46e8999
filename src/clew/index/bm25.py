"""BM25: how much a document is about the terms of a query, by how often and how rarely they stand.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
Foundations and Trends in Information Retrieval, 2009; the inverse document frequency as Lucene has
it, which is never negative.
"""

import math

import numpy as np
import numpy.typing as npt

K1 = 1.2  # how soon more of the same word says no more
B = 0.75  # how much long documents are discounted

FloatArray = npt.NDArray[np.float64]


def inverse_frequency(documents: int, frequency: int) -> float:
    """Return ``ln(1 + (N - df + 0.5) / (df + 0.5))``: what a term found in ``frequency`` weighs."""
    return math.log(1.0 + (documents - frequency + 0.5) / (frequency + 0.5))


def saturation(counts: FloatArray, lengths: FloatArray, mean_length: float) -> FloatArray:
    """Return ``tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean))``, in [0, k1 + 1).

    ``counts`` and ``lengths``: float64 arrays of one shape, how often the term stands in each
    document and how long that is; ``mean_length`` is above 0.
    """
    norm = K1 * (1.0 - B + B * lengths / mean_length)
    return counts * (K1 + 1.0) / (counts + norm)
