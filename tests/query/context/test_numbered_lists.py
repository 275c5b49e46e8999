"""Numbered lists are shown as a whole: a step says little without those above it."""

from collections.abc import Collection

from msgspec import structs
from msgspec.structs import replace

from clew.query.context.passages import Passage
from clew.query.context.pieces import pieces_of
from clew.query.context.selection import BLOCK_SHARE, PASSAGE_SHARE, Candidate, Selection
from clew.query.context.shown.together import list_of, numbered_lists, without_lone_steps
from tests.query.context.note_pieces import pieces_by_text
from tests.query.context.packs import pack
from tests.tables import for_each_row
from tests.vaults import snapshot_of

STEPS = """# Gauge

## What it does

It measures the tide.

## Install the gauge

The box has all parts.

1. Open the lid.
2. Take out the float.
   It is light.
3. Tighten the screw.
4. Wait for a day.
5. Write down what it shows.
6. Close the lid.
7. Say that the gauge is there.
"""


def test_all_steps_are_shown_though_few_have_words_of_the_question() -> None:
    lines = "".join(
        f"- To install a gauge at pier {number} takes an hour.\n" for number in range(20)
    )
    snapshot = snapshot_of({"Gauge.md": STEPS, "Log.md": f"# Log\n\n{lines}"})
    steps = STEPS[STEPS.index("1. Open") :].rstrip()
    for template in ("default", "compact"):
        for budget in (300, 512, 700):
            reply = pack(snapshot, "install a gauge", token_budget=budget, template=template)
            assert steps in reply.context


LISTS = """# Tide

Text.

1. one
2. two:
   - below
```sh
code
```
3. three

   more

So much.

## Next
1. first
2. second
"""


@for_each_row(
    ("start", "of_list"),
    [
        ("Text.", ()),
        ("1. one", ("1. one", "2. two:", "   - below", "```sh", "3. three", "   more")),
        ("3. three", ("1. one", "2. two:", "   - below", "```sh", "3. three", "   more")),
        ("   - below", ("1. one", "2. two:", "   - below", "```sh", "3. three", "   more")),
        ("## Next", ("## Next", "2. second")),
        ("2. second", ("## Next", "2. second")),
    ],
)
def test_what_belongs_to_a_numbered_list(start: str, of_list: tuple[str, ...]) -> None:
    _, by_start = pieces_by_text(LISTS)
    pieces = list(by_start.values())
    place = next(at for at, piece in enumerate(pieces) if piece.text.startswith(start))
    found = [
        pieces[at].text.partition("\n")[0] for at in list_of(pieces, place, numbered_lists(pieces))
    ]
    assert found == list(of_list)


def test_a_line_that_announces_a_list_belongs_to_it() -> None:
    _, by_start = pieces_by_text("# A\n\nDo this:\n\n1. one\n2. two\n\nNot this:\n\n- a\n")
    pieces = list(by_start.values())
    assert [list(list_of(pieces, place, numbered_lists(pieces))) for place in range(5)] == [
        [0, 1, 2],
        [1, 2],
        [1, 2],
        [],
        [],
    ]


@for_each_row(
    ("terms", "most", "room", "shown"),
    [
        ({3}, 100, 200, {0, 1, 2, 3, 4}),
        ({3}, 90, 200, {3}),  # a long list, and a piece with words of the query
        ({2}, 90, 200, {2}),
        ({1}, 90, 200, {0, 1}),  # what is above it is short
        ((), 90, 200, {0}),  # a step without such words follows those above it
        ({3}, 100, 55, set()),  # the rest of the room is better used
        ({3}, 90, 55, {3}),
    ],
)
def test_a_part_of_a_long_list_is_shown(
    terms: set[int], most: int, room: int, shown: set[int]
) -> None:
    text = "# A\n\n1. one\n2. two\n3. three\n4. four\n5. five\n"
    card, by_start = pieces_by_text(text)
    pieces = [
        replace(piece, tokens=20, worth=0.5, terms=frozenset({0} if place in terms else ()))
        for place, piece in enumerate(by_start.values())
    ]
    passage = Passage(card, 1, (), 0, len(text), 1, 7, 100, is_whole=True, relevance=1.0)
    candidates = [Candidate(passage, None, pieces, (), 1.0, 100, 2)]
    selection = Selection(candidates, is_compact=False, list_tokens_max=most)
    place = next(iter(terms), 3)
    selection.grow_pieces(room, [(0, place)])
    assert selection.pieces.get(0, set()) == shown


CODE = "\n".join(f"    level_{number} = port.readline().strip()" for number in range(20))
SETUP = f"""# Setup

Write this function into a file:

```python
def read_levels(port):
{CODE}
```

The parts of the gauge are:

- a pipe
- a float
  of cork

- a wheel

Put them together.
"""


@for_each_row(
    ("start", "most", "room", "last"),
    [
        ("Write this", 400, 600, "level_19"),  # code of which a piece is some lines
        ("level_10", 400, 600, "level_19"),
        ("level_10", 20, 600, "level_10"),  # it is long
        ("level_10", 400, 100, "level_10"),  # there is no room for it
        ("The parts", 400, 600, "- a wheel"),
        ("The parts", 2, 600, "- a pipe"),
        ("- a pipe", 400, 600, "- a pipe"),
    ],
)
def test_short_code_and_what_a_line_announces_are_chosen_as_a_whole(
    start: str, most: int, room: int, last: str
) -> None:
    card, _ = pieces_by_text(SETUP)
    passage = Passage(card, 1, (), 0, len(SETUP), 1, 40, 400, is_whole=True, relevance=1.0)
    pieces = pieces_of(passage, [])
    place = next(at for at, piece in enumerate(pieces) if start in piece.text)
    candidates = [Candidate(passage, None, pieces, (), 1.0, 400, 2)]
    selection = Selection(candidates, is_compact=True, list_tokens_max=BLOCK_SHARE * most)
    selection.grow_pieces(room, [(0, place)])
    chosen = sorted(selection.pieces[0])
    assert last in pieces[chosen[-1]].text
    assert chosen == list(range(chosen[0], chosen[-1] + 1))
    assert place in chosen


