"""From text to the pieces a tokenizer knows, word by word where that gives the same pieces.

A tokenizer of BERT's kind parts a text at white space and punctuation before all else, and reads
each part by itself; so the pieces of a word are looked for once and kept. Any other tokenizer reads
every text whole. One text is read at a time: batches would start threads of the library's own.

What looks like a special token (``[PAD]``) is read as the text it is.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, cast

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from clew.values.arrays import Int64Array

Tokenize = Callable[[str], list[int]]

WORDS_MAX = 100_000  # whose pieces are kept; some 20 MB

# Where BERT's rules part any word: these characters stand alone. Those beyond ASCII are left to the
# tokenizer, since what it does depends on its settings.
_PART = re.compile(r"[^!-/:-@\[-`{-~]+|[!-/:-@\[-`{-~]")
# White space for Python, and for BERT's rules characters that are dropped, or not: left to it too.
_DOUBTFUL = re.compile(r"[\v\f\x1c-\x1f\x85]")
_TELLS = re.compile("[0-9\u3400-\u4dbf\u4e00-\u9fff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def make_tokenize(tokenizer: Tokenizer) -> Tokenize:
    """Return what gives the ids of a text's pieces in order, with unknown ones, nothing left out.

    The tokenizer is the reader's from now on: its settings are changed. A text that makes it fail
    has no pieces. The reader may be called from several threads.
    """
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True

    def read(text: str) -> list[int]:
        # The library takes no surrogates. Its code in Rust may panic, which is no ``Exception``.
        try:
            return tokenizer.encode(_SURROGATE.sub("\ufffd", text), add_special_tokens=False).ids
        except BaseException as error:
            if isinstance(error, Exception) or is_panic(error):
                return []
            raise

    return CachedTokenizer(tokenizer, read) if splits_at_words(tokenizer) else read


def splits_at_words(tokenizer: Tokenizer) -> bool:
    """Tell whether the pieces of a text are those of its words, by the tokenizer's kind."""
    added: Iterable[Any] = tokenizer.get_added_tokens_decoder().values()
    return (
        isinstance(tokenizer.normalizer, BertNormalizer)
        and isinstance(tokenizer.pre_tokenizer, BertPreTokenizer)
        and isinstance(tokenizer.model, WordPiece)
        and all(token.special and not token.content.isalnum() for token in added)
    )


def unknown_id(tokenizer: Tokenizer) -> int | None:
    """Return the id that stands for what the tokenizer does not know, if it has one."""
    model: Any = tokenizer.model
    if hasattr(model, "unk_token"):
        return None if model.unk_token is None else tokenizer.token_to_id(model.unk_token)
    found: int | None = json.loads(tokenizer.to_str())["model"].get("unk_id")
    return found


def informative_letter_counts(tokenizer: Tokenizer, token_count: int) -> Int64Array:
    """Return how many letters of a text each piece stands for, 0 where it tells nothing of them.

    Of an alphabet that a model never saw its tokenizer has single letters, which tell nothing;
    unlike digits, and signs that are words.
    """
    letters = np.zeros(token_count, np.int64)
    unknown = unknown_id(tokenizer)
    for token, number in tokenizer.get_vocab().items():
        bare = token.removeprefix("##").lstrip("\u2581\u0120")
        if number < token_count and number != unknown and (len(bare) > 1 or _TELLS.match(bare)):
            letters[number] = sum(character.isalnum() for character in bare)
    return letters


def is_panic(error: BaseException) -> bool:
    """Tell whether an error is a panic in code written in Rust; its type cannot be imported."""
    return type(error).__name__ == "PanicException"


class CachedTokenizer:
    """Reads texts word by word and keeps the pieces of words, ``WORDS_MAX`` and one text's more."""

    def __init__(self, tokenizer: Tokenizer, read: Tokenize) -> None:
        self._id_of = tokenizer.token_to_id
        self._read = read
        normalizer, model = cast("Any", tokenizer.normalizer), cast("Any", tokenizer.model)
        self._is_lowered: bool = normalizer.lowercase
        self._characters_max: int = model.max_input_chars_per_word
        self._known: dict[str, Sequence[int]] = {}

    def __call__(self, text: str) -> list[int]:
        """Return the ids of a text's pieces in order."""
        if _DOUBTFUL.search(text):
            return self._read(text)
        words = text.split()
        known = self._known
        fresh = {word for word in words if word not in known}
        if fresh and len(known) > WORDS_MAX:
            # Another thread may still be reading from the one before.
            self._known = known = {}
            fresh = set(words)
        for word in fresh:
            parts = _PART.findall(word)
            for part in parts:
                if part not in known:
                    known[part] = self._pieces(part)
            known[word] = tuple(chain.from_iterable(map(known.__getitem__, parts)))
        return list(chain.from_iterable(map(known.__getitem__, words)))

    def __len__(self) -> int:
        """Return of how many words the pieces are kept."""
        return len(self._known)

    def _pieces(self, part: str) -> Sequence[int]:
        """Return the pieces of a part; one that is a piece itself is its own longest match."""
        if part.isascii() and part.isalnum() and len(part) <= self._characters_max:
            whole = self._id_of(part.lower() if self._is_lowered else part)
            if whole is not None:
                return (whole,)
        return tuple(self._read(part))
