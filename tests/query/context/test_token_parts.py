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


LINES = st.sampled_from(
    [
        "# A",
        "It's an odd day.",
        "It's an odd day",
        "as we're odd",
        "/a b",
        "  - c d",
        "",
        "e f\u0301",
        "x 12 y",
    ]
)


@examples(300)
@given(st.lists(st.lists(LINES, max_size=6), max_size=3), st.lists(LINES, max_size=12), st.data())
def test_a_text_with_lines_of_known_texts_has_the_same_count(
    known: list[list[str]], lines: list[str], data: st.DataObject
) -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return count_tokens(text)

    parts = TokenParts(count)
    for each in known:
        text = data.draw(st.sampled_from(["\n", "\n\n"])).join(each)
        parts.know(text, count_tokens(text))
        lines += each
    for between in ("\n", "\n\n"):
        text = between.join(lines)
        assert parts.count(text) == count_tokens(text)


def test_a_known_text_is_not_counted_again() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return count_tokens(text)

    known = "## The clock\n\nIt drifts in the cold, as we saw.\nNobody knows why it does."
    parts = TokenParts(count)
    parts.know(known, count_tokens(known))
    shown = f"### Clock\n\n{known.replace('##', '####')}\n\n*Tags: a*\n"
    assert parts.count(shown) == count_tokens(shown)
    assert sum(map(len, counted)) < len(known)
