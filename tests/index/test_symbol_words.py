"""Lookup of names by word and by substring, compared with a scan of all names."""

from hypothesis import given
from hypothesis import strategies as st

from clew.index.symbol_words import NameTable
from clew.text.terms import count_words, term_of

PIECES = st.sampled_from(
    ["clock", "Clocks", "drift", "e", "snake_case", "well-known", "潮汐表", "É"]
)
NAMES = st.lists(PIECES, min_size=1, max_size=4).map(" ".join)
PARTS = st.sampled_from(["clock", "K", "snake_", "潮", "é", "t c", "zz"])


def table_of(names: list[str]) -> NameTable:
    table = NameTable("english")
    for at in range(0, len(names), 3):
        table.add(names[at : at + 3])
    return table


@given(st.lists(NAMES), st.sets(st.sampled_from(["clock", "drift", "case", "潮汐", "snakecase"])))
def test_names_are_found_by_word_with_counts(names: list[str], words: set[str]) -> None:
    table = table_of(names)
    numbers, counts = table.names_with_any_word(words)
    held = {name: sum(count_words(name)[word] for word in words) for name in names}
    found = zip(map(table.text, numbers.tolist()), counts.tolist(), strict=True)
    assert dict(found) == {name: count for name, count in held.items() if count}
    assert numbers.tolist() == sorted(numbers.tolist())


@given(st.lists(NAMES), PARTS)
def test_names_are_found_by_substring_in_any_case(names: list[str], part: str) -> None:
    table = table_of(names)
    expected = {name for name in names if part.casefold() in name.casefold()}
    assert {table.text(number) for number in table.names_containing(part).tolist()} == expected
    assert len(table.names_containing(part)) == len(expected)


@given(st.lists(NAMES))
def test_a_name_is_added_once(names: list[str]) -> None:
    table = table_of(names)
    assert len(table) == len(set(names))
    assert [table.text(table.number(name)) for name in names] == names


def test_words_are_found_by_their_term() -> None:
    table = table_of(["Clock", "two clocks", "drift"])
    assert sorted(table.words_of_term(term_of("clock", "english"))) == ["clock", "clocks"]
    assert table.words_of_term("nothing") == ()


def test_the_length_of_a_name_is_its_number_of_words() -> None:
    names = ["clock", "clock drift", "clock-drift", "inverse_barometer-effect", "潮汐"]
    assert table_of(names).lengths.tolist()[:4] == [1, 2, 2, 3]


def test_the_empty_substring_finds_nothing() -> None:
    assert table_of(["a b"]).names_containing("").tolist() == []
