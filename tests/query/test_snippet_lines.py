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


def test_a_passage_without_text_is_shown_by_the_first_words_of_its_note() -> None:
    notes = {
        "recipes.md": "# Recipes\n\nA list of what we cook.\n\n"
        + "- It tastes of little.\n" * 90
        + "\n[soup]: soup.md\n[bread]: bread.md\n",
        "film.md": "---\ntags: film\ndirector: Ridley Scott\nurl: https://b.org\n---\n",
        "music.md": "## Albums\n\n![[Albums.base#Genre]]\n",
    }
    snapshot = snapshot_of(notes)
    shown = {
        query: [(row.snippet, row.line) for row in ask(snapshot, query).results]
        for query in ("soup", "film", "albums")
    }
    assert shown == {
        "soup": [("A list of what we cook.", 3)],
        "film": [("director: Ridley Scott", 1)],
        "albums": [("", 1)],
    }
