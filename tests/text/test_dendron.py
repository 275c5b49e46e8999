"""Links in notes that Dendron made, which has the label first."""

from tests.parsing import parse_note
from tests.tables import for_each_row

HEAD = (
    "---\nid: 7f3k2\ntitle: Root\ndesc: ''\nupdated: 1709640000000\ncreated: 1709550000000\n---\n"
)


def _links(text: str) -> list[tuple[str, str | None, str | None]]:
    links = parse_note("root.md", "hash", text).links
    return [(link.target, link.fragment, link.alias) for link in links]


@for_each_row(
    ("text", "link"),
    [
        ("[[The beta|proj.beta]]", ("proj.beta", None, "The beta")),
        ("[[Goals|proj.beta#goals]]", ("proj.beta", "goals", "Goals")),
        ("![[proj.beta#goals]]", ("proj.beta", "goals", None)),
        ("[[here|dendron://main/proj.beta]]", ("proj.beta", None, "here")),
        ("[[here|dendron://main/changelog#log]]", ("changelog", "log", "here")),
        ("[[dendron://main/proj.beta]]", ("proj.beta", None, None)),
        # As Obsidian has it.
        ("[[proj.beta|The beta]]", ("proj.beta", None, "The beta")),
        ("[[proj.beta|proj.b]]", ("proj.beta", None, "proj.b")),
        ("[[John|J. Doe]]", ("John", None, "J. Doe")),
        ("[[Tide|tides]]", ("Tide", None, "tides")),
    ],
)
def test_a_label_comes_first_in_notes_of_dendron(
    text: str, link: tuple[str, str | None, str | None]
) -> None:
    assert _links(HEAD + text) == [link]


@for_each_row(
    "head",
    [
        "",
        "---\nid: 7f3k2\n---\n",
        HEAD.replace("desc: ''\n", ""),
        HEAD.replace("created: 1709550000000", "created: 2024-03-05"),
    ],
)
def test_other_notes_have_the_target_first(head: str) -> None:
    assert _links(head + "[[The beta|proj.beta]]") == [("The beta", None, "proj.beta")]
