"""Lines that only point: bare links stand behind what is said, and tags are fields of a note."""

import pytest

from clew.query.context.passages import Passage
from clew.query.context.pieces import pieces_of, with_worths
from clew.query.context.selection import Candidate, Selection
from clew.query.context.shown.together import only_fills
from clew.text.regions.bare_links import is_label_of_links, is_only_links, which_only_point
from clew.text.regions.sections import is_heading_alone
from tests.query.context.note_pieces import pieces_by_text
from tests.query.context.packs import pack
from tests.tables import for_each_row
from tests.text.test_linear import assert_linear
from tests.vaults import snapshot_of


@for_each_row(
    ("text", "is_only"),
    [
        ("- [[Tide]]", True),
        ("## See\n\n1. [[Tide|the tide]], [[Moon]]\n> ![[plot.png]]", True),
        ("- [ ] [the tide](notes/tide.md)", True),
        ("![a plot](https://example.org/plot.png)", True),
        ("- [the tide](https://example.org/tide)", False),  # which no note of the vault says
        ("up: [[Tide]]", False),  # a relation of the note
        ("- [[Tide]] is high", False),
        ("See also", False),
        ("## [[Tide]]", False),
    ],
)
def test_which_lines_are_only_links(text: str, is_only: bool) -> None:
    assert is_only_links(text) == is_only


@for_each_row(
    ("text", "is_label"),
    [
        ("up: [[Tide]], [[Moon]]", True),
        ("upstream:\n**links**:\n### siblings: [[Moon]]", True),
        ("**video links**: [the tide](notes/tide.md)", True),
        ("up: [[Tide]] is high", False),
        ("It is high at noon, and at night: [[Tide]]", False),  # a sentence
        ("https://example.org", False),
        ("[[Tide]]", False),
    ],
)
def test_which_lines_are_labels_of_links(text: str, is_label: bool) -> None:
    assert is_label_of_links(text) == is_label


WEB = "- [the tide](https://example.org/tide)"


@for_each_row(
    ("pieces", "only_point"),
    [
        ([f"## Sources\n\n{WEB}", WEB, f"{WEB}, [[Moon]]"], [True, True, True]),
        ([WEB, "- [[Moon]]", WEB], [True, True, True]),
        ([WEB, WEB], [False, False]),  # the two may be what is asked for
        ([WEB, WEB, f"{WEB} is high", WEB, "- [[Moon]]"], [False, False, False, False, True]),
    ],
)
def test_a_list_of_links_to_the_web_only_points(pieces: list[str], only_point: list[bool]) -> None:
    assert which_only_point(pieces) == only_point


def test_what_is_said_stands_before_a_list_of_sources() -> None:
    links = (
        f"- [Tide gauges at sea, {number}](https://example.org/{number})" for number in range(6)
    )
    said = (f"Of the tide gauges at sea those at pier {number} are best." for number in range(6))
    vault = {
        "a.md": "# Sources\n\n{}\n".format("\n".join(links)),
        "b.md": "# Instruments\n\n{}\n".format("\n\n".join(said)),
    }
    text = pack(snapshot_of(vault), "tide gauges at sea", token_budget=150).context
    assert "pier 5" in text
    assert "example.org" not in text


def test_lines_of_links_are_told_in_linear_time() -> None:
    assert_linear(lambda text: is_only_links(f"[[a]]{text}"), "[[a]] ,", 4_000, end="x")
    assert_linear(lambda text: is_only_links(f"[[a]]{text}"), " \t>", 4_000, end="x")
    assert_linear(lambda text: which_only_point([f"[[a]]{text}"]), "[a](https:b)", 4_000, end="x")
    assert_linear(lambda text: is_label_of_links(f"a: [[a]]{text}"), "[[a]] ,", 4_000, end="x")
    assert_linear(lambda text: is_label_of_links(f"a{text}"), "- _", 4_000, end="x")


def test_what_is_said_stands_before_bare_links() -> None:
    lines = "\n".join(f"- [[Tide gauge {number}]]" for number in range(30))
    said = "\n\n".join(f"The tide gauge at pier {number} stands in the sea." for number in range(8))
    vault = {"Index.md": f"# Index\n\n{lines}\n", "Pier.md": f"# Pier\n\n{said}\n"}
    text = pack(snapshot_of(vault), "tide gauge", token_budget=230).context
    assert "pier 7" in text


def test_labels_of_links_and_images_stand_behind_what_is_said() -> None:
    said = "\n\n".join(f"It stands in the sea, at pier {number}." for number in range(30))
    label = "upstream: [[Sea]], [[Harbour]], [[Instruments of the harbour]]"
    image = "![a long description](https://example.org/plots/of/the/year/plot.png)"
    note = f"# Tide gauge\n\n{label}\n\n{image}\n\n{said}\n"
    snapshot = snapshot_of({"Tide gauge.md": note, "b.md": "tide gauge"})
    text = pack(snapshot, "tide gauge", token_budget=220, template="compact").context
    assert "pier 7." in text
    assert "upstream" not in text
    assert "example.org" not in text


