"""What lines of a note hang on: heads of tables, titles of callouts, lines in bold."""

from msgspec.structs import replace

from clew.query.context.formulas.piece_order import piece_order
from clew.query.context.passages import Passage
from clew.query.context.pieces import with_worths
from clew.query.context.selection import Candidate, Selection
from clew.query.context.shown.leads import heads_above, is_head, is_title, with_leads
from tests.query.context.note_pieces import entry_text, pieces_by_text
from tests.tables import for_each_row

BOLD = "# Tide\n\nText.\n\n**Causes.**\n\n- the moon\n- the sun\n\n**Not this** line.\n\n- more\n"


def test_a_line_in_bold_introduces_a_list_and_is_not_shown_alone() -> None:
    card, by_start = pieces_by_text(BOLD)
    text = entry_text(card, with_leads(card, [by_start["- the sun"]]), is_short=True)
    assert text == "**Causes.** […]\n- the sun"
    assert with_leads(card, [by_start["- more"]]) == [by_start["- more"]]
    passage = Passage(card, 1, (), 0, len(BOLD), 1, 11, 40, is_whole=True, relevance=1.0)
    pieces = with_worths(tuple(by_start.values()), 0.0, is_short=True)
    order = piece_order([Candidate(passage, None, pieces, (), 1.0, 40, 9)])
    left_out = set(range(len(pieces))) - {place for _, place in order}
    assert [pieces[place].text for place in left_out] == ["**Causes.**"]


def test_a_line_in_bold_may_end_with_an_icon() -> None:
    for icon in ("![[phone.svg#icon]]", "![phone](phone.svg)"):
        list_of_two = f"**Mobile** {icon}\n\n1. Press long.\n2. Open it."
        card, by_start = pieces_by_text(f"# Tide\n\nText.\n\n{list_of_two}\n")
        text = entry_text(card, with_leads(card, [by_start["2. Open it."]]), is_short=True)
        assert text == f"**Mobile** {icon} […]\n\n2. Open it."
        card, by_start = pieces_by_text(f"# Tide\n\n{icon}\n\n1. Press long.\n")
        assert with_leads(card, [by_start["1. Press lon"]]) == [by_start["1. Press lon"]]


def test_a_line_in_bold_introduces_a_table_and_prose_has_it_alone() -> None:
    card, by_start = pieces_by_text(
        "# A\n\n**Ways.**\n\n| a |\n|---|\n| 1 |\n| 2 |\n\n**So.**\n\nEnd."
    )
    pieces = list(by_start.values())
    assert [is_title(pieces, place) for place in range(7)] == [True] + [False] * 6
    text = entry_text(card, with_leads(card, [by_start["| 2 |"]]), is_short=True)
    assert text == "**Ways.**\n| a |\n|---|\n| […] |\n| 2 |"
    text = entry_text(card, with_leads(card, [by_start["| a |"]]), is_short=True)
    assert text.startswith("**Ways.**\n| a |")


def test_a_head_with_wide_columns_is_shown() -> None:
    columns = f"| name {' ' * 200}| text {' ' * 200}|\n|{'-' * 206}|{'-' * 206}|"
    card, by_start = pieces_by_text(f"# A\n\n{columns}\n| x | 1 |\n| y | 2 |\n")
    text = entry_text(card, with_leads(card, [by_start["| y | 2 |"]]), is_short=True)
    assert text == f"{columns}\n| […] |\n| y | 2 |"
    long_name = f"| {'name ' * 100}|\n|---|\n| 1 |"
    card, by_start = pieces_by_text(f"# A\n\n{long_name}")
    assert with_leads(card, [by_start["| 1 |"]]) == [by_start["| 1 |"]]


def test_a_head_right_below_a_heading_is_known() -> None:
    card, by_start = pieces_by_text("# Tide\n\n## Codes\n\n| code |\n|---|\n| 1 |\n| 2 |\n")
    pieces = list(by_start.values())
    assert [is_head(pieces, place) for place in range(4)] == [True, True, False, False]
    assert heads_above(card.text, pieces, 3) == [0, 1]


def test_a_callout_hangs_on_no_other_callout() -> None:
    card, by_start = pieces_by_text("> [!note] One\n> Text.\n\n> [!tip] Two\n\n> Three.\n")
    pieces = list(by_start.values())
    assert [heads_above(card.text, pieces, place) for place in range(4)] == [[], [0], [], []]


CAUSES = (
    "The causes of tides are:\n\n- the moon, which pulls at the sea\n\nThey come twice a day.\n"
)


@for_each_row(
    ("room", "shown"),
    [
        (200, {0, 1, 2}),
        (130, {0, 1}),  # the item, although the last line is worth more
        (90, {0, 2}),  # there is no room for the item, but much
        (60, {2}),
        (20, set()),
    ],
)
def test_what_a_line_announces_is_shown_with_it(room: int, shown: set[int]) -> None:
    """Without it the line is shown only where much room would be left."""
    card, by_start = pieces_by_text(CAUSES)
    worths, tokens = (0.9, 0.1, 0.5), (20, 90, 30)
    pieces = [
        replace(piece, worth=worth, tokens=count)
        for piece, worth, count in zip(by_start.values(), worths, tokens, strict=True)
    ]
    passage = Passage(card, 1, (), 0, len(CAUSES), 1, 5, 140, is_whole=True, relevance=1.0)
    candidates = [Candidate(passage, None, pieces, (), 1.0, 140, 10)]
    selection = Selection(candidates, is_compact=False)
    selection.grow_pieces(room, piece_order(candidates))
    assert selection.pieces.get(0, set()) == shown


