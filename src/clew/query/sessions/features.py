"""The features of a turn that recall compares: its terms and its vector."""

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

FEATURES_KEPT = 25_000  # turns in the cache: 1.5 KB each as a rule, 5 KB at most
TERMS_CHARACTERS = 4_000  # beginning of a turn that is split into terms
BATCH_TURNS = 6  # turns whose features one step computes, in about a millisecond

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
    """What turns and queries are compared with: the languages of the vault, and its model.

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
    """Return the features of turns, from the cache where it has them."""
    keys = [(turn.digest, model.languages.stemmers, model.fingerprint) for turn in turns]
    features_by_key = {
        key: features for key in keys if (features := model.cache.get(key)) is not None
    }
    missing = {
        key: turn for key, turn in zip(keys, turns, strict=True) if key not in features_by_key
    }
    rows = list(missing.items())
    for start in range(0, len(rows), BATCH_TURNS):
        batch = rows[start : start + BATCH_TURNS]
        computed = _computed([turn for _, turn in batch], model)
        for (key, _), features in zip(batch, computed, strict=True):
            features_by_key[key] = features
            model.cache.put(key, features)
        yield PAUSE
    return [features_by_key[key] for key in keys]


def vectors_of(texts: Sequence[str], encode: Encode | None) -> list[Float32Array | None]:
    """Return a vector of unit length for each text; ``None`` for one that the model cannot read."""
    if encode is None or not texts:
        return [None] * len(texts)
    encoded = encode(texts)
    scales = encoded.scales
    rows = encoded.rows.astype(np.float32) * scales[:, None]
    return [row if scale else None for row, scale in zip(rows, scales, strict=True)]


def _computed(turns: Sequence[Turn], model: TurnModel) -> list[Features]:
    vectors = vectors_of([turn.embedded_text for turn in turns], model.encode)
    return [
        Features(_terms(turn, model.languages), vector)
        for turn, vector in zip(turns, vectors, strict=True)
    ]


def _terms(turn: Turn, languages: Languages) -> Int64Array:
    words = count_words(f"{turn.role}: {turn.text[:TERMS_CHARACTERS]}")
    return np.array(list({term_hash(languages.term_of(word)) for word in words}), np.int64)
