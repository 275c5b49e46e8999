"""What a pack shows of a note besides its text: so much, however much the note has."""

import pytest

from clew.query.context import rendering
from clew.query.context.rendering import Entry, EntryBlocks, entry_block
from tests.counted import counted
from tests.query.context.note_pieces import entry_text, pieces_by_text
from tests.query.context.packs import pack
from tests.tables import for_each_row
from tests.vaults import snapshot_of


def lines_of(note: str, query: str = "tide", template: str = "detailed") -> list[str]:
    return pack(snapshot_of({"a.md": note}), query, template=template).context.split("\n")


def test_the_first_eight_tags_of_a_note_are_shown_each_cut() -> None:
    tags = ["a" * 70, *(f"tag{number}" for number in range(8))]
    (line,) = (each for each in lines_of(f"---\ntags: {tags}\n---\ntide") if "tag0" in each)
    shown = line.partition(": ")[2].partition(" | ")[0].split(", ")
    assert shown == ["a" * 60 + "…", *tags[1:8]]


def test_twenty_related_files_are_shown_each_cut() -> None:
    files = ["f" * 90, *(f"file{number}.py" for number in range(20))]
    (line,) = (
        each for each in lines_of(f"---\nrelated_files: {files}\n---\ntide") if "file0" in each
    )
    shown = line.strip("*").partition(": ")[2].split(", ")
    assert shown == ["f" * 80 + "…", *files[1:20]]


@for_each_row(
    ("template", "headings"),
    [
        ("default", ["second", "third", "fourth", "l" * 100 + "…"]),
        ("compact", ["l" * 100 + "…"]),
    ],
)
def test_a_label_has_the_innermost_headings(template: str, headings: list[str]) -> None:
    levels = ("first", "second", "third", "fourth", "l" * 110)
    note = "".join(f"{'#' * at} {text}\n\n{'ebb ' * 400}\n\n" for at, text in enumerate(levels, 2))
    lines = lines_of(f"{note}tide {'ebb ' * 380}", template=template)
    label = next(each for each in lines if each.startswith("###"))
    assert label.partition(" memory:")[0].partition(" (")[0].split(" > ")[1:] == headings


def test_the_first_two_hundred_characters_of_a_query_are_shown() -> None:
    assert lines_of("tide", "tide " * 60)[0] == f"# Context for: {('tide ' * 60)[:199]}…"


def test_three_names_near_to_a_query_without_an_answer_are_shown() -> None:
    notes = {f"Quartz clock {letter}.md": "tide" for letter in "abcde"}
    context = pack(snapshot_of(notes), "Quarz klock").context
    assert context.partition("Near: ")[2].count("Quartz clock") == 3


HEADINGS = """# A

## <b>Keys</b> <a name="keys"></a>

One.

### `<a id="b">` <a ID=b />

Two.

Three.

## <a href="tide.org">Link</a>

Four.

Five.
"""


def test_headings_have_no_tags_that_name_a_place_or_a_look() -> None:
    card, by_start = pieces_by_text(HEADINGS)
    one, two, three, _, five = by_start.values()
    label = entry_block(Entry(card, (three,), 0.5), "default")
    assert label.startswith('### A > Keys > `<a id="b">` (note)')
    assert entry_block(Entry(card, (five,), 0.5), "compact").startswith(
        '### A > <a href="tide.org">Link</a> memory'
    )
    shown = entry_text(card, [one, two], is_short=False)
    assert shown == '#### Keys\n\nOne.\n\n##### `<a id="b">`\n\nTwo.\n\n[…]'
    shown = entry_text(card, [one, three], is_short=True)
    assert shown == '#### Keys\n\nOne.\n##### `<a id="b">`\n[…]\nThree.'


def test_the_block_and_the_reference_of_an_entry_are_made_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    card, by_start = pieces_by_text(HEADINGS)
    one, two, *_ = by_start.values()
    kept = EntryBlocks()
    hashed = counted(monkeypatch, rendering, "span_reference")
    for pieces in ((one,), (two,), (one,), (two,)):
        entry = Entry(card, pieces, 0.5)
        assert kept.reference(entry) in kept.block(entry, "compact")
    assert len(hashed) == 4


def test_what_is_left_out_has_one_mark_in_a_short_text() -> None:
    code = "\n".join(f"line_{number} = {number}  # of the code" for number in range(60))
    long = "The tide is late. " * 40
    card, by_start = pieces_by_text(
        f"# T\n\nFirst. {long}\n\n- one\n- two\n\n```py\n{code}\n```\n\n{long} End.\n"
    )
    pieces = list(by_start.values())
    (part,) = (piece for piece in pieces if piece.text.startswith("line_40"))
    lines = entry_text(card, [pieces[0], part, pieces[-1]], is_short=True).split("\n")
    assert lines[:3] == ["First. […]", "```py", "line_40 = 40  # of the code"]
    assert lines[-2:] == ["```", "[…] End."]
    lines = entry_text(card, [by_start["- one"], part], is_short=True).split("\n")
    assert lines[:3] == ["- one", "[…]", "```py"]
    assert entry_text(card, [pieces[0], pieces[-1]], is_short=True) == "First. […] End."


def test_a_label_with_nothing_below_it_is_left_out_without_a_mark() -> None:
    card, by_start = pieces_by_text("# A\n\nOne.\n\n**links**:\n\n---\n\n")
    assert entry_text(card, [*by_start.values()], is_short=False) == "One."
    text = "# A\n\nup:\n\n**links**:\n\n## B\n\nTwo:\n\n- two\n\nEnd:\n"
    card, by_start = pieces_by_text(text)
    assert entry_text(card, [*by_start.values()], is_short=False) == "#### B\n\nTwo:\n\n- two"


def test_a_label_above_another_is_left_out_without_a_mark() -> None:
    card, by_start = pieces_by_text("# A\n\nup:\n\n**links**:\n\nTwo.\n")
    assert entry_text(card, [*by_start.values()], is_short=False) == "**links**:\n\nTwo."


def test_a_label_that_leads_to_what_is_shown_has_a_mark_where_it_is_left_out() -> None:
    card, by_start = pieces_by_text("# A\n\nOne.\n\nNever:\n\nDelete it.\n\nup:\n\n# B\n\nEnd.\n")
    one, _, two, end = by_start.values()
    assert entry_text(card, [one, two], is_short=False) == "One.\n\n[…]\n\nDelete it."
    assert entry_text(card, [one, two], is_short=True) == "One. […]\nDelete it."
    shown = entry_text(card, [two, end], is_short=False)
    assert shown == "[…]\n\nDelete it.\n\n#### B\n\nEnd."


def test_labels_are_kept_where_nothing_else_is_said() -> None:
    _, by_start = pieces_by_text("Date:\n\nTide:\n\nWho:\n")
    assert [*by_start] == ["Date:", "Tide:", "Who:"]
