"""Counting by parts gives the count of the whole text."""

from hypothesis import given
from hypothesis import strategies as st

from clew.query.context.formulas.token_parts import TokenParts
from clew.text.tokens import count_tokens
from tests.examples import examples

PIECES = st.sampled_from(
    ["\n\n", "\n", "\r\n", " ", "  \n\n", "/", "//x", "# A", "it's", "'s", ".", "\u0301", "12"]
)
texts = st.lists(st.one_of(PIECES, st.text(max_size=4)), max_size=30).map("".join)


@examples(300)
@given(st.lists(texts, min_size=1, max_size=4))
def test_the_count_of_a_text_is_the_sum_of_its_parts(drafts: list[str]) -> None:
    parts = TokenParts(count_tokens)
    for draft in drafts:
        assert parts.count(draft) == count_tokens(draft)
