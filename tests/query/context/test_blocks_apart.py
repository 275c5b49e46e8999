"""Blocks of a note stay blocks of their own in a pack, and code stays as it is."""

from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.query.context.note_pieces import entry_text, pieces_in_order
from tests.tables import for_each_row

BLOCKS = {
    "paragraph": "Text {0} of a note.",
    "item": "- item {0}\n  - below it {0}",
    "lazy item": "- item {0}\ncontinued",
    "step": "1. step {0}",
    "later step": "{0}7. step {0}",
    "table": "| name {0} | text |\n|---|---|\n| a | b |",
    "bare table": "name {0} | text\n--- | ---\na | b",
    "quotation": "> quoted {0}",
    "lazy quotation": "> quoted {0}\ncontinued",
    "callout": "> [!tip] Tip {0}\n> what it says",
    "code": "```py\nx = {0}\n\n\ndef f():\n    return x\n```",
    "heading": "## Heading {0}\n\nText {0} below it.",
}
MARKDOWN = MarkdownIt("commonmark").enable("table")
MANY_BLOCKS = st.lists(st.sampled_from(sorted(BLOCKS)), min_size=1, max_size=6)


def kinds(text: str) -> list[str]:
    """Return the kinds of the outermost blocks of a text, those of one kind in a row as one."""
    tokens = [token.type for token in MARKDOWN.parse(text) if not token.level]
    return [kind for kind, _ in groupby(each.removesuffix("_close") for each in tokens)]


def kinds_opened(text: str) -> list[str]:
    """Return ``kinds`` without the ends of blocks."""
    return [kind for kind, _ in groupby(k for k in kinds(text) if not k.endswith("_open"))]


@given(MANY_BLOCKS)
def test_blocks_are_the_same_in_each_template(blocks: list[str]) -> None:
    note = "\n\n".join(BLOCKS[kind].format(number) for number, kind in enumerate(blocks))
    card, pieces = pieces_in_order(f"# Tide\n\n{note}\n")
    for is_short in (True, False):
        shown = entry_text(card, pieces, is_short=is_short)
        assert kinds_opened(shown) == kinds_opened(note)


@given(MANY_BLOCKS, st.data())
def test_a_mark_joins_no_blocks(blocks: list[str], data: st.DataObject) -> None:
    note = "\n\n".join(BLOCKS[kind].format(number) for number, kind in enumerate(blocks))
    card, pieces = pieces_in_order(f"# Tide\n\n{note}\n\nThe end.\n")
    chosen = data.draw(st.lists(st.sampled_from(pieces), unique=True, max_size=3))
    chosen = sorted({*chosen, pieces[-1]}, key=lambda piece: piece.start)
    shown = entry_text(card, chosen, is_short=True)
    paragraphs = [token.content for token in MARKDOWN.parse(shown) if token.type == "inline"]
    assert any("The end." in each.split("\n") for each in paragraphs)
    assert kinds_opened(shown)[-1] == "paragraph"


@for_each_row(
    "code",
    [
        "\n".join(f"def f{n}():\n    return {n}\n\n" for n in range(40)).rstrip("\n"),
        f"var a = '{'word ' * 300}';\nfoo('{'x' * 900}');",
    ],
)
def test_code_in_several_pieces_is_shown_as_it_is(code: str) -> None:
    block = f"```js\n{code}\n```"
    card, pieces = pieces_in_order(f"# Tide\n\n{block}\n")
    assert len(pieces) > 2
    for is_short in (True, False):
        assert entry_text(card, pieces, is_short=is_short) == block


def test_the_mark_after_a_table_is_a_row_only_if_rows_are_left_out() -> None:
    card, pieces = pieces_in_order(
        "# Tide\n\n| a |\n|---|\n| 1 |\n| 2 |\n\nText.\n\n## B\n\nEnd.\n"
    )
    *chosen, _, last = pieces
    assert "| 2 |\n\n[…]\n" in entry_text(card, [*chosen, last], is_short=True)
    assert "| 1 |\n| […] |\n" in entry_text(card, [*chosen[:-1], last], is_short=True)


INDENTED = "At Cambados:\n\n    12.01,ok\n    # clock step\n    12.02,ok\n\nThe comment matters."


def test_indented_code_stays_code() -> None:
    card, pieces = pieces_in_order(f"# Tide\n\n{INDENTED}\n")
    assert entry_text(card, pieces, is_short=False) == INDENTED
    shown = entry_text(card, pieces, is_short=True)
    assert shown == INDENTED
    assert kinds_opened(shown) == ["paragraph", "code_block", "paragraph"]


@for_each_row(
    ("text", "chosen", "shown"),
    [
        (INDENTED, 2, "At Cambados:\n\n    12.01,ok\n\n[…]"),
        (
            "$$\nx = 1\n$$\n\n$$\ny = 2\n$$\n\n## B\n\nEnd.",
            -1,
            "$$\nx = 1\n$$\n\n[…]\n#### B\n\nEnd.",
        ),
    ],
)
def test_a_mark_is_no_part_of_code_or_of_a_formula(text: str, chosen: int, shown: str) -> None:
    card, pieces = pieces_in_order(f"# Tide\n\n{text}\n")
    some = pieces[:chosen] if chosen > 0 else [pieces[0], pieces[-1]]
    assert entry_text(card, some, is_short=True) == shown


def test_code_that_goes_on_has_a_mark_at_its_end() -> None:
    code = "\n".join(f"step_{number} = {number}" for number in range(80))
    card, pieces = pieces_in_order(f"# Tide\n\n```py\n{code}\n```\n")
    assert entry_text(card, pieces[:2], is_short=True).endswith("\n```\n[…]")
    assert entry_text(card, pieces, is_short=True).endswith("\n```")


def test_a_heading_of_two_lines_is_one_heading() -> None:
    card, pieces = pieces_in_order("# Tide\n\n**links**:\nhttps://a.org\n---\n\nText.\n")
    assert entry_text(card, pieces, is_short=True) == "#### **links**: https://a.org\nText."


def test_a_line_of_tags_in_a_paragraph_is_left_out() -> None:
    card, pieces = pieces_in_order("# Tide\n\ndefine message broker\n#seed #two\n\nText.\n")
    assert entry_text(card, pieces, is_short=True) == "define message broker\nText."
