"""Small models for tests: a vector for each of a few words, in model2vec's format."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from model2vec import StaticModel
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

UNKNOWN = "[UNK]"


def save_model(folder: Path, words: Sequence[str], dimensions: int, groups: int = 0) -> Path:
    """Save a model in which each word, or each of ``groups``, has its own direction."""
    tokenizer = Tokenizer(
        WordLevel({word: n for n, word in enumerate([UNKNOWN, *words])}, unk_token=UNKNOWN)
    )
    tokenizer.pre_tokenizer = Whitespace()
    vectors = np.zeros((len(words) + 1, dimensions), np.float32)
    for number in range(len(words)):
        vectors[number + 1, number % (groups or dimensions)] = 1.0
    StaticModel(vectors, tokenizer).save_pretrained(folder)
    return folder
