"""The noise of a model: the similarity that it gives to unrelated texts.

A cosine below the noise is no evidence that two texts are related. Models differ much in it. It is
the 95th percentile of the cosines of all pairs of texts in ``data/unrelated.txt``, one a line,
whose subjects have nothing in common.
"""

import pkgutil
from collections.abc import Callable, Sequence

import numpy as np

from clew.embed.quantized import QuantizedVectors

PERCENTILE = 95.0
BUILTIN_NOISE = 0.268195  # of the model in the package; a test measures it again
NOISE_MAX = 0.95  # of a model that finds all texts alike

Encoding = Callable[[Sequence[str]], QuantizedVectors]


def measured_noise(encode: Encoding) -> float:
    """Return the noise of the model that ``encode`` belongs to, in [0, ``NOISE_MAX``].

    Texts that the model gives no vector are left out; with fewer than two others it is 0.
    """
    texts = (pkgutil.get_data("clew", "data/unrelated.txt") or b"").decode().splitlines()
    vectors = encode(texts)
    rows = vectors.rows[vectors.scales > 0].astype(np.float64)
    if len(rows) < 2:
        return 0.0
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = (rows @ rows.T)[np.triu_indices(len(rows), 1)]
    return float(np.clip(np.percentile(cosines, PERCENTILE), 0.0, NOISE_MAX).round(6))
