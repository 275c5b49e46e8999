"""Notes made from one template: what tells them apart is shown, and its empty headings are not."""

import pytest

from clew.engine.snapshot import Snapshot
from clew.query.notes.lists import recent
from clew.query.notes.tagged import tagged_notes
from clew.query.slices import finished
from clew.text.regions import sections
from clew.text.regions.sections import empty_sections
from clew.values.note import Heading
from clew.values.requests import Recent, Tags
from clew.values.vault import Batch
from tests.query.context.packs import pack
from tests.searches import ask, paths
from tests.tables import for_each_row
from tests.vaults import CLOCK, engine_of, snapshot_of

TEMPLATE = "# Ideas:\n#seed\n\n## Origin\n\n## Why?\n\n{}\n## Examples (if any)\n"
GAUGES = {
    "Tide gauge.md": TEMPLATE.format(""),
    "Ebb.md": TEMPLATE.format("The tide gauge falls at ebb, and nobody reads it at night."),
    "Flood.md": TEMPLATE.format("It rises. The moon pulls it up twice a day."),
}


def titles(snapshot: Snapshot) -> dict[str, set[str]]:
    """Return the titles that several methods show."""
    return {
        "search": {row.title for row in ask(snapshot, "gauge").results},
        "recent": {row.title for row in finished(recent(snapshot, Recent(), CLOCK)).notes},
        "tags": {row.title for row in finished(tagged_notes(snapshot, Tags(tag="seed"))).notes},
    }


@for_each_row(
    ("notes", "shown"),
    [
        ({"a.md": "# One\ngauge #seed", "b.md": "# Two\ngauge #seed"}, {"One", "Two"}),
        ({"a.md": "# One\ngauge #seed", "b.md": "# ONE\ngauge #seed"}, {"a", "b"}),
        # A base name that several notes have tells no more than their title.
        ({"x/a.md": "# One\ngauge #seed", "y/a.md": "# One\ngauge #seed"}, {"One"}),
        ({"a.md": "---\ntitle: One\n---\ngauge #seed", "b.md": "# One\ngauge #seed"}, {"a", "b"}),
    ],
)
def test_a_title_of_several_notes_gives_way_to_their_names(
    notes: dict[str, str], shown: set[str]
) -> None:
    assert titles(snapshot_of(notes)) == dict.fromkeys(("search", "recent", "tags"), shown)


def test_a_title_is_shown_again_when_no_other_note_has_it() -> None:
    engine = engine_of({"a.md": "# One\ngauge #seed", "b.md": "# One\ngauge #seed"})
    engine.apply(Batch(dropped=("b.md",)))
    assert set().union(*titles(engine.snapshot).values()) == {"One"}


def test_a_note_with_the_headings_of_a_template_alone_is_empty() -> None:
    assert paths(ask(snapshot_of(GAUGES), "tide gauge")) == ["Ebb.md", "Tide gauge.md"]
    alone = {**GAUGES, "Tide gauge.md": "# Ideas:\n## It is read at noon\n## Nobody knows\n"}
    assert paths(ask(snapshot_of(alone), "tide gauge"))[0] == "Tide gauge.md"


@for_each_row("template", ["default", "compact", "detailed"])
def test_a_pack_leaves_out_empty_sections_of_a_template(template: str) -> None:
    text = pack(snapshot_of(GAUGES), "tide gauge", template=template).context
    assert "nobody reads it at night" in text
    assert not [each for each in ("Origin", "Examples", "Tide gauge.md") if each in text]


# Headings as (text, whether it is shared); "." is a line of text, "-" noise.
@for_each_row(
    ("lines", "left_out"),
    [
        ("# A*|# B*|.", "A"),
        ("# A*|## B*|# C*|.", "AB"),
        ("# A*|## B*|.|## C*", "C"),
        ("# A*|## B|# C*", "C"),
        ("# A|# B*|-|#tag", "B"),
        ("# A|# B*|%%|hidden|%%", "B"),
        ("# A|# B*|%%|hidden|%%|Next", ""),
        ("# A|# B*|Next:", ""),
        ("# A|# B*|Next:|- one", ""),
        ("# A|# B*|%%|hidden|%%|Next:", ""),
        ("### A*|# B*|.", "A"),
        ("# A*|.", ""),
        ("# A|# B", ""),
    ],
)
def test_sections_are_empty_if_nothing_is_below_them(lines: str, left_out: str) -> None:
    rows = lines.split("|")
    text = "\n".join(row.rstrip("*").replace(".", "Some text.") for row in rows)
    heads = [
        (number, row) for number, row in enumerate(rows, 1) if row.startswith("#") and " " in row
    ]
    headings = [Heading(len(row.split()[0]), row.split()[1], number) for number, row in heads]
    found = empty_sections(text, headings, [row.endswith("*") for _, row in heads])
    assert "".join(text[at:].split("\n")[0].lstrip("# ") for at in sorted(found)) == left_out


def test_comments_of_a_note_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []

    def no_comments(text: str) -> tuple[()]:
        searched.append(text)
        return ()

    monkeypatch.setattr(sections, "comments_in", no_comments)
    text = "# A\n\n## B\n\n## C\n\nText.\n"
    headings = [Heading(1, "A", 1), Heading(2, "B", 3), Heading(2, "C", 5)]
    assert empty_sections(text, headings, [True] * 3) == {text.index("## B")}
    assert searched == [text]
