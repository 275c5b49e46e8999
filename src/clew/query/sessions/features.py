"""What recall compares of a turn: which terms it has, and its vector."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from clew.embed.quantized import QuantizedVectors
from clew.index.structures.lru import LruCache
from clew.query.slices import PAUSE, Slices
from clew.text.languages.languages import Languages
from clew.text.terms import count_words
from clew.values.arrays import Float32Array, Int64Array
from clew.values.memory.turns import Turn

FEATURES_KEPT = 25_000  # 1.5 KB each as a rule, 5 KB at most
TERMS_CHARACTERS = 4_000  # of a turn, in which terms are looked for
MADE_AT_ONCE = 6  # turns, in about a millisecond

Encode = Callable[[Sequence[str]], QuantizedVectors]


class Features(NamedTuple):
    """The terms of a turn, as their hashes, and its vector."""

    terms: Int64Array  # distinct
    vector: Float32Array | None  # of unit length; ``None``: it has none


FeatureCache = LruCache[tuple[bytes, tuple[str, ...], str], Features]


def new_feature_cache() -> FeatureCache:
    """Return an empty cache of the features of turns."""
    return LruCache(FEATURES_KEPT, lambda _: 1)


@dataclass(frozen=True, slots=True)
class TurnModel:
    """How turns and queries are compared: the languages of the vault, and its model.

    ``encode`` is ``None`` if the model is not there; then only words count.
    """

    languages: Languages
    encode: Encode | None
    fingerprint: str = ""  # of the model
    noise: float = 0.0  # of the model
    cache: FeatureCache = field(default_factory=new_feature_cache)


def term_hash(term: str) -> int:
    """Return a number of 64 bits for a term, the same within one process."""
    return hash(term)


def features_of(turns: Sequence[Turn], model: TurnModel) -> Slices[list[Features]]:
    """Return the features of turns, from the cache where they are there."""
    keys = [(turn.digest, model.languages.stemmers, model.fingerprint) for turn in turns]
    found = {key: features for key in keys if (features := model.cache.get(key)) is not None}
    missing = {key: turn for key, turn in zip(keys, turns, strict=True) if key not in found}
    rows = list(missing.items())
    for start in range(0, len(rows), MADE_AT_ONCE):
        few = rows[start : start + MADE_AT_ONCE]
        made = _made([turn for _, turn in few], model)
        for (key, _), features in zip(few, made, strict=True):
            found[key] = features
            model.cache.put(key, features)
        yield PAUSE
    return [found[key] for key in keys]


def vectors_of(texts: Sequence[str], encode: Encode | None) -> list[Float32Array | None]:
    """Return a vector of unit length for each text; ``None`` for one that the model cannot read."""
    if encode is None or not texts:
        return [None] * len(texts)
    encoded = encode(texts)
    rows = encoded.rows.astype(np.float32) * encoded.scales[:, None]
    return [row if scale else None for row, scale in zip(rows, encoded.scales, strict=True)]


def _made(turns: Sequence[Turn], model: TurnModel) -> list[Features]:
    vectors = vectors_of([turn.embedded_text for turn in turns], model.encode)
    return [
        Features(_terms(turn, model.languages), vector)
        for turn, vector in zip(turns, vectors, strict=True)
    ]


def _terms(turn: Turn, languages: Languages) -> Int64Array:
    words = count_words(f"{turn.role}: {turn.text[:TERMS_CHARACTERS]}")
    return np.array(list({term_hash(languages.term_of(word)) for word in words}), np.int64)
