"""The text of an entry: its label, and a mark wherever text of its section is left out."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from clew.query.context import rendering
from clew.query.context.passages import NoteCard
from clew.query.context.pieces import Piece
from clew.query.context.rendering import Entry, entry_block
from clew.query.context.shown import runs
from clew.query.context.shown.leads import heads_above, is_head, with_leads
from clew.query.context.shown.related import named_files
from clew.query.context.shown.runs import label_path
from tests.query.context.note_pieces import entry_text, pieces_by_text
from tests.tables import for_each_row

TEXT = """# Tide

Intro of the note.

## Gauges

One line.

Two lines
of text.

- item one
- item two

---

### Clocks

Three. {long}. Four. {long}. Five.

```py
first = 1
```

[ref]: http://tide.org

## Harbours

#tide #clock

Last.
""".format(long="Drift " * 60)


CARD, PIECES = pieces_by_text(TEXT)


def shown(*starts: str, is_short: bool = False) -> str:
    pieces = [piece for text, piece in PIECES.items() if text.startswith(starts)]
    assert len(pieces) == len(starts), PIECES
    return entry_text(CARD, pieces, is_short=is_short)


def test_the_headings_above_an_entry_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_for: list[object] = []

    def counted(note: NoteCard, pieces: Sequence[Piece]) -> list[int]:
        looked_for.append(pieces)
        return label_path(note, pieces)

    for module in (rendering, runs):
        monkeypatch.setattr(module, "label_path", counted)
    entry_block(Entry(CARD, tuple(PIECES.values())[:3], 1.0), "default")
    assert len(looked_for) == 1


def test_noise_and_lines_of_tags_are_no_pieces() -> None:
    starts = [text.split(maxsplit=1)[0] for text in PIECES]
    code = ["Drift", "Four.", "Five.", "```py"]
    assert starts == ["Intro", "##", "Two", "-", "-", "###", *code, "##", "Last."]
    _, pieces = pieces_by_text("Trips.\n\n## Places\n![[Places.base]]\n\n## More\n\nOf them.\n")
    assert [*pieces] == ["Trips.", "## More"]  # by their first lines


@for_each_row(
    ("starts", "text"),
    [
        (("Intro",), "Intro of the note."),
        (("Two",), "[…]\n\nTwo lines\nof text.\n\n[…]"),
        (("Two", "- item one"), "[…]\n\nTwo lines\nof text.\n\n- item one\n\n[…]"),
        (("- item two",), "[…]\n\n- item two"),
        (("Intro", "- item two"), "Intro of the note.\n\n#### Gauges\n\n[…]\n\n- item two"),
        (
            ("## Gauges", "## Harb"),
            "#### Gauges\n\nOne line.\n\n[…]\n\n#### Harbours\n\n#tide #clock\n\n[…]",
        ),
        (
            ("Intro", "## Harb"),
            "Intro of the note.\n\n[…]\n\n#### Harbours\n\n#tide #clock\n\n[…]",
        ),
        (("```py",), "[…]\n\n```py\nfirst = 1\n```"),
        (("## Harb", "Last."), "#### Harbours\n\n#tide #clock\n\nLast."),
        (
            ("### Clocks", "Last."),
            "#### Gauges\n\n##### Clocks\n\nThree. […]\n\n#### Harbours\n\nLast.",
        ),
    ],
)
def test_marks_stand_where_text_of_the_section_is_left_out(
    starts: tuple[str, ...], text: str
) -> None:
    assert shown(*starts) == text


def test_a_cut_sentence_has_a_mark_in_every_template() -> None:
    for is_short in (True, False):
        text = shown("Four.", is_short=is_short)
        assert text.startswith("[…] Four.")


@for_each_row(
    ("starts", "text"),
    [
        (("Two",), "Two lines\nof text."),
        (("Two", "- item two"), "Two lines\nof text. […]\n- item two"),
        (("- item one",), "- item one […]"),
        (("- item two",), "[…]\n- item two"),
        (("Intro", "## Harb"), "Intro of the note. […]\n#### Harbours\n\n#tide #clock"),
        (("Two", "Last."), "#### Gauges\nTwo lines\nof text. […]\n#### Harbours\nLast."),
        (("Intro", "Two"), "Intro of the note.\n#### Gauges\n[…]\nTwo lines\nof text."),
    ],
)
def test_compact_has_marks_within_an_entry_and_where_a_list_is_cut(
    starts: tuple[str, ...], text: str
) -> None:
    assert shown(*starts, is_short=True) == text


LISTED = """# Tide

The causes are:

- the moon
  - its orbit
  - the distance
- the sun

| place | height | where |
|---|---|---|
| Muros | 3 | quay |
| Cambados | 4 | pier |
| Vigo | 3 | mole |

## Gauges

### Old

They need:

- a pipe

### New

