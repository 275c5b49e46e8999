"""Text of notes is data: read as Markdown, a pack has no structure but its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from clew.query.quoting.note_text import one_line, quoted
from clew.text.regions.comments import comments_in
from clew.text.regions.noise import has_text
from tests.examples import examples
from tests.tables import for_each_row
from tests.text.test_linear import assert_linear
from tests.timed import check_within

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
        "*3 more candidates did not fit.*",
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


@for_each_row(
    ("text", "shown"),
    [
        ("~~~py\na\n```\nb\n~~~\nc", "````py\na\n```\nb\n````\nc"),
        ("a\n`````\nb", "a\n```\nb\n```"),
        ("- one\n  ```sh\n  ls\n  ```\n- two", "- one\n```sh\nls\n```\n- two"),
        ("> ```\n> ls\n> ```", "```\nls\n```"),
        ("Title\n===\n\ntext", "#### Title\n\ntext"),
        ("> Title\n> ===", "> Title\n> \\==="),
        ("a\n\n---\n\n[x]: http://x.org\nb[^1]\n\n[^1]: c", "a\n\nb[^1]\n\n[^1]: c"),
        ("<div>\n<a>fat</a> text\n<https://x.org>", "\\<a>fat</a> text\n<https://x.org>"),
        ('<span class="x">fat</span> and `<b>`', "fat and `<b>`"),
        ("one<br>two<p>H<sub>2</sub>O\n  - <kbd>Tab</kbd>", "one two H2O\n  - Tab"),
        ("<b></b># A\n<i>```</i>\n<b>x</b>", "#### A\n```\n<b>x</b>\n```"),
        ("**Metadata**: {}", "\\**Metadata**: {}"),
        ("a\x00b\u2028# c\u202ed", "a b # cd"),
        ("# A\n\n-\n\n- b", "#### A\n\n- b"),
        ("| a |\n|---|\n| b |", "| a |\n|---|\n| b |"),
        ("a\n\n|---|---|\n| b | c |", "a\n\n| b | c |"),
        ("> a\n> --", "> a\n> \\--"),
        ("%% a\n$$ x", "%% a\n$$ x\n%%\n$$"),
        ("comments (`%%`) and `$$`", "comments (`%%`) and `$$`"),
        ("```\n%%\n```\na", "```\n%%\n```\na"),
        ("[a]: http://b.org/%%c\nd", "d"),
    ],
)
def test_text_is_shown_as_no_structure_of_the_pack(text: str, shown: str) -> None:
    assert quoted(text) == shown


def test_headings_are_pushed_down() -> None:
    assert quoted("# A\n\n## B\n\ntext # no") == "#### A\n\n##### B\n\ntext # no"


@pytest.mark.parametrize(
    ("text", "line"),
    [("a\nb", "a b"), ("x" * 200, "x" * 120 + "…"), ("\x1b[31m red", "[31m red")],
)
def test_names_are_one_line(text: str, line: str) -> None:
    assert one_line(text) == line


def test_quoting_reads_a_long_run_of_blanks_once() -> None:
    assert_linear(quoted, " ", 20_000, end="<br")


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    [
        "<b ",
        "<b>",
        "<!--`",
        "%%",
        "%%`",
        "%%\n",
        "> ",
        "- ",
        "1. ",
        "`",
        "~",
        "#",
        "<a ",
        "=",
        "%",
        "<!--",
        "[a]: ",
        "\n> ```",
        "* _",
    ],
)
def test_quoting_takes_linear_time(part: str) -> None:
    text = part * (1_000_000 // len(part))
    check_within(3.0, lambda: (quoted(text), has_text(text), comments_in(text)), times=3)


def test_lines_that_a_program_keeps_for_itself_are_left_out() -> None:
    text = (
        "==⚠  Switch to EXCALIDRAW VIEW in the MORE OPTIONS menu of this document. ⚠==\n\n"
        "- one\n  id:: 65e6f1a2-1111-4222-8333-abcdefabcdef\n  collapsed:: true\n  heading:: 2\n"
        "  created-at:: 1621908710666\n- collapsed:: later\n  heading:: south\n"
    )
    assert quoted(text, 0) == "- one\n- collapsed:: later\n  heading:: south"


def test_a_hash_in_indented_code_makes_no_heading() -> None:
    code = "On the card:\n\n    08:59 1630\n    # clock step\n    09:00 1642"
    assert quoted(f"It grows.\n\n{code}") == f"It grows.\n\n{code}"
    in_list = "It grows.\n\n- On the card:\n\n    # clock step"
    assert quoted(in_list).endswith("\n\n    #### clock step"), "this is a heading, in a list"
