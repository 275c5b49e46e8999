"""The encoder: a text's vector is the weighted mean of its wordpieces' vectors, as in model2vec.

A text is truncated where model2vec truncates it: first to a number of characters, then to a number
of wordpieces, both from the model's ``max_length``. Unknown wordpieces count towards these limits,
and are then left out. The vector depends on the text and the model alone, to the bit: texts are
summed one at a time and in order, since a linear algebra library would sum in blocks or threads,
and round differently.

Source: model2vec, ``StaticModel.encode``; a differential test compares with it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from tokenizers import Tokenizer

from clew.embed.noise import measured_noise
from clew.embed.quantized import QuantizedVectors, quantize
from clew.embed.wordpieces import (
    WORD_BEGINNINGS,
    informative_letter_counts,
    make_tokenize,
    unknown_id,
)
from clew.values.arrays import AnyArray, Float32Array, Int64Array

CHARACTERS_MAX = 100_000  # characters read of each text, even if the model allows more
KNOWN_SHARE_MIN = 0.5  # of a text's letters, in wordpieces that the model was trained on
STEM_LETTERS_MIN = 4  # of the first wordpiece of a word, to count as a known word itself
_WORDS = re.compile(r"[^\W_]+")
_LENGTHS_SAMPLED = 1_000  # wordpieces that tell how long vectors usually are
_TEXTS_A_BATCH = 1_024  # limits the memory that the sums take


@dataclass(frozen=True, slots=True, eq=False)
class TokenVectors:
    """The vectors of wordpieces: token ``t`` has row ``rows[t]`` of ``table``, times its weight."""

    table: AnyArray  # shape (row_count, dimensions), int8 or float, finite
    weights: Float32Array  # shape (token_count,), finite
    rows: Int64Array  # shape (token_count,), each below row_count


class Encoder:
    """Encodes texts by one model; changes the settings of its tokenizer.

    ``max_length``: how many wordpieces of a text are read at most; ``None`` for all.
    ``fingerprint``: identifies the model. ``known_share_min``: the share of a text's letters, 0..1,
    that must be in wordpieces the model was trained on. ``noise``: the model's, if it is known.
    """

    _noise: float | None = None  # ``None``: not measured yet

    def __init__(
        self,
        tokenizer: Tokenizer,
        vectors: TokenVectors,
        max_length: int | None,
        fingerprint: str,
        known_share_min: float = KNOWN_SHARE_MIN,
        *,
        noise: float | None = None,
    ) -> None:
        self._noise = noise
        self.dimensions: int = vectors.table.shape[1]
        self.fingerprint = fingerprint
        self._vectors = vectors
        self._wordpieces_max = max_length
        self._characters_max = CHARACTERS_MAX
        vocabulary = tokenizer.get_vocab()
        if max_length is not None:
            median = int(np.median(list(map(len, vocabulary))))
            self._characters_max = min(CHARACTERS_MAX, max_length * median)
        self._unknown_id = unknown_id(tokenizer)
        self._known_share_min = known_share_min
        self._letter_counts = informative_letter_counts(
            vocabulary, self._unknown_id, len(vectors.rows)
        )
        self._token_to_id = tokenizer.token_to_id
        self._tokenize = make_tokenize(tokenizer)

    @property
    def noise(self) -> float:
        """The cosine that unrelated texts rarely exceed (``embed.noise``)."""
        if self._noise is None:
            self._noise = measured_noise(self.encode)
        return self._noise

    def has_word(self, word: str) -> bool:
        """Return whether ``word``, in lower case, is one wordpiece.

        Common words are, and misspelt words hardly ever.
        """
        return word.isalpha() and any(
            self._token_to_id(form) is not None for form in _forms_of(word)
        )

    def specificity(self, word: str) -> float:
        """Return how much a word, in lower case, tells of a text's subject, from 0 to 1.

        It is the square of the length of its vector as a share of that of most wordpieces, since a
        word counts by that square for how similar two texts are that have it. A model learns short
        vectors for words that any text may have, such as "many". Words of several wordpieces are
        rare, and have 1, and so have numbers: each tells one thing from others.
        """
        if not word.isalpha():
            return 1.0
        ids = (self._token_to_id(form) for form in _forms_of(word))
        found = [self._lengths_of(np.array([each]))[0] for each in ids if each is not None]
        return min(1.0, float(found[0]) / self._usual_length) ** 2 if found else 1.0

    @cached_property
    def _usual_length(self) -> float:
        """The median length of the vectors of a sample of the wordpieces."""
        count = len(self._vectors.rows)
        lengths = self._lengths_of(np.arange(0, count, max(1, count // _LENGTHS_SAMPLED)))
        return float(np.median(lengths[lengths > 0])) if lengths.any() else 1.0

    def _lengths_of(self, tokens: Int64Array) -> Float32Array:
        vectors = self._vectors
        rows = vectors.table.take(vectors.rows.take(tokens), axis=0).astype(np.float32)
        lengths: Float32Array = np.linalg.norm(rows, axis=1) * np.abs(vectors.weights.take(tokens))
        return lengths

    def encode(self, texts: Sequence[str]) -> QuantizedVectors:
        """Return a vector for each text, except for texts with too few letters in known wordpieces.

        In a text of another script, the few known words would give a vector far from its meaning.
        May be called from several threads.
        """
        if 0 < len(texts) <= _TEXTS_A_BATCH:  # as the text of a query
            return quantize(np.stack([self._sum(text) for text in texts]))
        rows = np.zeros((len(texts), self.dimensions), dtype=np.int8)
        for start in range(0, len(texts), _TEXTS_A_BATCH):
            batch = slice(start, start + _TEXTS_A_BATCH)
            rows[batch] = self.encode(texts[batch]).rows
        return QuantizedVectors(rows)

    def knows(self, name: str) -> bool:
        """Return whether known words have half of the letters of a name.

        Words of one wordpiece are known. Of other words, the first wordpiece counts as a known word
        if it is not short ("token" in "tokenization"). Wordpieces such as "ls" and "##tm" of "lstm"
        carry no meaning: they resemble the wordpieces of any such name.
        """
        words = _WORDS.findall(name)
        known_count = sum(len(word) for word in words if self._knows_word(word))
        return known_count > 0 and known_count >= self._known_share_min * sum(map(len, words))

    def _knows_word(self, word: str) -> bool:
        tokens = self._tokenize(word)
        if len(tokens) < 2:
            return len(tokens) == 1 and tokens[0] != self._unknown_id
        return int(self._letter_counts[tokens[0]]) >= STEM_LETTERS_MIN

    def _sum(self, text: str) -> Float32Array:
        """Return the sum of a text's wordpiece vectors; it has the direction of their mean."""
        text = text[: self._characters_max]
        tokens = np.array(self._tokenize(text), dtype=np.int64)
        if not text.isascii():
            known_count = self._letter_counts.take(tokens).sum()
            if known_count < self._known_share_min * _letter_count(text):
                return np.zeros(self.dimensions, np.float32)
        tokens = tokens[: self._wordpieces_max]
        if self._unknown_id is not None:
            tokens = tokens[tokens != self._unknown_id]
        vectors = self._vectors
        total: Float32Array = np.einsum(
            "i,ij->j",
            vectors.weights.take(tokens),
            vectors.table.take(vectors.rows.take(tokens), axis=0),  # five times as fast as with []
            dtype=np.float32,
            casting="same_kind",
        )
        return total


def _forms_of(word: str) -> tuple[str, ...]:
    """Return a word as tokenizers write it, at the beginning of a word first."""
    return (*(f"{mark}{word}" for mark in WORD_BEGINNINGS), word)


def _letter_count(text: str) -> int:
    return sum(character.isalnum() for character in text)
