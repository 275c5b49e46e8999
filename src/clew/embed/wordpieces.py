"""Text to wordpiece ids, tokenized word by word where that gives the same ids.

A BERT tokenizer splits a text at white space and punctuation first, and tokenizes each word by
itself, so the ids of a word can be cached. Other tokenizers get every text whole. Texts are
tokenized one at a time: the library would start threads of its own for a batch.

Text that looks like a special token (``[PAD]``) is tokenized as ordinary text.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, cast

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from clew.values.arrays import Int64Array

Tokenize = Callable[[str], list[int]]

WORD_BEGINNINGS = "\u2581\u0120"  # some tokenizers put one before the first piece of a word
WORDS_MAX = 32_000  # cached words; they take about 6 MB

# BERT's rules split words at ASCII punctuation; each such character is a part of its own. Other
# punctuation is left to the tokenizer, since its settings decide about it.
_PARTS = re.compile(r"[^!-/:-@\[-`{-~]+|[!-/:-@\[-`{-~]")
# Python splits at these characters, but BERT's rules may drop them: the tokenizer gets such texts.
_AMBIGUOUS_SPACE = re.compile(r"[\v\f\x1c-\x1f\x85]")
_DIGIT_OR_HAN = re.compile("[0-9\u3400-\u4dbf\u4e00-\u9fff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def make_tokenize(tokenizer: Tokenizer) -> Tokenize:
    """Return a function from a text to its wordpiece ids, unknown ones included, untruncated.

    It changes the settings of the tokenizer, so nothing else may use the tokenizer. A text on which
    the tokenizer fails has no wordpieces. The function may be called from several threads.
    """
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True

    def tokenize(text: str) -> list[int]:
        # The library rejects surrogates. A panic in its Rust code is no ``Exception``.
        try:
            return tokenizer.encode(_SURROGATE.sub("\ufffd", text), add_special_tokens=False).ids
        except BaseException as error:
            if isinstance(error, Exception) or is_panic(error):
                return []
            raise

    return CachedTokenizer(tokenizer, tokenize) if splits_at_words(tokenizer) else tokenize


def splits_at_words(tokenizer: Tokenizer) -> bool:
    """Return whether this tokenizer splits texts into words, and then tokenizes each word alone."""
    added: Iterable[Any] = tokenizer.get_added_tokens_decoder().values()
    return (
        isinstance(tokenizer.normalizer, BertNormalizer)
        and isinstance(tokenizer.pre_tokenizer, BertPreTokenizer)
        and isinstance(tokenizer.model, WordPiece)
        and all(token.special and not token.content.isalnum() for token in added)
    )


def unknown_id(tokenizer: Tokenizer) -> int | None:
    """Return the id of the unknown token, if the tokenizer has one."""
    model: Any = tokenizer.model
    if hasattr(model, "unk_token"):
        return None if model.unk_token is None else tokenizer.token_to_id(model.unk_token)
    unk_id: int | None = json.loads(tokenizer.to_str())["model"].get("unk_id")
    return unk_id


def informative_letter_counts(
    vocabulary: Mapping[str, int], unknown: int | None, token_count: int
) -> Int64Array:
    """Return the number of letters in each token, 0 for a token that carries no meaning.

    ``vocabulary``: the id of each token. ``unknown``: the id of the unknown token.

    A tokenizer has single letters of alphabets that its model was not trained on. These carry no
    meaning, unlike digits and Han characters.
    """
    counts = np.zeros(token_count, np.int64)
    for token, token_id in vocabulary.items():
        bare = token.removeprefix("##").lstrip(WORD_BEGINNINGS)
        is_informative = len(bare) > 1 or _DIGIT_OR_HAN.match(bare)
        if token_id < token_count and token_id != unknown and is_informative:
            is_plain = bare.isalnum()  # as nearly all are
            counts[token_id] = len(bare) if is_plain else sum(map(str.isalnum, bare))
    return counts


def is_panic(error: BaseException) -> bool:
    """Return whether an error is a panic in Rust code; its type cannot be imported."""
    return type(error).__name__ == "PanicException"


class CachedTokenizer:
    """Tokenizes word by word; caches up to ``WORDS_MAX`` words, plus the words of one text."""

    def __init__(self, tokenizer: Tokenizer, tokenize: Tokenize) -> None:
        self._token_to_id = tokenizer.token_to_id
        self._tokenize = tokenize
        normalizer, model = cast("Any", tokenizer.normalizer), cast("Any", tokenizer.model)
        self._is_lowercase: bool = normalizer.lowercase
        self._word_characters_max: int = model.max_input_chars_per_word
        self._cache: dict[str, Sequence[int]] = {}  # ids by word and by part of a word

    def __call__(self, text: str) -> list[int]:
        """Return the wordpiece ids of a text, in order."""
        if _AMBIGUOUS_SPACE.search(text):
            return self._tokenize(text)
        words = text.split()
        cache = self._cache
        new_words = {word for word in words if word not in cache}
        if new_words and len(cache) > WORDS_MAX:
            # The cache is replaced, not cleared: another thread may be reading the old one.
            self._cache = cache = {}
            new_words = set(words)
        for word in new_words:
            parts = _PARTS.findall(word)
            for part in parts:
                if part not in cache:
                    cache[part] = self._ids_of_part(part)
            cache[word] = tuple(chain.from_iterable(map(cache.__getitem__, parts)))
        return list(chain.from_iterable(map(cache.__getitem__, words)))

    def __len__(self) -> int:
        """Return the number of cached words and parts."""
        return len(self._cache)

    def _ids_of_part(self, part: str) -> Sequence[int]:
        """Return the ids of a part; one lookup suffices if the whole part is a token."""
        if part.isascii() and part.isalnum() and len(part) <= self._word_characters_max:
            token_id = self._token_to_id(part.lower() if self._is_lowercase else part)
            if token_id is not None:
                return (token_id,)
        return tuple(self._tokenize(part))