They need nothing.
"""


def led(*starts: str, is_short: bool = True) -> str:
    """Return an entry with these pieces and what they hang on."""
    card, by_start = pieces_by_text(LISTED)
    pieces = [piece for text, piece in by_start.items() if text.startswith(starts)]
    assert len(pieces) == len(starts), by_start
    return entry_text(card, with_leads(card, pieces), is_short=is_short)


@for_each_row(
    ("starts", "text"),
    [
        (("- the moon",), "The causes are:\n- the moon […]"),
        (("- the sun",), "The causes are: […]\n- the sun"),
        (
            ("  - the dist",),
            "The causes are:\n- the moon […]\n  - the distance […]",
        ),
        (
            ("| Cambados",),
            "| place | height | where |\n|---|---|---|\n| […] |\n| Cambados | 4 | pier |\n| […] |",
        ),
        (
            ("| Muros", "| Vigo"),
            (
                "| place | height | where |\n|---|---|---|\n| Muros | 3 | quay |\n| […] |\n"
                "| Vigo | 3 | mole |"
            ),
        ),
        (("| place |",), "| place | height | where |\n| […] |"),
        (
            ("- a pipe", "### New"),
            "#### Old\nThey need:\n- a pipe\n#### New\n\nThey need nothing.",
        ),
        (("The causes",), "The causes are: […]"),
    ],
)
def test_rows_have_their_head_and_items_what_introduces_them(
    starts: tuple[str, ...], text: str
) -> None:
    assert led(*starts) == text


COMMENTED = """# Tide

One %%not this%% line.

%%
Nor this.

- or that
%%

<!-- nor
this -->
Two `%%` lines of `%%` text.