@for_each_row(("links", "share"), [("up: [[Tide]]", 0.5), ("up: [[Sea]]", 0.25)])
def test_links_are_worth_a_share_of_what_other_lines_of_the_same_evidence_are(
    links: str, share: float
) -> None:
    def worth_of(line: str) -> float:
        _, by_start = pieces_by_text(f"It is at sea.\n\n{line}\n", [(("tide",), 1.0)])
        return with_worths([*by_start.values()], 1.0, is_short=False)[1].worth

    assert worth_of(links) == pytest.approx(share * worth_of(f"{links} is high"))


def test_a_passage_of_links_stands_behind_one_that_says_something() -> None:
    vault = {
        "a.md": "# Examples\n\n[[Tide gauges, clocks and piers]]\n",
        "b.md": "# Piers\n\nThe tide gauges have clocks, and stand on one of the three piers.\n",
    }
    text = pack(snapshot_of(vault), "tide gauges clocks piers").context
    assert text.index("memory://b.md") < text.index("memory://a.md")


def test_tags_above_a_line_are_no_part_of_it() -> None:
    _, by_start = pieces_by_text("#seed #new\nIt comes twice a day.\n\n```sh\n#one\n#two\n```\n")
    assert [piece.text for piece in by_start.values()] == [
        "It comes twice a day.",
        "```sh\n#one\n#two\n```",
    ]
    text = pack(
        snapshot_of({"Tide.md": "#seed\nIt comes twice."}), "tide", token_budget=200
    ).context
    assert "\n#seed" not in text
    assert "#L2-L2" in text


@for_each_row(
    ("text", "is_alone"),
    [
        ("## Gauges\n\n### Old\n\nA pipe.\n", True),
        ("## Gauges\n\nA pipe.\n\n### Old\n\nA float.\n", False),
        ("## Gauges\n\n### Old\n\n### New\n", False),  # the note is nothing but headings
        ("### Buy a boat\n\n### Learn Galician\n\nA book.\n", False),  # a list of ideas
        ("#### Buy a boat\n\n### Learn Galician\n\nA book.\n", False),
        ("## Gauges\n\n---\n\n### Old\n\nA pipe.\n", True),
    ],
)
def test_a_heading_alone_is_left_out_where_its_sections_follow(
    text: str, *, is_alone: bool
) -> None:
    end = text.index("\n\n###")
    assert is_heading_alone(text, 0, end) is is_alone
    note, _ = pieces_by_text(text)
    passage = Passage(note, 1, (), 0, end, 1, 2, 20, is_whole=False, relevance=1.0)
    assert bool(pieces_of(passage, ())) is not is_alone


def test_a_heading_that_is_all_of_its_section_is_found() -> None:
    text = "A pipe stands in the water and holds a float. " * 40
    ideas = f"# Ideas\n\n{text}\n\n## Buy a boat\n\n## Learn Galician\n\n## Gauge\n\n{text}\n"
    assert "Learn Galician" in pack(snapshot_of({"Ideas.md": ideas}), "Galician").context


@for_each_row(
    ("text", "term", "chosen", "fills"),
    [
        ("It stops.\n\n![[plot.png]]\n\nIt goes on.", "tide", (0,), True),
        ("It stops.\n\n![[plot.png]]\n\nIt goes on.", "plot", (0,), False),
        ("It stops.\n\n![[plot.png]]\n\nIt goes on.", "tide", (0, 2), False),  # or a mark
        ("It stops.\n\nIt stood.\n\nIt goes on.", "tide", (0,), False),
        ("It stops.\n\n## Clocks and winds\n\n---", "tide", (), True),
        ("It stops.\n\nup: [[Deep]], [[Old]]", "tide", (), True),
    ],
)
def test_what_only_points_does_not_fill_a_pack(
    text: str, term: str, chosen: tuple[int, ...], *, fills: bool
) -> None:
    _, by_start = pieces_by_text(text, [((term,), 1.0)])
    assert only_fills([*by_start.values()], 1, (1,), chosen) is fills


@pytest.mark.parametrize(
    ("text", "term", "gap_tokens", "chosen"),
    [
        ("![[plot.png]]", "tide", 400, {}),
        ("![[plot.png]]", "tide", 399, {0: {0}}),
        ("![[plot.png]]", "plot", 400, {0: {0}}),
        ("It stops.", "tide", 400, {0: {0}}),
    ],
)
def test_a_passage_that_only_points_does_not_fill_a_pack(
    text: str, term: str, gap_tokens: int, chosen: dict[int, set[int]]
) -> None:
    card, by_start = pieces_by_text(text, [((term,), 1.0)])
    passage = Passage(card, 1, (), 0, len(text), 1, 1, 8, is_whole=True, relevance=1.0)
    candidate = Candidate(passage, None, [*by_start.values()], (), 1.0, 8, 2)
    selection = Selection([candidate], is_compact=False, gap_tokens=gap_tokens)
    selection.grow_passages(400)
    assert selection.pieces == chosen
