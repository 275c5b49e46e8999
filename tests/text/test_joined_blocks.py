"""Blocks of Markdown as one line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.markdown.joined_blocks import SEPARATOR, joined_blocks
from tests.timed import check_within

MARKS = ("", "# ", "### ", "- ", "* ", "1. ", "> ", "> > ", "- [ ] ", "| ", "  - ", "\t", "- - ")
WORDS = st.lists(
    st.sampled_from(("tide", "ebb.", "**flood**", "-", "x-y", "潮。")), min_size=1, max_size=4
)
ROWS = st.lists(st.tuples(st.sampled_from(MARKS), WORDS), max_size=12)


@given(ROWS)
def test_no_word_is_lost_and_the_text_is_one_line(rows: list[tuple[str, list[str]]]) -> None:
    line = joined_blocks("\n".join(mark + " ".join(words) for mark, words in rows))
    assert line.split() == line.split(" ") or not line
    kept = [word for word in line.split() if word not in (SEPARATOR, "-", "[", "]")]
    written = [word for _, words in rows for word in words if word != "-"]
    assert kept == written


@given(ROWS)
def test_a_separator_stands_between_words_alone(rows: list[tuple[str, list[str]]]) -> None:
    words = joined_blocks("\n".join(mark + " ".join(given) for mark, given in rows)).split()
    places = [at for at, word in enumerate(words) if word == SEPARATOR]
    assert all(0 < at < len(words) - 1 and words[at + 1] != SEPARATOR for at in places)


@pytest.mark.parametrize("text", ["> " * 200_000, "- " * 200_000, "#" * 200_000, "\n|" * 200_000])
def test_the_time_is_linear(text: str) -> None:
    check_within(1.0, lambda: joined_blocks(text))