def test_a_line_above_a_table_comes_with_its_first_row() -> None:
    text = "# A\n\nThe keys of tides:\n\n| key | does |\n|---|---|\n| a | ebb |\n| b | flood |\n"
    card, by_start = pieces_by_text(text)
    pieces = with_worths(tuple(by_start.values()), 0.0, is_short=True)
    passage = Passage(card, 1, (), 0, len(text), 1, 8, 40, is_whole=True, relevance=1.0)
    candidates = [Candidate(passage, None, pieces, (), 1.0, 40, 2)]
    selection = Selection(candidates, is_compact=False)
    selection.grow_pieces(2 + sum(piece.tokens for piece in pieces[:4]), [(0, 0)])
    assert selection.pieces == {0: {0, 1, 2, 3}}
    selection = Selection(candidates, is_compact=False)
    selection.grow_pieces(2 + pieces[0].tokens, [(0, 0)])
    assert not selection.pieces


def test_what_two_lines_announce_is_shown_once() -> None:
    text = "# A\n\nOf tides:\n\n> [!note] Read this first:\n> - ebb\n"
    card, by_start = pieces_by_text(text)
    pieces = with_worths(tuple(by_start.values()), 0.0, is_short=True)
    passage = Passage(card, 1, (), 0, len(text), 1, 6, 20, is_whole=True, relevance=1.0)
    selection = Selection([Candidate(passage, None, pieces, (), 1.0, 20, 2)], is_compact=False)
    selection.add(0, [0, 1])
    assert selection.entries()[0].pieces == pieces


WRAPPED = """# Tide

{before}It pulls at the sea, and the causes
that we know are
these:

- the moon, which goes around us
  and has these parts:
  - rock
  - dust
"""


def test_what_introduces_a_line_is_shown_from_its_beginning() -> None:
    card, by_start = pieces_by_text(WRAPPED.format(before=""))
    text = entry_text(card, with_leads(card, [by_start["  - dust"]]), is_short=True)
    assert text == (
        "It pulls at the sea, and the causes\nthat we know are\nthese:\n"
        "- the moon, which goes around us\n  and has these parts: […]\n  - dust"
    )
    card, by_start = pieces_by_text(WRAPPED.format(before=f"{'The moon is far. ' * 30}"))
    text = entry_text(card, with_leads(card, [by_start["  - rock"]]), is_short=True)
    assert text.startswith(
        "[…] It pulls at the sea, and the causes\nthat we know are\nthese:\n- the"
    )
    card, by_start = pieces_by_text(WRAPPED.format(before=f"{'The moon is far, and ' * 30}"))
    text = entry_text(card, with_leads(card, [by_start["  - rock"]]), is_short=True)
    assert text.startswith("- the moon")


def test_an_entry_is_made_once_for_all_drafts_that_have_it() -> None:
    passages = []
    for path in ("a.md", "b.md"):
        card, by_start = pieces_by_text("Of tides.\n\nThey ebb.\n")
        note = replace(card, path=path, uri=f"memory://{path}")
        passage = Passage(note, 1, (), 0, 20, 1, 3, 8, is_whole=True, relevance=1.0)
        passages.append(Candidate(passage, None, [*by_start.values()], (), 1.0, 8, 2))
    selection = Selection(passages, is_compact=False)
    selection.add(0, [0, 1])
    (first,) = selection.entries()
    selection.add(1, [0])
    assert selection.entries()[0] is first
    selection.shrink()
    selection.add(0, [])
    assert selection.entries() == [first]
    selection.replace(0, selection.steps[:0])
    selection.add(0, [0])
    assert selection.entries()[0].pieces == first.pieces[:1]


@for_each_row("lead", ["Into this:", "**Examples**"])
def test_a_line_introduces_code(lead: str) -> None:
    card, by_start = pieces_by_text(f"# A\n\nText.\n\n{lead}\n\n```sh\nrun\n```\n")
    code = by_start["```sh"]
    assert entry_text(card, with_leads(card, [code]), is_short=True).startswith(f"{lead}\n```sh")
    card, by_start = pieces_by_text("# A\n\nText.\n\n```sh\nrun\n```\n")
    assert with_leads(card, [by_start["```sh"]]) == [by_start["```sh"]]


def test_a_line_that_begins_with_a_name_in_bold_introduces_the_list_right_below_it() -> None:
    rule = "**2. No fakes** - they hide faults"
    card, by_start = pieces_by_text(f"# A\n\nText.\n\n{rule}\n- one\n- two\n")
    text = entry_text(card, with_leads(card, [by_start["- two"]]), is_short=True)
    assert text == f"{rule} […]\n- two"
    for above in (f"{rule}\n\n", "No fakes\n"):
        card, by_start = pieces_by_text(f"# A\n\nText.\n\n{above}- one\n- two\n")
        assert with_leads(card, [by_start["- two"]]) == [by_start["- two"]]
