"""Stand-ins for what is too large or too slow for tests."""

from collections.abc import Sequence

import numpy as np

from clew.embed.encoder import Encoder
from clew.embed.quantized import QuantizedVectors, quantize


class LetterEncoder(Encoder):
    """A model by which texts are alike that have the same letters; others than a-z have none."""

    def __init__(self, fingerprint: str = "letters") -> None:
        self.dimensions = 26
        self.fingerprint = fingerprint
        self.encoded: list[str] = []  # every text it was given

    def encode(self, texts: Sequence[str]) -> QuantizedVectors:
        """Return vectors of how often each letter stands in each text."""
        self.encoded += texts
        letters = [[text.lower().count(chr(97 + n)) for n in range(26)] for text in texts]
        return quantize(np.array(letters, np.float32).reshape(len(texts), 26))