MIXED = """# Gauge

How to mend it:

1. one
2. two

- a pipe
- a float

| part | price |
|---|---|
| rope | 3 |

Say so.
"""


def mixed(terms: Collection[int] = (), evidence: Collection[int] = ()) -> Candidate:
    card, by_start = pieces_by_text(MIXED)
    passage = Passage(card, 1, (), 0, len(MIXED), 1, 16, 100, is_whole=False, relevance=1.0)
    pieces = [
        replace(
            piece,
            tokens=5,
            terms=frozenset({0} if place in terms else ()),
            evidence=float(place in evidence),
        )
        for place, piece in enumerate(by_start.values())
    ]
    return Candidate(passage, None, pieces, (), 1.0, 100, 4)


@for_each_row(
    ("place", "terms", "evidence", "shown"),
    [
        (3, (), (), set()),  # an item alone
        (3, (3,), (3,), {3}),  # with a word of the query
        (3, (), (3,), {3}),  # beside a line with one
        (7, (), (), set()),  # a row of a table
        (8, (), (), {8}),  # a sentence
        (0, (0,), (0,), set()),  # what announces a list that does not fit
        (1, (), (), set()),  # a step alone
        (1, (1,), (1,), {1}),
    ],
)
def test_the_end_of_a_pack_is_not_filled_with_what_tells_nothing_alone(
    place: int, terms: tuple[int, ...], evidence: tuple[int, ...], shown: set[int]
) -> None:
    candidate = mixed(terms, evidence)
    for gap, expected in ((40, shown), (0, None)):
        selection = Selection([candidate], is_compact=False, list_tokens_max=1, gap_tokens=gap)
        selection.grow_pieces(40, [(0, place)])
        chosen = selection.pieces.get(0, set())
        assert chosen == expected if expected is not None else chosen


def test_an_entry_with_less_text_than_its_label_ends_no_pack() -> None:
    candidate = structs.replace(mixed(), label_tokens=6)
    for gap, shown in ((40, set()), (10, {8})):
        selection = Selection([candidate], is_compact=False, gap_tokens=gap)
        selection.grow_pieces(40, [(0, 8)])
        assert selection.pieces.get(0, set()) == shown


def test_a_run_of_pieces_has_no_lone_step_at_its_ends() -> None:
    pieces = mixed().pieces
    assert without_lone_steps(pieces, [0, 1]) == [0]
    assert without_lone_steps(pieces, [0, 1, 2, 3]) == [0, 1, 2, 3]
    assert without_lone_steps(pieces, [2, 3, 4]) == [3, 4]
    assert without_lone_steps(mixed(terms=[2]).pieces, [2, 3, 4]) == [2, 3, 4]


def test_the_part_of_a_passage_that_fits_does_not_end_with_a_lone_step() -> None:
    selection = Selection([mixed()], is_compact=False)
    selection.grow_passages(17 * PASSAGE_SHARE)
    assert selection.pieces == {0: {0}}
    selection = Selection([mixed(terms=[1])], is_compact=False)
    selection.grow_passages(17 * PASSAGE_SHARE)
    assert selection.pieces == {0: {0, 1}}


def test_a_pack_does_not_end_with_an_item_far_from_what_is_asked_for() -> None:
    gauge = "The tide gauge of the harbour is a float in a pipe that is read at noon."
    items = (
        "- a rope of ten metres\n- the red lamp\n- a cup of tea\n- two spare pens\n- dry socks\n"
    )
    vault = snapshot_of({"Gauge.md": f"# Gauge\n\n{gauge}\n\nBring:\n\n{items}"})
    for budget in range(60, 80):
        packed = pack(vault, "tide gauge float", token_budget=budget, template="compact")
        assert gauge in packed.context
        assert "[…]\n- dry socks" not in packed.context


@for_each_row(
    ("text", "shown"),
    [
        ("It stands at the pier.\n\nIt has two parts:\n\n- a pipe\n- a float\n", {0}),
        ("It stands at the pier.\n\nIt has two parts.\n\n- a pipe\n- a float\n", {0, 1}),
    ],
)
def test_a_passage_that_is_cut_does_not_end_with_a_line_that_announces(
    text: str, shown: set[int]
) -> None:
    card, by_start = pieces_by_text(text)
    passage = Passage(card, 1, (), 0, len(text), 1, 6, 20, is_whole=False, relevance=1.0)
    worths = (0.5, 1.0, 0.0, 0.0)
    pieces = [
        replace(piece, tokens=5, worth=worth)
        for piece, worth in zip(by_start.values(), worths, strict=True)
    ]
    selection = Selection([Candidate(passage, None, pieces, (), 1.0, 20, 4)], is_compact=False)
    selection.grow_passages(42)  # a third of it has room for a label and two pieces
    assert selection.pieces == {0: shown}
