"""From text to vectors: the mean of what its pieces stand for, as model2vec has it.

Of a text as much is read as model2vec reads: so many characters, and then so many pieces, as the
model's ``max_length`` allows; unknown pieces count, and are then left out. The vector of a text
follows from that text and the model alone, to the bit: texts are added up one at a time, piece
after piece, by loops that know neither threads nor blocks, as a linear algebra library does.

Source: model2vec, ``StaticModel.encode``; a differential test compares with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tokenizers import Tokenizer

from clew.embed.quantized import QuantizedVectors, quantize
from clew.embed.wordpieces import informative_letter_counts, make_tokenize, unknown_id
from clew.values.arrays import AnyArray, Float32Array, Int64Array

CHARACTERS_MAX = 100_000  # of a text that are read, whatever the model allows
KNOWN_SHARE_MIN = 0.5  # of a text's letters, in pieces that the model was made for
_TEXTS_AT_ONCE = 1_024  # whose sums are in memory


@dataclass(frozen=True, slots=True, eq=False)
class TokenVectors:
    """What each piece of text stands for: row ``rows[token]`` of ``table``, times its weight."""

    table: AnyArray  # shape (row_count, dimensions), int8 or float, finite
    weights: Float32Array  # shape (token_count,), finite
    rows: Int64Array  # shape (token_count,), each below row_count


class Encoder:
    """Encodes texts by one model. The tokenizer is the encoder's from then on.

    ``max_length``: the most wordpieces of a text that are read, ``None`` for all.
    ``fingerprint``: identifies the model. ``known_share_min``: the share of a text's letters, 0..1,
    that must be in wordpieces the model was trained on.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        vectors: TokenVectors,
        max_length: int | None,
        fingerprint: str,
        known_share_min: float = KNOWN_SHARE_MIN,
    ) -> None:
        self.dimensions: int = vectors.table.shape[1]
        self.fingerprint = fingerprint
        self._vectors = vectors
        self._pieces_max = max_length
        self._characters_max = CHARACTERS_MAX
        if max_length is not None:
            median = int(np.median([len(token) for token in tokenizer.get_vocab()]))
            self._characters_max = min(CHARACTERS_MAX, max_length * median)
        self._unknown = unknown_id(tokenizer)
        self._told_min = known_share_min
        self._letters = informative_letter_counts(tokenizer, len(vectors.rows))
        self._read = make_tokenize(tokenizer)

    def encode(self, texts: Sequence[str]) -> QuantizedVectors:
        """Return a vector for each text; one of which the model knows less than half has none.

        Letter by letter, that is: a vector of the few words known in a text of another script would
        stand for what it is not about. May be called from several threads.
        """
        codes = np.zeros((len(texts), self.dimensions), dtype=np.int8)
        scales = np.zeros(len(texts), dtype=np.float32)
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            portion = slice(start, start + _TEXTS_AT_ONCE)
            sums = np.stack([self._sum(text) for text in texts[portion]])
            found = quantize(sums)
            codes[portion], scales[portion] = found.rows, found.scales
        return QuantizedVectors(codes, scales)

    def _sum(self, text: str) -> Float32Array:
        """Return the sum over a text's pieces, shape (dimensions,): as good as their mean."""
        text = text[: self._characters_max]
        tokens = np.array(self._read(text), dtype=np.int64)
        if not text.isascii():
            told = self._letters.take(tokens).sum()
            if told < self._told_min * _letter_count(text):
                return np.zeros(self.dimensions, np.float32)
        tokens = tokens[: self._pieces_max]
        if self._unknown is not None:
            tokens = tokens[tokens != self._unknown]
        vectors = self._vectors
        total: Float32Array = np.einsum(
            "i,ij->j",
            vectors.weights.take(tokens),
            vectors.table.take(vectors.rows.take(tokens), axis=0),  # a fifth of what [] takes
            dtype=np.float32,
            casting="same_kind",
        )
        return total


def _letter_count(text: str) -> int:
    return sum(character.isalnum() for character in text)
