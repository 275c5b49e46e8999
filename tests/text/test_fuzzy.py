"""Which words are near a misspelt one: by shape no near word is excluded, and edits are exact."""

import random

from hypothesis import example, given
from hypothesis import strategies as st

from clew.text.similarity.fuzzy import (
    CORRECTIONS_MAX,
    corrigible_words,
    edit_distances,
    edits_allowed,
    rows_near,
    shapes_of,
)
from tests.spelling import edits

# Few letters, so that words are similar; one beyond the BMP, and two with the same six low bits.
LETTERS = "abcé日\U0001d4d0" + chr(ord("a") + 64)
near_words = st.text(LETTERS, min_size=1, max_size=9)


@given(near_words, st.lists(near_words, max_size=12))
@example("abc", ["abcd", "ab", "bc", "acb", "abd", "abcde"])
@example("abcdef", ["badcfe", "abcdfe", "acdef", "xabcdef", "abcdefxy", "abcd", "xabcde"])
def test_every_near_word_has_a_near_shape(word: str, others: list[str]) -> None:
    near = {row for row, other in enumerate(others) if edits(word, other) <= edits_allowed(word)}
    rows = rows_near(word, *shapes_of(others)).tolist()
    assert rows == sorted(set(rows))
    assert near <= set(rows)


def test_few_other_words_have_a_near_shape() -> None:
    chance = random.Random(7)
    words = ["".join(chance.choices("etaoinshrdlucmfw", k=9)) for _ in range(10_000)]
    shapes = shapes_of(words)
    for word in words[:20]:
        assert len(rows_near(f"{word[:4]}q{word[5:]}", *shapes)) < len(words) / 20


@given(near_words, st.lists(near_words, max_size=12))
def test_edit_distances_equal_those_of_the_textbook(word: str, others: list[str]) -> None:
    distances = [(row, edits(word, other)) for row, other in enumerate(others)]
    near = [each for each in distances if each[1] <= edits_allowed(word)]
    assert sorted(edit_distances(word, others)) == near


@given(st.text(st.characters()), st.lists(st.text(st.characters())))
def test_any_text_can_be_compared(word: str, others: list[str]) -> None:
    word = word[:64]
    rows = rows_near(word, *shapes_of(others)).tolist()
    assert {row for row, _ in edit_distances(word, others)} <= set(rows)


def test_words_of_any_length_have_a_shape() -> None:
    words = ["a" * length for length in (0, 1, 62, 64, 66, 254, 255, 256, 300)]
    assert [len(words[row]) for row in rows_near("a" * 64, *shapes_of(words))] == [62, 64, 66]


def test_short_and_long_words_and_numbers_are_not_corrected() -> None:
    words = ["ab", "abc", "2023", "v12", "grph1", "नोट", "a" * 64, "a" * 65, "abc"]
    assert corrigible_words(words) == ["abc", "grph1", "नोट", "a" * 64]


def test_the_number_of_words_that_are_corrected_is_bounded() -> None:
    words = [f"databas{letter}" for letter in map(chr, range(0x4E00, 0x4E00 + 99))]
    assert corrigible_words(words) == words[:CORRECTIONS_MAX]
