"""The line of a search result is one that has a word of the query, as an editor needs it."""

from tests.searches import ask
from tests.tables import for_each_row
from tests.vaults import snapshot_of

LOG = "---\nstatus: waiting\naliases:\n  - Kitchen log\n---\n# Log\n\n" + "".join(
    f"- Entry {n} of the day, and nothing more.\n" for n in range(8)
)
NOTES = {"log.md": LOG + "- Replaced the impeller of the **pump**.\n", "b.md": "Bread and salt."}


@for_each_row(
    ("query", "line"), [("impeller", 16), ("pump", 16), ("waiting", 2), ("kitchen", 4), ("salt", 1)]
)
def test_the_line_has_a_word_of_the_query(query: str, line: int) -> None:
    (row, *_) = ask(snapshot_of(NOTES), query).results
    assert row.line == line
    path = row.uri.removeprefix("memory://")
    assert query in NOTES[path].split("\n")[row.line - 1].lower()


@for_each_row(
    ("text", "query", "shown", "line"),
    [
        ("# Recipes\n\nWhat we cook.\n\n" + "- Lemon.\n" * 150 + "\n[soup]: soup.md\n", "soup",
         "What we cook.", 3),
        ("---\ntags: film\ndirector: Ridley Scott\nurl: https://b.org\n---\n", "film",
         "director: Ridley Scott", 1),
        ("%% hidden %%\n\n- ![[a.base]]\n", "note", "", 1),
        ("---\nurl: https://b.org\ntags: [albums]\n---\n\n![[Albums.base]]\n", "albums",
         "tags: albums", 3),
        ("## Albums\n\n![[Albums.base#Genre]]\n", "albums", "Albums", 3),
        ("# Ideas\n\n## Kayak trip\n\n## Balloon ride\n", "balloon", "Balloon ride", 5),
    ],
)  # fmt: skip
def test_a_passage_without_text_is_shown_by_what_its_note_shows_first(
    text: str, query: str, shown: str, line: int
) -> None:
    (row, *_) = ask(snapshot_of({"note.md": text, "b.md": "Bread."}), query).results
    assert (row.snippet[: len(shown) or None], row.line) == (shown, line)


@for_each_row(
    ("query", "snippet", "line"),
    [
        ('"status: waiting"', "status: waiting", 3),
        ('"kitchen log"', "aliases: Kitchen log", 5),
        ('"status report"', "The weekly status report. Waiting.", 8),
        ('"roof status"', "The weekly status report. Waiting.", 8),  # it is in the title
    ],
)
def test_a_phrase_in_a_property_is_shown_there(query: str, snippet: str, line: int) -> None:
    text = "---\nowner: status unknown\nstatus: waiting\naliases:\n  - Kitchen log\n---\n\n"
    notes = {"Roof status.md": f"{text}The weekly status report. Waiting.\n", "b.md": "Bread."}
    (row, *_) = ask(snapshot_of(notes), query).results
    assert (row.snippet, row.line) == (snippet, line)


@for_each_row(
    ("phrase", "said", "line"),
    [
        ("sea is calm", "At dusk the **Sea** is\ncalm", 7),
        ("être à l'ombre", "il aime Etre a l’ombre", 7),
        ("潮位 計", "この潮位-計は", 7),
        ("low sea, calm", "It was low (sea calm", 7),
    ],
)
def test_a_phrase_is_shown_rather_than_its_words(phrase: str, said: str, line: int) -> None:
    # All words are close together at the beginning, which has the phrase in no place.
    apart = " ".join(reversed(phrase.replace(",", " ").split()))
    filler = "Nothing is said here. " * 9  # all is one passage
    text = f"# Log\n\n{apart} x {apart}\n{filler}\n{filler}\n\n{said}.\n\n{filler}\n"
    (row, *_) = ask(snapshot_of({"a.md": text, "b.md": "Bread."}), f'"{phrase}"').results
    assert said.replace("\n", " ") in row.snippet
    assert row.line == line
