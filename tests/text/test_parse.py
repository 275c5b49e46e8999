"""Parsing a whole note: its title, headings and limits; parsing never fails."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.filename import shown_name, stem_of
from clew.text.markdown import parse as parsing
from clew.text.markdown.parse import (
    HEADINGS_MAX,
    LINKS_MAX,
    TITLE_CHARACTERS_MAX,
    Source,
    name_only_note,
    parse_notes,
)
from clew.text.tokens import count_tokens
from clew.values.note import LinkKind, Note, Problem
from tests.data import Case, cases
from tests.examples import examples
from tests.parsing import parse_note
from tests.tables import for_each_row
from tests.timed import check_within


def parse(text: str) -> Note:
    return parse_note("folder/stem.md", "hash", text)


@for_each_row("case", cases("headings.md"))
def test_a_note_has_the_title_and_headings(case: Case) -> None:
    note = parse(case.text)
    headings = [f"{h.level} {h.line} {h.text}".rstrip() for h in note.headings]
    assert [note.title, *headings] == case.expected


def test_a_note_keeps_its_path_hash_text_and_earlier_problems() -> None:
    found = Problem("a.md", "encoding", 1, "damaged")
    note = parse_note("a.md", "hash", "---\ntitle: [\n---\ntext", (found,))
    assert (note.path, note.content_hash, note.name_only) == ("a.md", "hash", False)
    assert note.text == "---\ntitle: [\n---\ntext"
    assert [p.code for p in note.problems] == ["encoding", "frontmatterInvalid"]
    assert all(p.path == "a.md" for p in note.problems)


def test_a_secret_anywhere_in_a_note_is_noticed() -> None:
    secret = "password: aB3dE5gH7jK9"
    for text in (
        f"---\n{secret}\n---\ntext",
        f"text\n{secret}",
        f"```\n{secret}\n```",
        f"%%{secret}%%",
    ):
        assert parse(text).may_have_secrets
        assert not parse(text.replace(secret, "a: b")).may_have_secrets


def test_a_note_indexed_by_name_has_its_name_and_the_reason() -> None:
    problem = Problem("a/Big.md", "tooLarge", None, "too large")
    note = name_only_note("a/Big.md", "", problem)
    assert (note.title, note.text, note.links) == ("Big", "", ())
    assert note.name_only
    assert note.problems == (problem,)


@pytest.mark.parametrize(
    ("path", "stem"),
    [("a.md", "a"), ("x/y/B c.markdown", "B c"), ("a.b.md", "a.b"), ("x.y/a.md", "a"), ("a", "a")],
)
def test_the_stem_is_the_name_without_folder_and_extension(path: str, stem: str) -> None:
    assert stem_of(path) == stem


def test_undecodable_bytes_of_a_name_are_escaped() -> None:
    assert shown_name("caf\udce9.md") == "caf\\xe9.md"
    assert shown_name("café.md") == "café.md"
    assert parse_note("caf\udce9.md", "", "").title == "caf\\xe9"


def test_front_matter_links_come_before_those_of_the_body() -> None:
    note = parse("---\na: '[[x]]'\n---\n[[y]] ![[z]] [w](w.md)")
    kinds = [LinkKind.FRONTMATTER, LinkKind.WIKI, LinkKind.EMBED, LinkKind.MARKDOWN]
    assert [link.kind for link in note.links] == kinds


def test_a_long_title_is_cut() -> None:
    assert len(parse(f"# {'x' * 1_000}").title) == TITLE_CHARACTERS_MAX


def test_links_over_the_limit_are_a_problem() -> None:
    within, over = parse("[[x]]\n" * LINKS_MAX), parse("[[x]]\n" * (LINKS_MAX + 1))
    assert (len(within.links), within.problems) == (LINKS_MAX, ())
    assert len(over.links) == LINKS_MAX
    assert [p.code for p in over.problems] == ["linksCapped"]


def test_headings_over_the_limit_are_left_out() -> None:
    assert len(parse("# x\n\n" * (HEADINGS_MAX + 1)).headings) == HEADINGS_MAX


def test_a_note_over_the_bounds_of_structure_is_read_line_by_line() -> None:
    deep = "> " * 100 + "[[a]]\n\n# Heading\n\n```\n[[code]]\n```\n[[b]] #tag"
    note = parse(deep)
    assert [p.code for p in note.problems] == ["tooComplex"]
    assert [(link.target, link.line) for link in note.links] == [("a", 1), ("b", 8)]
    assert [heading.text for heading in note.headings] == ["Heading"]
    assert note.tags == ("tag",)


LARGE = {
    "5,000 links": (" ".join(f"[[c{i}]]" for i in range(5_000)), 5_000, []),
    "a million open links": ("[[" * 1_000_000, 0, []),
    "50,000 nested links": ("[[" * 50_000 + "]]" * 50_000, 0, []),
    "100,000 nested quotes": ("> " * 100_000 + "[[x]]", 1, ["tooComplex"]),
    "nested quotes line by line": (
        "".join("> " * i + "a\n" for i in range(300)),
        0,
        ["tooComplex"],
    ),
    "500 nested lists": ("".join("  " * i + "* a\n" for i in range(500)), 0, ["tooComplex"]),
    "100,000 nested brackets": ("[" * 100_000 + "]" * 100_000, 0, []),
    "a link with a long name": ("[[" + "a" * 1_000_000 + "]]", 0, []),
    "a line of a million letters": ("a" * 1_000_000 + " [[x]]", 1, []),
    "a million spaces": (" " * 1_000_000 + "x", 0, []),
    "nothing": ("", 0, []),
    "a fence never closed": ("```\n" + "x\n" * 100_000 + "[[x]]", 0, []),
    "a wide table": ("|" + "a|" * 2_000 + "\n|" + "-|" * 2_000 + "\n" + "|\n" * 2_000, 0, []),
    "many marks on one letter": ("[[e" + "\u0301" * 50_000 + "]] [[x]]", 1, []),
}


@pytest.mark.slow
@pytest.mark.parametrize(("text", "link_count", "codes"), LARGE.values(), ids=LARGE)
def test_a_large_note_is_read_in_time(text: str, link_count: int, codes: list[str]) -> None:
    note = check_within(2.0, lambda: parse(text))
    assert len(note.links) == link_count
    assert [p.code for p in note.problems] == codes


@pytest.mark.slow
@pytest.mark.parametrize("line", ["\n", "a\n", "# a\n", "- a\n", "> a\n", "[a]: b\n", "[[a]]\n\n"])
def test_a_note_of_very_many_lines_is_read_in_time(line: str) -> None:
    check_within(2.0, lambda: parse(line * (500_000 // len(line))))


PIECES = [
    *(
        "[[",
        "]]",
        "[",
        "](",
        ")",
        "!",
        "|",
        "#",
        "%%",
        "$$",
        "$",
        "`",
        "```",
        "~~~",
        "\\",
        "<",
        ">",
    ),
    *(
        "<!--",
        "-->",
        "---\n",
        "---",
        "\n",
        "\n\n",
        "    ",
        "\t",
        "- ",
        "1. ",
        "> ",
        "a",
        "b.md",
        ":",
    ),
    *("===", "[^1]: ", "<div>", "</div>", "\r", "\0", "\u2028", "é", "title: "),
]
note_text = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=40)


@given(note_text.map("".join))
@examples(2_000)
def test_any_text_is_parsed_and_always_to_the_same_note(text: str) -> None:
    note = parse(text)
    assert note == parse(text)
    line_count = text.count("\n") + 1
    lines = [*(link.line for link in note.links), *(heading.line for heading in note.headings)]
    assert all(1 <= line <= line_count for line in lines)


@given(note_text.map("".join))
@examples(500)
def test_every_link_is_on_the_line_it_names(text: str) -> None:
    for link in parse(text).links:
        if link.kind in (LinkKind.WIKI, LinkKind.EMBED):
            assert f"{link.target}" in text.split("\n")[link.line - 1].replace("\\|", "|")


@given(note_text.map("".join))
@examples(500)
def test_lines_added_above_move_the_links_down(text: str) -> None:
    note, moved = parse(text), parse(f"text\n\n{text}")
    if not text.startswith("---"):
        assert [(x.target, x.line + 2) for x in note.links] == [
            (x.target, x.line) for x in moved.links
        ]


def test_tokens_of_lines_that_stay_are_not_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return count_tokens(text)

    sections = [f"## Part {number}\n\n{'The tide came in. ' * 40}" for number in range(4)]
    earlier = parse_note("a.md", "1", "\n\n".join(sections))
    sections[2] += "Then it went."
    source = Source("a.md", "2", "\n\n".join(sections))
    monkeypatch.setattr(parsing, "count_tokens", count)
    (known,) = parse_notes([source], earlier={"a.md": earlier})
    _, line = sections[2].split("\n\n")
    assert [text for text in counted if text.strip(".\n")] == [line.removesuffix(".")]
    assert known == parse_notes([source])[0]


def test_tags_over_the_limit_are_a_problem() -> None:
    tags = [f"#tag{number}" for number in range(5_001)]
    within, over = parse(" ".join(tags[:-1])), parse(" ".join(tags))
    assert (len(within.tags), within.problems) == (5_000, ())
    assert len(over.tags) == 5_000
    assert [problem.code for problem in over.problems] == ["tagsCapped"]


def test_a_link_has_at_most_two_thousand_characters_and_a_tag_two_hundred() -> None:
    for length, count in ((2_000, 1), (2_001, 0)):
        assert len(parse(f"[[{'x' * length}]]").links) == count
    assert parse(f"#{'x' * 201}").tags == ("x" * 200,)
