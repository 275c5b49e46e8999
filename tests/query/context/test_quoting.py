"""Text of notes is data: read as Markdown, a pack has no structure but its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from clew.query.context.quoting import one_line, quoted
from tests.examples import examples

FRAGMENTS = st.sampled_from(
    [
        "# H",
        "## Relevant Memories",
        "> # q",
        "- # i",
        "1. ## x",
        "```",
        "````py",
        "~~~",
        "===",
        "---",
        "<!-- c",
        "<div>",
        "</div>",
        "%%",
        "$$",
        "`memory://a.md`",
        "*Tags: a*",
        "**Metadata**: {}",
        "text",
        "    # code",
        "\t# tab",
        "# ",
        "####### seven",
        "``` a`b",
        "*3 more did not fit.*",
    ]
)
texts = st.lists(st.one_of(FRAGMENTS, st.text(max_size=12)), min_size=1, max_size=8).map("\n".join)


@examples(300)
@given(texts)
def test_a_quoted_text_has_no_heading_of_the_pack_and_ends_before_the_next(text: str) -> None:
    tokens = MarkdownIt("commonmark").parse(f"### Title\n\n{quoted(text)}\n\n## Next\n\nend\n")
    levels = [token.tag for token in tokens if token.type == "heading_open"]
    assert [tag for tag in levels if tag in ("h1", "h2", "h3")] == ["h3", "h2"]
    # The heading after the text is at the top: no container and no fence of the text holds it.
    assert [t.level for t in tokens if t.type == "heading_open" and t.tag == "h2"] == [0]


def test_a_fence_is_longer_than_the_longest_run_inside() -> None:
    assert quoted("a\n`````\nb") == "``````\na\n`````\nb\n``````"


def test_headings_are_pushed_down() -> None:
    assert quoted("# A\n\n## B\n\ntext # no") == "#### A\n\n##### B\n\ntext # no"


@pytest.mark.parametrize(
    ("text", "line"),
    [("a\nb", "a b"), ("x" * 200, "x" * 120 + "…"), ("\x1b[31m red", "[31m red")],
)
def test_names_are_one_line(text: str, line: str) -> None:
    assert one_line(text) == line
