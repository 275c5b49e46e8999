"""Token counts equal those of tiktoken where it can count, and take linear time everywhere."""

import gc
import gzip
import pkgutil
import re
import sys
import threading
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st

import clew.text
from clew.text import tokens
from clew.text.tokens import BLANKS_MAX, LONG_BLANKS, count_tokens, tokens_at_least
from clew.values.errors import ClewError
from tests.examples import examples
from tests.tables import for_each_row

# The name of the ranks in tiktoken's cache: the sha1 of their URL.
CACHED = "fb374d419588a4632f3f557e76b4b70aebbca790"
RANKS = pkgutil.get_data("clew", "data/o200k_base.tiktoken.gz") or b""
TEXTS = Path(clew.text.__file__).parent.glob("*.py")

LETTERS = [chr(c) for c in range(sys.maxunicode) if unicodedata.category(chr(c))[0] in "LMNPSZ"]
# All characters that may count as white space.
BLANKS = [c for c in map(chr, range(0x10000)) if c.isspace() or unicodedata.category(c) == "Zs"]
BLANKS = [c for c in BLANKS if c not in "\r\n"] + ["\u180e", "\u200b", "\u2060", "\ufeff"]
SIGNS = [*"'/\\-_<>|.,!#`*[](){}=", "\ufffd", "\U0001f469\u200d\U0001f52c", "\U0001f3fd"]
WORDS = ["'s", "'LL", "'\u017f", "Word", "word", "WORD", "wOrd", "1234", "\u01c5", "e\u0301"]
PIECES = [*BLANKS, *"\r\n", "\r\n", *SIGNS, *WORDS, "<|endoftext|>", "<|endofprompt|>"]

texts = st.lists(st.one_of(st.sampled_from(PIECES), st.sampled_from(LETTERS))).map("".join)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tiktoken.Encoding]:
    """Yield tiktoken's own encoding, with its patterns and checks."""
    folder = tmp_path_factory.mktemp("ranks")
    (folder / CACHED).write_bytes(gzip.decompress(RANKS))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
        yield tiktoken.get_encoding("o200k_base")


@for_each_row(
    ("text", "count"),
    [
        ("", 0),
        ("hello world", 2),
        ("<|endoftext|>", 7),
        ("\ud800", 1),
        ("\U0001f44d\U0001f3fd", 3),
        ("日本語のメモ", 5),
        ("# Tide gauge\n\n- [[Clock drift|drift]] of 12.5 s\n", 19),
    ],
)
def test_golden_texts_have_the_recorded_counts(text: str, count: int) -> None:
    assert count_tokens(text) == count


@examples(2_000)
@given(text=texts)
def test_a_count_is_that_of_tiktoken(plain: tiktoken.Encoding, text: str) -> None:
    assert count_tokens(text) == len(plain.encode(text, disallowed_special=()))


@pytest.mark.slow
@examples(2_000)
@given(text=texts, prefix=st.integers(0, 20))
@example("!\x1c!\x1d!", 20)
@example(".\n/\n/\n/", 20)
def test_no_text_has_fewer_tokens_than_its_words_say(text: str, prefix: int) -> None:
    """The words of a part say it of the whole, too."""
    assert tokens_at_least(text[:prefix]) <= count_tokens(text)


def test_words_say_most_of_the_tokens_of_prose() -> None:
    prose = "The tide gauge lost its clock; see the notes of May. " * 20
    assert tokens_at_least(prose) >= 0.8 * count_tokens(prose)


@examples(300)
@given(text=st.text(st.characters(codec="utf-8") | st.characters(categories=["Cs"])))
@example("a\ud83d\udc4d\udc4d")
def test_a_surrogate_counts_as_tiktoken_counts_it(plain: tiktoken.Encoding, text: str) -> None:
    assert count_tokens(text) == len(plain.encode_ordinary(text))


@pytest.mark.parametrize("path", sorted(TEXTS), ids=lambda path: path.name)
def test_ordinary_text_has_the_count_of_tiktoken(plain: tiktoken.Encoding, path: Path) -> None:
    text = path.read_text()
    assert count_tokens(text) == len(plain.encode(text, disallowed_special=()))


