"""Templates rank below the notes made from them, and days to come below the last that was."""

from datetime import UTC, datetime

import numpy as np

from clew.index.notes.facts import facts_of
from clew.query.search.order.templates import template_factor
from tests.searches import ask, paths, setting, vault
from tests.tables import for_each_row
from tests.vaults import read_note

NOW_S = datetime(2026, 11, 27, 12, tzinfo=UTC).timestamp()
NOTES = {
    "Templates/Meeting.md": '---\ntype: meeting\ndate: {{date}}\nattendees: "[[{{who}}]]"\n---\n'
    "# {{title}}\n\n## Decisions\n\n## Open questions\n",
    "Log.md": '---\ntype: meeting\ndate: 2026-11-10\nattendees: "[[Anna]]"\n---\n'
    "# Harbour meeting\n\n## Decisions\n\nWe dredge the harbour with Anna.\n",
    "Older.md": '---\ntype: meeting\ndate: 2026-11-03\nattendees: "[[Anna]]"\n---\n'
    "# Budget meeting\n\n## Decisions\n\nAnna pays for the crane.\n",
    "Planned.md": '---\ntype: meeting\ndate: 2026-12-10\nattendees: "[[Anna]]"\n---\n'
    "# Meeting on the crane\n\nPlanned with Anna.\n",
    "Bread.md": "Rye and salt.",
}  # fmt: skip


@for_each_row(
    ("query", "first"),
    [
        ("latest meeting", ["Log.md", "Older.md"]),
        ("last meeting", ["Log.md", "Older.md"]),
        ("last meeting with Anna", ["Log.md"]),
        ("meeting decisions", ["Older.md", "Log.md"]),
    ],
)
def test_the_last_note_that_was_leads(query: str, first: list[str]) -> None:
    found = paths(ask(vault(NOTES), query, given=setting(now_s=NOW_S)))
    assert found[: len(first)] == first


def test_a_query_for_templates_finds_them_as_other_notes() -> None:
    snapshot = vault(NOTES)
    template = snapshot.graph.note_id("Templates/Meeting.md")
    assert template is not None
    note_ids = np.arange(snapshot.graph.note_slots)
    factor = template_factor(snapshot, "notes on meetings", note_ids)
    assert np.flatnonzero(np.asarray(factor) < 1.0).tolist() == [template]
    assert template_factor(snapshot, "meeting template", note_ids) == 1.0


@for_each_row(
    ("text", "expected"),
    [
        ("# {{title}}\n", True),
        ("---\ndue: {{date:YYYY-MM-DD}}\n---\n", True),
        ("## <% tp.file.title %>\n", True),
        ("## Loops with `{{ item }}` and {{ item }}\n", False),
        ("## Use ${{ secrets.TOKEN }}\n", False),
        ("---\ncmd: \"docker ps --format '{{.Names}}'\"\n---\n", False),
        ("# Ours\n\n{{title}} in the text alone\n", False),
    ],
)
def test_a_template_has_variables_of_plugins(text: str, expected: bool) -> None:
    assert facts_of(read_note("a.md", text)).is_template == expected


def test_a_newer_note_that_only_has_the_words_does_not_lead() -> None:
    notes = {
        "a.md": "---\ndate: 2026-01-01\n---\n# Crane\n\nThe harbour crane decision was late.",
        "b.md": "---\ndate: 2026-01-20\n---\n# Crane again\n\nThe crane decision of the harbour.",
        "c.md": "---\ndate: 2026-01-25\n---\n" + "A list of all, of this and that. " * 30
        + "harbour, bread, crane, milk, decision",
    }  # fmt: skip
    found = paths(ask(vault(notes), "latest harbour crane decision", given=setting(now_s=NOW_S)))
    assert found[0] == "b.md"


def test_a_newer_note_that_lacks_a_word_of_the_query_does_not_lead() -> None:
    told = "In the harbour restaurant Melanie and Caroline celebrated"
    notes = {
        "older.md": f"---\ndate: 2026-07-01\n---\n{told} a birthday.",
        "birthday.md": f"---\ndate: 2026-08-14\n---\n{told} the birthday of a child."
        " The boats came late, with bread and salt for all of us, and the sea was calm all night.",
        "newest.md": "---\ndate: 2026-10-13\n---\n# Melanie, Caroline, harbour restaurant\n\n"
        f"{told} the summer.",
        "bread.md": "Rye and salt.",
    }  # fmt: skip
    query = "birthday Melanie and Caroline celebrated in the harbour restaurant recently"
    found = paths(ask(vault(notes), query, given=setting(now_s=NOW_S)))
    assert found[0] == "birthday.md"
