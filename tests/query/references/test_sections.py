"""Sections of headings, by the chunks of a note and by all its lines."""

from hypothesis import given
from hypothesis import strategies as st

from clew.query.references.fragments import lines_of
from clew.query.references.sections import section
from tests.examples import examples
from tests.vaults import snapshot_of

LINES = st.sampled_from(
    [
        "# A",
        "## B",
        "### C",
        "",
        "  ",
        "word " * 20,
        "a\n" * 40,
        "x" * 3_000,
        "- a",
        "Set\n===",
        "\u00a0",
    ]
)


@examples(200)
@given(st.booleans(), st.lists(LINES, max_size=25))
def test_a_section_ends_before_the_next_heading_of_its_level(fm: bool, blocks: list[str]) -> None:
    text = "---\ntype: x\n---\n" * fm + "\n".join(blocks)
    note = snapshot_of({"a.md": text}).note("a.md")
    lines = text.split("\n")
    for place, heading in enumerate(note.headings):
        later = note.headings[place + 1 :]
        ends = [other.line - 1 for other in later if other.level <= heading.level]
        last = ends[0] if ends else len(lines)
        while last > heading.line and not lines[last - 1].strip():
            last -= 1
        part = section(note, place)
        assert (part.first_line, part.last_line) == (heading.line, last)
        assert text[part.start : part.end] == "\n".join(lines[heading.line - 1 : last])


@examples(200)
@given(st.lists(LINES, max_size=25))
def test_a_path_of_headings_names_each_heading_below_them(blocks: list[str]) -> None:
    text = "\n".join(blocks)
    note = snapshot_of({"a.md": text}).note("a.md")
    lines = text.split("\n")
    above: list[str] = []  # of the heading at hand, with it
    named: dict[str, tuple[int, int]] = {}  # by path of headings: of the first that has it
    for place, heading in enumerate(note.headings):
        above = [*above, *[""] * 6][: heading.level - 1]
        above.append(heading.text)
        if all(above):
            part = section(note, place)
            named.setdefault("#".join(above), (part.first_line, part.last_line))
    for path, expected in named.items():
        found = lines_of(note, lines, path)
        assert found is not None
        # Another heading with the last name may stand between, below one of the others.
        assert found[0] <= expected[0]
