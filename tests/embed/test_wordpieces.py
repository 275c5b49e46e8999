"""Tokenizing word by word gives the same ids as tokenizing the whole text."""

import itertools
import json
import pkgutil
import threading
import tracemalloc
import unicodedata
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import BPE, Unigram, WordLevel
from tokenizers.pre_tokenizers import Whitespace

from clew.embed import wordpieces
from clew.embed.wordpieces import (
    CachedTokenizer,
    is_panic,
    make_tokenize,
    splits_at_words,
    unknown_id,
)
from tests.examples import examples
from tests.tables import for_each_row

SETTINGS = list(itertools.product([True, False], [True, False], [None, True, False], [True, False]))
EDGES = [chr(c) for c in (*range(0x300), *range(0x1FE0, 0x2070), *range(0x3000, 0x3010))]
MARKS = [c for c in map(chr, range(0x3100)) if unicodedata.category(c) in ("Mn", "Mc", "Cf")]
WORDS = [
    "tide",
    "Tide",
    "GAUGE",
    "caf\xe9",
    "unfathomably",
    "[PAD]",
    "[UNK]",
    "##s",
    "\u4e2d\u6587",
]
WORDS += ["x" * 100, "X" * 101, "\ufffd", "\u03a3\u0391\u03a3", "\u0130", "\u1e9e", "\uac00", "123"]

texts = st.lists(
    st.one_of(
        st.sampled_from(WORDS),
        st.sampled_from(EDGES),
        st.sampled_from(MARKS),
        st.sampled_from(" \t\n\r.,'"),
        st.characters(codec="utf-8"),
    ),
    max_size=12,
).map("".join)


@cache
def written() -> str:
    """Return the tokenizer of the package's model: its shortest tokens, and an unused one."""
    content = json.loads(pkgutil.get_data("clew", "data/builtin/tokenizer.json") or b"")
    kept = [token for token in content["model"]["vocab"] if len(token) <= 5] + ["x" * 101]
    content["model"]["vocab"] = {token: place for place, token in enumerate(kept)}
    return json.dumps(content)


def bert(clean: bool, chinese: bool, strip: bool | None, lower: bool) -> Tokenizer:
    content = json.loads(written())
    content["normalizer"] |= {"clean_text": clean, "handle_chinese_chars": chinese}
    content["normalizer"] |= {"strip_accents": strip, "lowercase": lower}
    return Tokenizer.from_str(json.dumps(content))


@cache
def readers(choice: tuple[bool, bool, bool | None, bool]) -> tuple[wordpieces.Tokenize, Tokenizer]:
    """Return the reader by words, and a tokenizer of the same settings to compare with."""
    whole = bert(*choice)
    whole.no_truncation()
    whole.encode_special_tokens = True
    return make_tokenize(bert(*choice)), whole


@pytest.mark.slow
@examples(2_000)
@given(text=texts, choice=st.sampled_from(SETTINGS))
def test_word_by_word_equals_whole_text(
    text: str, choice: tuple[bool, bool, bool | None, bool]
) -> None:
    read, whole = readers(choice)
    assert isinstance(read, CachedTokenizer)
    assert read(text) == whole.encode(text, add_special_tokens=False).ids


def test_a_full_cache_gives_the_same_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordpieces, "WORDS_MAX", 10)
    read = make_tokenize(Tokenizer.from_str(written()))
    assert isinstance(read, CachedTokenizer)
    whole = readers((True, True, None, True))[1]
    for number in range(200):
        text = f"word{number % 40} of, {number}"
        assert read(text) == whole.encode(text, add_special_tokens=False).ids
        assert len(read) <= 10 + 6


def test_a_full_cache_is_small() -> None:
    read = CachedTokenizer(Tokenizer.from_str(written()), lambda _text: [700, 701, 702])
    tracemalloc.start()
    for first in range(0, 60_000, 100):
        read(" ".join(f"word{number}" for number in range(first, first + 100)))
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 7_000_000


def test_threads_may_tokenize_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordpieces, "WORDS_MAX", 3)
    read = make_tokenize(Tokenizer.from_str(written()))
    sentences = [f"tide{n} gauge{n % 7}. clock{n % 3}" for n in range(50)]
    expected = [read(sentence) for sentence in sentences]
    found: list[bool] = []

    def repeat() -> None:
        found.extend([read(s) for s in sentences] == expected for _ in range(20))

    threads = [threading.Thread(target=repeat) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 80


def test_only_tokenizers_that_split_at_words_are_cached() -> None:
    assert splits_at_words(Tokenizer.from_str(written()))
    assert not splits_at_words(level({"a": 0, "[UNK]": 1}))
    for key, other in (
        ("normalizer", {"type": "Lowercase"}),
        ("pre_tokenizer", {"type": "Whitespace"}),
        ("added_tokens", [added("tide", True)]),
        ("added_tokens", [added("[gauge]", False)]),
    ):
        content = json.loads(written())
        content[key] = other
        assert not splits_at_words(Tokenizer.from_str(json.dumps(content)))


def added(content: str, special: bool) -> dict[str, object]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": 2, "content": content, "special": special, **flags}


def level(vocabulary: dict[str, int]) -> Tokenizer:
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    return tokenizer


def test_other_tokenizers_get_the_whole_text() -> None:
    tokenizer = level({"tide": 0, "[UNK]": 1})
    tokenizer.enable_padding(length=8)
    tokenizer.enable_truncation(2)
    assert make_tokenize(tokenizer)("tide x tide tide") == [0, 1, 0, 0]


def test_a_text_on_which_the_tokenizer_fails_has_no_wordpieces() -> None:
    assert make_tokenize(level({"tide": 0}))("tide gauge") == []


def test_a_lone_surrogate_becomes_the_replacement_character() -> None:
    assert make_tokenize(level({"\ufffd": 0, "[UNK]": 1}))("\ud800 \ufffd") == [0, 0]
    read, _ = readers((True, True, None, True))
    assert read("ti\udcffde") == read("tide")


@for_each_row(
    ("model", "expected"),
    [
        (WordLevel({"a": 0, "?": 1}, unk_token="?"), 1),
        (WordLevel({"a": 0, "?": 1}, unk_token="!"), None),
        (BPE({"a": 0, "?": 1}, [], unk_token="?"), 1),
        (BPE({"a": 0}, []), None),
        (Unigram([("a", 0.0), ("?", 0.0)], unk_id=1), 1),
        (Unigram([("a", 0.0)]), None),
    ],
)
def test_the_unknown_token_is_found(model: BPE, expected: int | None) -> None:
    assert unknown_id(Tokenizer(model)) == expected


def test_a_panic_is_distinguished_from_other_errors() -> None:
    assert is_panic(type("PanicException", (BaseException,), {})())
    assert not is_panic(KeyboardInterrupt())
