"""Lookup of names by word and by substring, compared with a scan of all names."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.structures import records
from clew.index.symbol_words import NameWords
from clew.text.terms import count_words, term_of
from tests.examples import examples
from tests.stored import written

PIECES = st.sampled_from(
    ["clock", "Clocks", "drift", "e", "snake_case", "well-known", "潮汐表", "É", "a\nb", "\udc80"]
)
NAMES = st.lists(PIECES, min_size=1, max_size=4).map(" ".join)
PARTS = st.sampled_from(["clock", "K", "snake_", "潮", "é", "t c", "zz", "\n", "\udc80", "ÿ"])
WORDS = st.sets(st.sampled_from(["clock", "drift", "case", "潮汐", "snakecase"]))


def read_back(table: NameWords) -> NameWords:
    return NameWords.read(written(table.columns()))


def table_of(names: list[str], stored: int = 0) -> NameWords:
    """Return a table of ``names``, stored and read back after the first ``stored`` of them."""
    table = NameWords("english")
    table.add(names[:stored])
    table = read_back(table) if stored else table
    for start in range(stored, len(names), 3):
        table.add(names[start : start + 3])
    return table


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], NameWords]:
    """Return names and their table: stored or not, with some names dropped."""
    names: list[str] = draw(st.lists(NAMES))
    table = table_of(names, draw(st.integers(0, len(names))))
    compacts, stores = draw(st.booleans()), draw(st.booleans())
    if names and compacts:
        kept = draw(st.lists(st.integers(0, len(names) - 1), unique=True))
        table.compact(np.array(kept, np.int64))
        names = [names[number] for number in kept]
    return names, read_back(table) if stores else table


@examples()
@given(tables(), WORDS)
def test_names_are_found_by_word_with_counts(
    given: tuple[list[str], NameWords], words: set[str]
) -> None:
    names, table = given
    numbers, counts = table.names_with_any_word(words)
    held = [sum(count_words(name)[word] for word in words) for name in names]
    expected = [(number, count) for number, count in enumerate(held) if count]
    assert list(zip(numbers.tolist(), counts.tolist(), strict=True)) == expected


@examples()
@given(tables(), PARTS)
def test_names_are_found_by_substring_in_any_case(
    given: tuple[list[str], NameWords], part: str
) -> None:
    names, table = given
    expected = [n for n, name in enumerate(names) if part.casefold() in name.casefold()]
    assert table.names_containing(part).tolist() == expected
    assert [table.folded(n) for n in expected] == [names[n].casefold() for n in expected]


@pytest.mark.parametrize("piece_bytes", [1, 30, 31, 100, 10_000])
def test_names_are_found_in_portions_of_any_size(
    monkeypatch: pytest.MonkeyPatch, piece_bytes: int
) -> None:
    monkeypatch.setattr(records, "PIECE_BYTES", piece_bytes)
    names = [f"{'x' * (number % 7)} clock {number}" for number in range(50)]
    table = table_of(names, 40)
    assert table.names_containing("clock").tolist() == list(range(50))
    assert table.names_containing("x clock 4").tolist() == [
        *range(4, 5),
        *range(40, 42),
        *range(43, 49),
    ]


@examples()
@given(tables(), WORDS)
def test_words_are_found_by_their_term(given: tuple[list[str], NameWords], words: set[str]) -> None:
    names, table = given
    known = {word for name in names for word in count_words(name)}
    for term in {term_of(word, "english") for word in words}:
        expected = {word for word in known if term_of(word, "english") == term}
        assert set(table.words_of_term(term)) == expected


def test_the_length_of_a_name_is_its_number_of_words() -> None:
    names = ["clock", "clock drift", "clock-drift", "inverse_barometer-effect", "潮汐"]
    for stored in (0, 2, 5):
        assert table_of(names, stored).lengths.tolist()[:4] == [1, 2, 2, 3]


def test_the_empty_substring_finds_nothing() -> None:
    assert table_of(["a b"]).names_containing("").tolist() == []


def test_a_copy_does_not_see_later_names() -> None:
    table = table_of(["clock drift"])
    copy = table.copy()
    table.add(["clock tower"])
    assert copy.names_containing("clock").tolist() == [0]
    assert copy.names_with_any_word(["clock", "tower"])[0].tolist() == [0]
    assert copy.words_of_term("tower") == []
    assert len(read_back(copy)) == 1
