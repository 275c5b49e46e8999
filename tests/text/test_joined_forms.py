"""The spellings of names of several words, such as FOAM_TITLE."""

from clew.text.terms import query_words
from clew.text.written_forms import joined_forms
from tests.text.test_linear import assert_linear


def test_the_spelling_of_a_joined_name_is_that_of_its_word() -> None:
    found = joined_forms("what FOAM_TITLE and e-mail -- and so_ -on and a-b_C is")
    assert found == {"foamtitle": "foam_title", "abc": "a-b_c"}
    assert all(word in query_words("FOAM_TITLE a-b_C") for word in found)


def test_long_names_take_linear_time() -> None:
    assert_linear(joined_forms, "a-", 20_000)
    assert_linear(joined_forms, "a_-", 20_000)