@pytest.mark.slow
@examples(3_000)
@given(
    text=st.lists(
        st.one_of(
            st.tuples(st.sampled_from(BLANKS), st.integers(1, 9)).map(lambda run: run[0] * run[1]),
            st.sampled_from(PIECES),
        )
    ).map("".join)
)
def test_cutting_long_white_space_changes_no_count(plain: tiktoken.Encoding, text: str) -> None:
    """The bound is lowered to three spaces, where tiktoken can still count."""
    with pytest.MonkeyPatch.context() as patch:
        short = LONG_BLANKS.pattern.replace(f"{BLANKS_MAX}", "3")
        patch.setattr(tokens, "LONG_BLANKS", re.compile(short))
        patch.setattr(tokens, "BLANKS_MAX", 0)
        assert count_tokens(text) == len(plain.encode_ordinary(text))


LONG = 1_000_000
FAST_S = 0.15
RATIO_MAX = 10.0
RUNS = {
    "a letter": "a" * LONG,
    "a capital": "A" * LONG,
    "letters": "a b" * (LONG // 3),
    "signs": "!" * LONG,
    "marks": "\u0301" * LONG,
    "ideographs": "\u4e2d" * (LONG // 3),
    "emoji": "\U0001f44d\U0001f3fd" * (LONG // 8),
    "digits": "1" * LONG,
    "line ends": "\n" * LONG,
    "slashes": "\n/" * (LONG // 2),
    "contractions": "'s" * (LONG // 2),
    "spaces": " " * LONG,
    "spaces and a letter": " " * LONG + "x",
    "spaces and a line end": " " * LONG + "\n",
    "spaces between": ("x" + " " * (LONG // 3)) * 3,
    "wide spaces": "\u3000" * LONG + "\u3002",
    "spaces too few to cut": (" " * (BLANKS_MAX - 1) + "x") * (LONG // BLANKS_MAX),
    "lines of spaces": (" " * BLANKS_MAX + "\n") * (LONG // BLANKS_MAX),
    "spaces and line ends": " \n" * (LONG // 2) + " x",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", RUNS.values(), ids=RUNS)
def test_a_run_of_one_character_is_counted_in_linear_time(text: str) -> None:
    """Four times the text takes less than 10 times as long; with quadratic time it would be 16."""
    count_tokens("")
    small_s, large_s = 0.0, seconds(text)
    for _ in range(6):
        if large_s < max(FAST_S, RATIO_MAX * small_s):
            return
        small_s = max(small_s, seconds(text[: len(text) // 4]))
        large_s = min(large_s, seconds(text))
    assert large_s < max(FAST_S, RATIO_MAX * small_s)


def seconds(text: str) -> float:
    gc.disable()
    start_s = time.process_time()
    assert count_tokens(text) <= len(text.encode())
    taken_s = time.process_time() - start_s
    gc.enable()
    return taken_s


@pytest.mark.slow
def test_too_many_spaces_for_tiktoken_are_counted_by_its_rule_for_fewer() -> None:
    """Every 128 spaces are a token, and the last space belongs to the word."""
    assert count_tokens(" " * 1_280_000) == 10_000
    assert count_tokens("a" + " " * 1_280_001 + "x") == 1 + 10_000 + 1
    assert count_tokens(" " * 1_280_001 + "\n") == count_tokens(" " * 1_281 + "\n") + 9_990


def test_threads_share_one_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[tiktoken.Encoding] = []
    monkeypatch.setattr(tokens, "_loaded", loaded)
    begin = threading.Barrier(4)

    def count() -> None:
        begin.wait()
        counts.append(count_tokens("hello world"))

    counts: list[int] = []
    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [2] * 4
    assert len(loaded) == 1


DAMAGED = {
    "cut": RANKS[:900_000],
    "one byte": RANKS[:900_000] + b"!" + RANKS[900_001:],
    "no archive": b"aGk= 1\n",
    "other ranks": gzip.compress(b"aGk= 1\n"),
}


@pytest.mark.parametrize("ranks", DAMAGED.values(), ids=DAMAGED)
def test_damaged_ranks_are_an_error(ranks: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_loaded", [])
    monkeypatch.setattr(pkgutil, "get_data", lambda *_: ranks)
    with pytest.raises(ClewError, match=r"o200k_base\.tiktoken\.gz is damaged"):
        count_tokens("")


def test_missing_ranks_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_loaded", [])
    monkeypatch.setattr(tokens, "_RANKS", "data/gone.gz")
    with pytest.raises(ClewError, match=r"gone\.gz is damaged"):
        count_tokens("")
