"""Where long pieces are cut: sentences, items and code."""

import pytest

from clew.query.context import pieces
from clew.query.context.passages import Passage
from clew.query.context.pieces import CODE_CUT, pieces_of
from tests.query.context.note_pieces import entry_text, pieces_by_text
from tests.tables import for_each_row


@for_each_row("mark", ["1.", "12.", "> 3.", "**4.**"])
def test_the_number_of_an_item_stays_with_its_first_sentence(mark: str) -> None:
    _, by_start = pieces_by_text(f"# A\n\n{mark} One. {'Drift ' * 60}. {'Two ' * 80}.\n")
    first, *rest = by_start.values()
    assert first.text == f"{mark} One."
    assert rest


def test_a_note_without_comments_is_not_searched_for_them_at_each_piece(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched: list[object] = []
    monkeypatch.setattr(pieces, "comments_within", lambda *where: searched.append(where))
    _, by_start = pieces_by_text("# Tide\n\nOne.\n\nTwo.\n\n- three\n")
    assert ([*by_start], searched) == (["One.", "Two.", "- three"], [])


def test_a_heading_that_ends_a_sentence_stays_with_the_one_below_it() -> None:
    card, by_start = pieces_by_text(f"# Tide\n\n## How high?\n\nOne. {'Two drifts. ' * 60}Last.\n")
    text = entry_text(card, [*by_start.values()][:1], is_short=False)
    assert text.startswith("#### How high?\n\nOne.")


@pytest.mark.parametrize("length", [20, 150])
def test_long_code_is_cut_at_lines(length: int) -> None:
    lines = [f"step {number:03} {'x' * length}" for number in range(80)]
    _, by_start = pieces_by_text("# Tide\n\n```sh\n" + "\n".join(lines) + "\n```\n")
    parts = [piece.text for piece in by_start.values()]
    assert [line for part in parts for line in part.split("\n")] == ["```sh", *lines, "```"]
    assert max(map(len, parts)) <= CODE_CUT + length + 12


def test_a_passage_that_begins_in_code_is_cut_where_the_code_ends() -> None:
    text = "# Tide\n\n```py\nx = 1\ny = 2\n\n# three\nz = 3\n```\n\nOne.\n\nTwo.\n"
    card, _ = pieces_by_text(text)
    passage = Passage(card, 1, (), text.index("y = 2"), len(text), 5, 12, 100, False, 1.0)
    shown = [piece.text for piece in pieces.pieces_of(passage, [])]
    assert shown[-2:] == ["One.", "Two."]


@for_each_row(
    ("text", "pieces"),
    [
        ("```a``` is a command.|.|Two.|.|Three.", ["```a``` is a command.", "Two.", "Three."]),
        ("```sh|a|```js|b|```|.|Two.", ["```sh|a|```js|b|```", "Two."]),
        ("```sh|a|- ```|.|b|```|.|Two.", ["```sh|a|- ```|.|b|```", "Two."]),
        ("## A|~~~|a|.|b|~~~|.|Two.|- ```|  a|.|  b|  ```",
         ["## A|~~~|a|.|b|~~~", "Two.", "- ```|  a|.|  b|  ```"]),
    ],
)  # fmt: skip
def test_code_is_one_piece_up_to_the_fence_that_ends_it(text: str, pieces: list[str]) -> None:
    lines = "\n".join("" if line == "." else line for line in text.split("|"))
    _, by_start = pieces_by_text(lines)
    shown = [piece.text.replace("\n\n", "\n.\n") for piece in by_start.values()]
    assert [piece.replace("\n", "|") for piece in shown] == pieces
    assert [piece.fence for piece in by_start.values()] == [""] * len(pieces)


def test_a_passage_that_begins_in_code_is_one_piece_up_to_its_end() -> None:
    text = "```sh\na\n\n# b\n\nc\n```\nTwo.\n\n- Three.\n"
    note, _ = pieces_by_text(text)
    passage = Passage(note, 1, (), text.index("# b"), len(text), 4, 10, 20, False, 1.0)
    assert [piece.text for piece in pieces_of(passage, ())] == ["# b\n\nc\n```\nTwo.", "- Three."]


@for_each_row("line", ["url = " + "x" * 700, "short = 1", "a = 1 " * 200])
def test_no_piece_is_a_fence_without_code(line: str) -> None:
    code = "\n".join([line, *(f"step_{number} = {number}" for number in range(60))])
    for above in ("", "### Compare the savings of both plans with those of last year\n\n"):
        _, by_start = pieces_by_text(f"# A\n\n{above}```py\n{code}\n```\n")
        first, *_ = by_start.values()
        assert first.text.partition("```py\n")[2].strip()
