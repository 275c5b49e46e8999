"""Entries with parts of several sections: their headings, and marks for sections left out."""

from msgspec import structs

from clew.query.context.passages import Passage
from clew.query.context.pieces import piece_at, pieces_of
from clew.query.context.rendering import Entry, entry_block
from tests.query.context.note_pieces import entry_text, pieces_by_text


def test_a_later_section_of_the_same_name_as_the_note_has_its_heading() -> None:
    text = "# Tide\n\n## Causes\n\nOne.\n\n## Tide\n\nTwo.\n\nThree.\n"
    card, by_start = pieces_by_text(text)
    one, two, three = by_start.values()
    for is_short in (True, False):
        for later in ((two,), (two, three)):
            shown_text = entry_text(card, [one, *later], is_short=is_short)
            assert shown_text.startswith("#### Causes\n\nOne."), is_short
            assert "#### Tide\n" in shown_text.partition("One.")[2]
    assert entry_block(Entry(card, (three,), 0.5), "default").startswith("### Tide > Tide (note)")


def test_headings_alone_between_two_runs_are_all_shown() -> None:
    text = "# Tide\n\n## A\n\nOne.\n\n## B\n\n### C\n\nTwo.\n\nThree.\n\n## D\n\nFour.\n"
    note = pieces_by_text(text)[0]
    ends = [text.index(word) for word in ("One.", "Two.", "Three.", "Four.")]
    one, two, three, four = (piece_at(note, at, text.index(".", at) + 1) for at in ends)
    assert entry_text(note, [one, two], is_short=False).startswith(
        "#### A\n\nOne.\n\n#### B\n\n##### C"
    )
    shown_text = entry_text(note, [one, three], is_short=False)
    assert shown_text.startswith("#### A\n\nOne.\n\n#### B\n\n##### C\n\n[…]\n\nThree.")
    assert "Two.\n\n[…]\n\n#### D" in entry_text(note, [two, four], is_short=False)


def test_a_section_that_is_left_out_has_a_mark_in_every_template() -> None:
    note, pieces = pieces_by_text("# N\n\n## A\n\nOne.\n\n## B\n\nTwo.\n\n## C\n\nThree.\n")
    one, two, three = [pieces[name] for name in ("## A", "## B", "## C")]
    assert entry_text(note, [one, two, three], is_short=True).count("[…]") == 0
    for is_short in (True, False):
        shown_text = entry_text(note, [one, three], is_short=is_short)
        before, after = shown_text.split("[…]")
        assert before.rstrip().endswith("One.")
        assert after.lstrip().startswith("#### C")


def test_lines_of_comments_between_sections_are_no_section_that_is_left_out() -> None:
    note, pieces = pieces_by_text(
        "# N\n\n## A\n\nOne.\n\n%%\nnot\nyet\nwritten\n%%\n\n## B\n\nTwo.\n\nThree.\n"
    )
    one, three = pieces["## A"], pieces["Three."]
    assert entry_text(note, [one, three], is_short=True).endswith("One.\n#### B\n[…]\nThree.")


def test_headings_with_nothing_below_them_leave_no_mark() -> None:
    above = "# A\n\n###### up: [[B]]\n\n### Origin\n\n### Idea\n\nNew.\n\n"
    text = f"{above}### Seen\n\n### End\n\nSo.\n"
    card, _ = pieces_by_text(text)
    empty = frozenset(text.index(line) for line in ("### Origin", "### Seen"))
    note = structs.replace(card, empty_sections=empty)
    passage = Passage(note, 1, (), 0, len(text), 1, 16, 60, is_whole=True, relevance=1.0)
    shown = entry_text(note, pieces_of(passage, ()), is_short=False)
    assert shown == "###### up: [[B]]\n\n#### Idea\n\nNew.\n\n#### End\n\nSo."


def test_a_heading_above_an_empty_section_leaves_no_mark() -> None:
    text = "# T\n\nFirst.\n\n## A\n\n### Origin\n\n### Idea\n\nNew.\n"
    card, _ = pieces_by_text(text)
    note = structs.replace(card, empty_sections=frozenset([text.index("### Origin")]))
    passage = Passage(note, 1, (), 0, len(text), 1, 11, 60, is_whole=True, relevance=1.0)
    shown = entry_text(note, pieces_of(passage, ()), is_short=False)
    assert shown == "First.\n\n#### A\n\n##### Idea\n\nNew."
