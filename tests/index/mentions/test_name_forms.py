from hypothesis import given
from hypothesis import strategies as st

from clew.index.mentions.name_forms import (
    first_name,
    folded,
    folded_prose,
    names_of,
    place_of_name,
    required_words,
    searched_text,
)
from tests.examples import examples
from tests.tables import for_each_row
from tests.vaults import read_note


@for_each_row(
    ("path", "names"),
    [
        ("Mercury (planet).md", {"mercury", "mercury (planet)"}),
        ("Darwin, Charles.md", {"darwin", "darwin, charles"}),
        ("San Juan, Puerto Rico.md", {"san juan", "san juan, puerto rico"}),
        ("Wing flow, and what we know.md", {"wing flow, and what we know"}),
        ("How a thin wing flows, part 2.md", {"how a thin wing flows, part 2"}),
        ("x/Clock_drift.md", {"clock drift"}),
        ("2026-01-05.md", set()),
        ("The.md", set()),
        ("To be or not to be.md", set()),
        ("C.md", set()),
        ("C++.md", set()),
        ("FTS5.md", {"fts5"}),
        ("Élan vital.md", {"élan vital"}),
    ],
)
def test_names_that_texts_are_searched_for(path: str, names: set[str]) -> None:
    assert set(names_of(read_note(path, "").note)) == names


@for_each_row(
    ("text", "is_held"),
    [
        ("a Red Fox.", True),
        ("the red\nfox", True),
        ("red-fox_den", True),
        ("(RED FOX)", True),
        ("red foxes", False),
        ("infrared fox", False),
        ("red, fox", False),
        ("[[Red fox]]", False),
        ("[[Red fox|[1]]]", False),
        ("[[x|red]] fox", False),
        ("[red fox](x.md)", True),
        ("[x](red%20fox/red-fox.md)", False),
        ("---\nx: red fox\n---\nfox", False),
        # within one block
        ("the red  \nfox", True),
        ("the red\r\nfox", True),
        ("the red\n-fox", True),
        ("- a red\n  fox", True),
        ("- a red\nfox", True),
        ("> a red\n> fox", True),
        ("> a red\nfox", True),
        ("> [!note] Den\n> a red\n> fox", True),
        ("# A red fox\nx", True),
        ("x\n\n[![x](y)](z) red\nfox", True),
        # across two
        ("red\n\nfox", False),
        ("red\n \t\nfox", False),
        ("- red\n- fox", False),
        ("- red\n\t- fox", False),
        ("red\n-\tfox", False),
        ("* red\n* fox", False),
        ("1. red\n2. fox", False),
        ("- [ ] red\n- [ ] fox", False),
        ("# Red\nfox", False),
        ("x\n\n  ## Red\nfox", False),
        ("# Red\n\nfox", False),
        ("red\n# Fox", False),
        ("Red\n---\nfox", False),
        ("Red\n-\nfox", False),
        ("Red\n===\nfox", False),
        ("x\n\nred\n\n---\n\nfox", False),
        ("red\n- - -\nfox", False),
        ("red\n***\nfox", False),
        ("red\n ___\nfox", False),
        ("red\n_ _ _ \nfox", False),
        ("red\n> fox", False),
        ("> red\n>\n> fox", False),
        ("> red\n> - fox", False),
        ("> - red\n> - fox", False),
        ("> # Red\n> fox", False),
        ("> x\n> # Red\n> fox", False),
        ("> [!note] Red\n> fox", False),
        ("> red\n\n> fox", False),
        ("| red |\n| --- |\n| fox |", False),
    ],
)
def test_texts_that_hold_a_name(text: str, is_held: bool) -> None:
    note = read_note("x.md", f"{text}\n").note
    assert (place_of_name(searched_text(note), "red fox") >= 0) == is_held


@for_each_row(
    ("title", "text", "line"),
    [
        ("The red fox", "the red fox", None),
        ("Red fox den", "A red fox den.\n\nA red fox.", 5),
        ("Red fox den", "infrared fox den. Red fox dens", 3),
        ("Red fox and red fox", "Red fox and red fox", None),
        ("Red fox (film)", "a red fox", 3),
        ("Den", "a red fox den", 3),
    ],
)
def test_a_name_inside_a_longer_name_of_the_note_is_not_held(
    title: str, text: str, line: int | None
) -> None:
    note = read_note("x.md", f"# {title}\n\n{text}\n").note
    place = place_of_name(searched_text(note), "red fox", names_of(note))
    assert (place >= 0) == (line is not None)
    if line is not None:
        assert first_name(note, ["red fox"]).line == line


LINES = ["", "red", "fox", "Red fox", "x [[y]] z", " - ", "- fox", "# red", "> red", "> fox", "---"]


@given(st.lists(st.sampled_from(LINES), max_size=8))
@examples(100)
def test_the_line_is_the_first_on_which_a_name_begins(lines: list[str]) -> None:
    note = read_note("x.md", "\n".join(["---", "a: 1", "---", "", *lines, "a red fox"])).note
    line = first_name(note, ["red fox"]).line
    texts = note.text.split("\n")
    assert "red" in folded(texts[line - 1])
    assert place_of_name(folded_prose("\n".join(texts[line - 1 :])), "red fox") >= 0
    assert place_of_name(folded_prose("\n".join(texts[4 : line - 1])), "red fox") < 0


@given(st.text())
@examples(200)
def test_required_words_are_in_the_name(text: str) -> None:
    name = folded(text)
    assert all(word in name for word in required_words(name))
