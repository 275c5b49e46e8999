"""A small encoder for tests that records the texts it encodes."""

import hashlib
from collections.abc import Sequence

import numpy as np

from clew.embed.encoder import Encoder
from clew.embed.quantized import QuantizedVectors, quantize
from clew.text.passages import embedded_parts
from clew.text.terms import count_words
from clew.values.note import Note


class FakeEncoder(Encoder):
    """Texts with common words have similar vectors; a text without words has none."""

    def __init__(self, fingerprint: str = "fake", dimensions: int = 8) -> None:
        self.fingerprint = fingerprint
        self.dimensions = dimensions
        self.encoded: list[str] = []  # all texts encoded since the last ``take_encoded``

    def encode(self, texts: Sequence[str]) -> QuantizedVectors:
        """Return for each text the sum of pseudo-random vectors of its words."""
        self.encoded += texts
        sums = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(sums, texts, strict=True):
            for word, count in sorted(count_words(text).items()):
                digest = hashlib.shake_128(f"{self.fingerprint} {word}".encode()).digest(
                    self.dimensions
                )
                row[:] += count * (np.frombuffer(digest, np.uint8).astype(np.float32) - 127.5)
        return quantize(sums)

    def take_encoded(self) -> list[str]:
        """Return the texts encoded since the last call."""
        encoded, self.encoded = self.encoded, []
        return encoded


def embedded_texts(note: Note) -> list[str]:
    """Return the text to embed for each part of a note."""
    return [part.text for part in embedded_parts(note)]
