"""Counting by parts gives the count of the whole text."""

from hypothesis import given
from hypothesis import strategies as st

from clew.text.counting import BETWEEN, END, TokenParts
from clew.text.tokens import count_tokens
from tests.examples import examples

PIECES = st.sampled_from(
    [
        *(
            "\n\n",
            "\n",
            "\r\n",
            " ",
            "  \n\n",
            "/",
            "//x",
            "# A",
            "it's",
            "'s",
            ".",
            "\u0301",
            "12",
        ),
        *("*a*.", " (b)", "_c_", "d/", "e'", "…", "。", "”", "a. […]"),
    ]
)
texts = st.lists(st.one_of(PIECES, st.text(max_size=4)), max_size=30).map("".join)
lines = st.lists(st.one_of(st.just("the tide."), st.just("- [[a]] b"), texts), max_size=6)


@examples(300)
@given(st.lists(texts, min_size=1, max_size=4))
def test_the_count_of_a_text_is_the_sum_of_its_parts(drafts: list[str]) -> None:
    parts = TokenParts(count_tokens)
    for draft in drafts:
        assert parts.count(draft) == count_tokens(draft)


@examples(300)
@given(st.lists(lines, min_size=1, max_size=3), st.lists(lines, min_size=1, max_size=3))
def test_known_counts_of_passages_do_not_change_the_count(
    passages: list[list[str]], others: list[list[str]]
) -> None:
    parts = TokenParts(count_tokens)
    for passage in map("\n\n".join, passages):
        parts.add_counted(passage, TokenParts(count_tokens).part_tokens(passage))
    blocks = ["#" + "\n\n".join((*passages[0], *other)) for other in others]
    blocks += ["# A\n" + "\n\n".join((*passage, "*Tags: b*")) for passage in passages]
    assert parts.count_joined(blocks) == count_tokens(BETWEEN.join(blocks) + END)


def test_of_an_entry_only_what_its_passage_lacks_is_counted() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return count_tokens(text)

    passage = "\n\n".join(f"Paragraph {number} of the tide at the harbour." for number in range(20))
    parts = TokenParts(count)
    parts.add_counted(passage, TokenParts(count_tokens).part_tokens(passage))
    blocks = [f"### Tide (note)\n\n{passage}\n\n*Tags: sea*", "The end"]
    assert parts.count_joined(blocks) == count_tokens(BETWEEN.join(blocks) + END)
    assert len("".join(counted)) < len(passage) / 5


def test_of_the_ends_of_passages_only_the_signs_are_counted() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return count_tokens(text)

    passages = [f"The tide of day {number}.\n\nIt reached gauge {number}." for number in range(9)]
    parts = TokenParts(count)
    for passage in passages:
        parts.add_counted(passage, TokenParts(count_tokens).part_tokens(passage))
    blocks = [f"### Tide\n\n{passage}" for passage in passages]
    assert parts.count_joined([*blocks, "The end"]) == count_tokens(
        BETWEEN.join([*blocks, "The end"]) + END
    )
    ends = ["\n", "\n\n", ".\n\n"]
    assert sorted(counted) == sorted(["### Tide", "The end", *ends])


def test_a_text_is_counted_once_however_it_ends() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return count_tokens(text)

    parts = TokenParts(count)
    blocks = [f"The tide of day {number}, at gauge {number}." for number in range(9)]
    shown = [f"{block} […]" for block in blocks]
    parts.count_joined([*blocks, "The end"])
    parts.count_joined([*shown, "The end"])
    seen = len("".join(counted))
    texts = [*blocks, *shown, BETWEEN.join(blocks) + END, BETWEEN.join(shown)]
    assert [parts.count(text) for text in texts] == [count_tokens(text) for text in texts]
    assert seen < 1.2 * len("".join(blocks))
    assert len("".join(counted)) < seen + len(blocks[0])
