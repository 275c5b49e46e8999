"""Which text of a note is code, compared with a full CommonMark parse."""

import random
import re
from collections.abc import Iterable

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from clew.text.markdown.blocks import Block, TooComplex, blocks, text_lines
from tests.parsing import parse_note
from tests.tables import for_each_row

COMMONMARK = MarkdownIt("commonmark")
PROBE = re.compile(r"\[\[probe (\d+)\]\]")
DOCUMENT_COUNT = 3_000

STARTS = [
    *("", "", "", "  ", "    ", "\t", "      ", "> ", ">", "> > ", "- ", "-   ", "-\t", "* "),
    *("1. ", "10) ", "  - ", "    - ", "# ", "## ", "> - ", "- > ", "-     ", ">     ", " \t"),
]
LINES = [
    *(
        "",
        "",
        "```",
        "```",
        "~~~",
        "````",
        "``` info",
        "~~~~",
        "---",
        "===",
        "***",
        "___",
        "-",
        ">",
    ),
    *("<div>", "</div>", "<!-- x", "-->", "<pre>", "</pre>", "<?x", "?>", "<b>", "[x]: y", "[x]:"),
]
PIECES = [
    *(
        "word ",
        "word ",
        "`",
        "`",
        "``",
        "```",
        " ` ",
        "*",
        "**",
        "_",
        "\\`",
        "\\\\",
        "\\*",
        "&amp;",
    ),
    *("<b>", "</b>", '<a href="', '">', "<", ">", "<!-- ", " -->", "<?", "?>", "<x@y.z>", "a"),
    *("<https://x.y/", ">", "](y) ", " [x](y) ", " [x](<y", '"', "'", "|", "~~~", "  ", "#"),
]


def random_markdown(draw: random.Random) -> str:
    """Draw Markdown made of fragments, each with a numbered link where a link may be."""
    count = 0
    lines = []
    for _ in range(draw.randint(1, 12)):
        if draw.random() < 0.3:
            lines.append(draw.choice(STARTS) + draw.choice(LINES))
            continue
        line = draw.choice(STARTS)
        for _ in range(draw.randint(1, 5)):
            line += draw.choice(PIECES)
            if draw.random() < 0.4:
                line += f"[[probe {count}]] "
                count += 1
        lines.append(line)
    return "\n".join(lines)


def probes_by_place(text: str) -> tuple[set[str], set[str]]:
    """Return the links in code and those in plain text, as the full parse has them."""
    in_code: set[str] = set()
    in_text: set[str] = set()
    for token in _leaves(COMMONMARK.parse(text)):
        if token.type in ("code_inline", "fence", "code_block"):
            in_code.update(PROBE.findall(token.content))
        elif token.type == "text":
            in_text.update(PROBE.findall(token.content))
    return in_code, in_text


def _leaves(tokens: list[Token]) -> list[Token]:
    return [leaf for token in tokens for leaf in (token.children or [token])]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_links_are_found_in_commonmarks_text_and_not_in_its_code(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(DOCUMENT_COUNT // 10):
        text = random_markdown(draw)
        in_code, in_text = probes_by_place(text)
        note = parse_note("a.md", "", text)
        found = {link.target.removeprefix("probe ") for link in note.links}
        assert not found & in_code, text
        assert in_text <= found, text


def test_the_random_markdown_has_code_and_text_of_every_kind() -> None:
    draw = random.Random(0)
    tokens = [
        leaf.type
        for _ in range(DOCUMENT_COUNT // 10)
        for leaf in _leaves(COMMONMARK.parse(random_markdown(draw)))
        if PROBE.search(leaf.content)
    ]
    kinds = ("code_inline", "fence", "code_block", "text", "html_block")
    assert all(tokens.count(kind) >= 10 for kind in kinds)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_blocks_with_links_are_those_of_a_plain_parse(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(DOCUMENT_COUNT // 10):
        text = random_markdown(draw)
        plain = [
            (token.map[0], token.content)
            for token in COMMONMARK.parse(text)
            if token.type in ("inline", "html_block") and token.map and "[[" in token.content
        ]
        found = [(block.line, block.content) for block in blocks(text)[0] if "[[" in block.content]
        definitions = [block for block in found if block[1].startswith("[x]:")]
        assert [block for block in found if block not in definitions or block in plain] == plain


def described(found: Iterable[Block]) -> list[tuple[int, int, str]]:
    """Return line, heading level and content of each block."""
    return [(block.line, block.level, block.content) for block in found]


def test_blocks_have_no_code_and_no_marks_of_lists_quotes_and_headings() -> None:
    found, _ = blocks("> - #a\n>   b\n\n## c ##\n\n    #code\n\n<p>#d\n")
    assert described(found) == [(0, 0, "#a\nb"), (3, 2, "c"), (7, 0, "<p>#d\n")]


@for_each_row(
    ("text", "found"),
    [
        ("text\n[^a]: b #c\n  #d", [(1, "b #c\n#d")]),
        ("[^a]: #b\n\n    #c\n\n\t#d\n\n    - #e", [(0, "#b"), (2, "#c"), (4, "#d"), (6, "#e")]),
        ("[^a]:\n    #b\n[^c]: [^d]: #e\n\n        #f", [(1, "#b"), (2, "#e"), (4, "#f")]),
        ("> [^a]: #b\n>\n>     #c\n\n    #code", [(0, "#b"), (2, "#c")]),
        ("- [^a]: #b\n\n      #c\n\n          #code", [(0, "#b"), (2, "#c")]),
        ("[^a]: b\n\n        #code\n\n   #c", [(4, "#c")]),
        ("    [^a]: b\n\n    #code", []),
        ("[^a b]: c\n\n    #code", []),
    ],
)
def test_the_blocks_of_a_footnote_are_indented(text: str, found: list[tuple[int, str]]) -> None:
    assert [(block.line, block.content) for block in blocks(text)[0]] == found


@pytest.mark.parametrize(
    "text", ["> " * 100 + "a", "- " * 100 + "a", "[^a]: " * 100 + "a", "# a\n" * 100_000]
)
def test_a_structure_over_the_bounds_is_refused(text: str) -> None:
    with pytest.raises(TooComplex):
        blocks(text)


def test_reading_line_by_line_recognizes_only_fences_and_headings() -> None:
    found = text_lines("# a\n```\n[[b]]\n```\n> [[c]]\nplain\n    [[d]]")
    assert described(found) == [(0, 1, "a"), (4, 0, "> [[c]]"), (6, 0, "    [[d]]")]
