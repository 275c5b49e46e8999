"""Normalization of text into concepts: the rules, and properties of every text."""

import random
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.concept import CONCEPT_CHARACTERS_MAX, fold_name, normalize
from tests.data import rows
from tests.examples import IS_LONG, examples
from tests.tables import for_each_row

ADVERSARIAL_COUNT = 1_000_000 if IS_LONG else 100_000

MARKS = [c for c in map(chr, range(0x20000)) if unicodedata.category(c) in ("Mn", "Mc", "Me")]
FORMATS = [c for c in map(chr, range(0xE0080)) if unicodedata.category(c) in ("Cc", "Cf")]
JAMO = [chr(c) for c in (*range(0x1100, 0x1200), *range(0xAC00, 0xAC20), *range(0x3131, 0x3190))]
CASINGS = [
    c
    for c in map(chr, range(0x20000))
    if len(c.casefold()) > 1
    or unicodedata.normalize("NFKC", c.casefold()) != unicodedata.normalize("NFKC", c).casefold()
]
PLAIN = list("aAiIsSkK019 _-/\t.=<>")
POOLS = [MARKS, MARKS, FORMATS, JAMO, CASINGS, PLAIN]

adversarial_text = st.text(
    st.one_of(*(st.sampled_from(pool) for pool in POOLS), st.characters()), max_size=12
)


@for_each_row(("text", "concept"), rows("concepts.tsv"))
def test_text_names_the_expected_concept(text: str, concept: str) -> None:
    assert normalize(text) == concept


@examples(1_000)
@given(adversarial_text)
def test_a_concept_names_itself(text: str) -> None:
    concept = normalize(text)
    assert normalize(concept) == concept


@pytest.mark.slow
def test_a_concept_names_itself_for_many_adversarial_strings() -> None:
    draw = random.Random(20)
    for _ in range(ADVERSARIAL_COUNT):
        text = "".join(draw.choice(draw.choice(POOLS)) for _ in range(draw.randint(1, 6)))
        concept = normalize(text)
        assert normalize(concept) == concept, ascii(text)


@examples(500)
@given(adversarial_text)
def test_a_concept_holds_no_separator_but_single_hyphens_inside(text: str) -> None:
    words = normalize(text).split("-")
    assert all(words) or words == [""]
    assert not any(c.isspace() or c in "_/" for word in words for c in word)


@examples(500)
@given(adversarial_text)
def test_a_concept_is_composed_folded_and_free_of_controls(text: str) -> None:
    concept = normalize(text)
    assert unicodedata.is_normalized("NFC", concept)
    assert not any(unicodedata.category(c) in ("Cc", "Cf") for c in concept)
    assert unicodedata.normalize("NFKC", concept.casefold()) == concept


def test_no_character_becomes_a_control() -> None:
    for character in map(chr, range(0x110000)):
        if unicodedata.decomposition(character) or character.casefold() != character:
            concept = normalize(character)
            assert not any(unicodedata.category(c) in ("Cc", "Cf") for c in concept), ascii(concept)


@examples()
@given(st.text(st.characters(max_codepoint=127)), st.text(st.characters(max_codepoint=127)))
def test_an_invisible_character_inside_changes_no_concept(before: str, after: str) -> None:
    assert normalize(before + "\u200b" + after) == normalize(before + after)


@examples()
@given(adversarial_text)
def test_equivalent_unicode_forms_name_one_concept(text: str) -> None:
    visible = "".join(c for c in text if unicodedata.category(c) not in ("Cc", "Cf"))
    forms = {normalize(unicodedata.normalize(form, visible)) for form in ("NFC", "NFD")}
    assert forms == {normalize(visible)}


@examples()
@given(
    st.lists(st.text("abcXYZ019", min_size=1, max_size=4), min_size=2, max_size=5),
    st.text(" \t\n_-/\u00a0\u2003\u3000", min_size=1, max_size=4),
)
def test_any_run_of_separators_joins_words_with_one_hyphen(words: list[str], run: str) -> None:
    assert normalize(run + run.join(words)) == "-".join(words).lower()


@pytest.mark.parametrize("letter", ["a", "é", "ab "])
def test_text_over_the_length_limit_names_no_concept(letter: str) -> None:
    longest = (letter * CONCEPT_CHARACTERS_MAX)[:CONCEPT_CHARACTERS_MAX].replace(" ", "-")
    longest = longest.rstrip("-").ljust(CONCEPT_CHARACTERS_MAX, "z")
    assert normalize(longest) == longest
    assert normalize(longest + "z") == ""


def test_length_is_counted_after_characters_expand() -> None:
    assert normalize("\ufdfa" * (CONCEPT_CHARACTERS_MAX // 18 + 1)) == ""


def test_length_is_counted_after_separators_collapse() -> None:
    assert normalize("a" + " " * 500 + "b") == "a-b"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Café", "Cafe\u0301"),
        ("Straße", "STRASSE"),
        ("\u212a", "k"),
        ("ΟΔΟΣ", "οδος"),
        ("\u0390", "\u0399\u0308\u0301"),
    ],
)
def test_file_names_compare_by_composed_form_and_case(left: str, right: str) -> None:
    assert fold_name(left) == fold_name(right)


@pytest.mark.parametrize(("left", "right"), [("①", "1"), ("a_b", "a b"), ("ａ", "a")])
def test_file_names_that_only_look_alike_stay_different(left: str, right: str) -> None:
    assert fold_name(left) != fold_name(right)


@examples(500)
@given(adversarial_text)
def test_a_file_name_folds_alike_however_it_is_composed(text: str) -> None:
    assert fold_name(unicodedata.normalize("NFD", text)) == fold_name(text)