Three, %% open
"""


NOTED = (
    "# Tide\n\n> [!tip] On gauges\n> One line.\n>\n> Another line.\n\n> No callout,\n> two lines."
)


def test_a_line_of_a_callout_has_its_title() -> None:
    card, by_start = pieces_by_text(NOTED)
    pieces = list(by_start.values())
    assert [piece.text for piece in pieces][2] == "> Another line."
    text = entry_text(card, with_leads(card, pieces[2:3]), is_short=True)
    assert text == "> [!tip] On gauges […]\n> Another line."
    assert with_leads(card, pieces[4:5]) == pieces[4:5]
    assert heads_above(card.text, pieces, 2) == heads_above(card.text, pieces, 1) == [0]
    assert heads_above(card.text, pieces, 4) == []
    whole = entry_text(card, pieces, is_short=False)
    assert whole == NOTED.partition("\n\n")[2]
    assert [is_head(pieces, place) for place in range(5)] == [True, False, False, False, False]


def test_code_in_a_quotation_has_no_empty_line_of_it_around() -> None:
    text = "> One.\n>\n> ```py\n> x = 1\n> ```\n>\n> Two.\n> \n> Three."
    card, by_start = pieces_by_text(text)
    shown_text = entry_text(card, list(by_start.values()), is_short=False)
    assert shown_text == "> One.\n\n```py\nx = 1\n```\n\n> Two.\n>\n> Three."


def test_a_part_of_a_paragraph_joins_no_other_block() -> None:
    sentences = " ".join(f"Sentence {number} {'drifts ' * 12}." for number in range(8))
    card, by_start = pieces_by_text(f"| a |\n|---|\n| 1 |\n\n{sentences}\n\nAfter.")
    chosen = [piece for text, piece in by_start.items() if "Sentence 3" in text or text[0] != "S"]
    text = entry_text(card, chosen, is_short=False)
    assert text.startswith("| a |\n|---|\n| 1 |\n\n[…] Sentence 3")
    assert text.endswith(" […]\n\nAfter.")


def test_heads_of_tables_are_known_among_the_pieces_of_a_passage() -> None:
    card, by_start = pieces_by_text(LISTED)
    pieces = list(by_start.values())
    row = next(place for place, piece in enumerate(pieces) if piece.text.startswith("| Vigo"))
    assert heads_above(card.text, pieces, row) == [row - 4, row - 3]
    assert [place for place in range(len(pieces)) if is_head(pieces, place)] == [row - 4, row - 3]
    assert heads_above(card.text, pieces, row - 3) == heads_above(card.text, pieces, 1) == []
    assert is_head(pieces[: row - 2], row - 3), "rows are in the next passage"


def test_comments_are_left_out_without_a_mark() -> None:
    card, by_start = pieces_by_text(COMMENTED)
    text = "One  line.\n\nTwo `%%` lines of `%%` text.\n\nThree, %% open\n%%"
    assert entry_text(card, list(by_start.values()), is_short=False) == text
    one, *_ = by_start.values()
    assert entry_text(card, [one], is_short=False) == "One  line.\n\n[…]"
    card, by_start = pieces_by_text("# Tide\n\nOne.\n\n%%\nNot this.\n%%\n")
    assert entry_text(card, list(by_start.values()), is_short=False) == "One."


def test_a_comment_with_a_secret_is_left_out_whole() -> None:
    secret = "password: hunter2correcthorse"
    for text in (f"One %% {secret} and why %% line.", f"One <!-- {secret}\nand why --> line."):
        _, by_start = pieces_by_text(f"{text}\n")
        assert [(piece.text, piece.masked) for piece in by_start.values()] == [("One  line.", 0)]


def test_rows_stay_one_table_in_every_template() -> None:
    rows = "| place | height | where |\n|---|---|---|\n| […] |\n| Vigo | 3 | mole |"
    assert led("| Vigo") == rows
    assert led("| Vigo", is_short=False) == f"[…]\n\n{rows}"


def test_what_hangs_on_nothing_is_shown_alone() -> None:
    card, by_start = pieces_by_text("Text:\n\nMore.\n\n- one\n- two\n\n```\n| a\n- b\n```\n")
    pieces = list(by_start.values())
    for piece in pieces[1:]:
        assert with_leads(card, [piece]) == [piece]
    assert with_leads(card, pieces) == pieces


def test_a_label_names_only_headings_that_all_lines_are_under() -> None:
    card, by_start = pieces_by_text(LISTED)
    item, new = by_start["- a pipe"], by_start["### New"]
    both = entry_block(Entry(card, (item, new), 0.5), "default")
    assert both.startswith("### Tide > Gauges (note)")
    assert "\n\n#### Old\n\n[…]\n\n- a pipe\n\n#### New\n\nThey need nothing." in both
    alone = entry_block(Entry(card, (item,), 0.5), "default")
    assert alone.startswith("### Tide > Gauges > Old (note)")
    assert "####" not in alone


@pytest.mark.parametrize(
    ("template", "label"),
    [
        ("default", "### Tide > Gauges (note)\n`memory://Tide.md#L9-L10~"),
        ("compact", "### Tide > Gauges memory://Tide.md#L9-L10~"),
        (
            "detailed",
            "### Tide > Gauges (note)\n`memory://Tide.md#L9-L10~",
        ),
    ],
)
def test_a_label_has_the_headings_above_and_the_reference(template: str, label: str) -> None:
    block = entry_block(Entry(CARD, (PIECES["Two lines"],), 0.5, 1.25), template)
    assert block.startswith(label)
    details = "*Created: 2025-01-01 (name) | Changed: 2025-01-02 (git)*"
    assert (details in block) == (template == "detailed")
    assert ("*Score: 1.25 | Relevance: 0.50*" in block) == (template == "detailed")
    assert ("*Related files: a.py*" in block) == (template == "detailed")


def test_a_compact_label_has_no_title_that_the_reference_has() -> None:
    block = entry_block(Entry(CARD, (PIECES["Intro of the"],), 0.5), "compact")
    assert block.startswith("### memory://Tide.md#L3-L3~")
    named = replace(CARD, title="Tides")
    block = entry_block(Entry(named, (PIECES["Intro of the"],), 0.5), "compact")
    assert block.startswith("### Tides > Tide memory://Tide.md#L3-L3~")


def test_code_that_is_cut_is_in_a_fence_on_both_sides_of_the_mark() -> None:
    code = "\n".join(f"line_{number} = {number}  # of the code" for number in range(60))
    card, pieces = pieces_by_text(f"Text.\n\n~~~py\n{code}\n~~~\n\nAfter.")
    first, *others = [piece for text, piece in pieces.items() if "line" in text or "~" in text]
    text = entry_text(card, [first, others[-1]], is_short=False)
    before, mark, after = text.partition("\n[…]\n")
    assert mark
    assert before.startswith("[…]\n\n```py\nline_0 = 0")
    assert before.endswith("\n```")
    assert after.startswith("```py\nline_")
    assert "line_59" in after
    assert after.endswith("```\n\n[…]")


@pytest.mark.parametrize(
    ("frontmatter", "files"),
    [
        ("related_files: [a.py, 'b c.py']", ["a.py", "b c.py"]),
        ("files:\n  - a.py\n  - b.py\ntitle: x\n- c.py", ["a.py", "b.py"]),
        ("Related-Files: a.py", ["a.py"]),
        ("profiles: a.py", []),
    ],
)
def test_front_matter_names_related_files(frontmatter: str, files: list[str]) -> None:
    assert named_files(f"---\n{frontmatter}\n---\ntext") == files


def test_a_thematic_break_makes_no_heading_of_the_line_above_it() -> None:
    card, by_start = pieces_by_text("# A\n\n**Links**:\n\n---\nText.\n***\nMore.\n\n- - -\nLast.\n")
    text = entry_text(card, list(by_start.values()), is_short=True)
    assert text == "**Links**:\nText.\nMore.\nLast."
