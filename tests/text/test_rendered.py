"""Rendered text: links become the text that they show, and code is unchanged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.markdown.rendered import render

CODE = [
    "`arr[[0, 1]]`",
    "``x[1](y) ` [[z]]``",
    "```sh\nif [[ -f a ]]; then\n```",
    "`handlers[name](it)`",
]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("[[Tide gauge]] and [[Clock|the clock]]", "Tide gauge and the clock"),
        ("[[Clock|[1]]], [[Array [0]]] and [[Clock|a|b]]", "[1], Array [0] and a|b"),
        ("[[Clock#Array [0]|the array]] and [[A [b] [c]|[1]]]", "the array and [1]"),
        ("![[a [b].png|300]] ![[a.png|x [1]|300x200]]", "a [b].png x [1]"),
        ('![[a.png]] [text](https://x.org "t") [![p](q)](r)', "a.png text p"),
        ("said so ^id-1\nand [[on]] ^id-2", "said so \nand on "),
        ("one ` alone, [[a|b]]", "one ` alone, b"),
        ("not closed ``[[a|b]]`", "not closed ``b`"),
    ],
)
def test_links_become_the_text_that_they_show(text: str, seen: str) -> None:
    assert render(text) == seen


@given(st.lists(st.sampled_from([*CODE, "[[a|b]]", "words "]), max_size=8))
def test_code_is_unchanged_everywhere(parts: list[str]) -> None:
    expected = ["b" if part == "[[a|b]]" else part for part in parts]
    assert render("\n".join(parts)) == "\n".join(expected)


@given(st.text(alphabet="`[]|()a \n^", max_size=60))
def test_only_marks_of_links_are_removed(text: str) -> None:
    seen = render(text)
    assert len(seen) <= len(text)
    if not set(text) & set("[^"):
        assert seen == text
