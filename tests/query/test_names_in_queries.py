"""The names in a query: which words they are, and that they count more than others."""

from msgspec.structs import replace

from clew.query.search.admission.names import names_in
from tests.searches import SEARCH, ask, setting, vault
from tests.tables import for_each_row

PLAIN = setting(has_model=False)
BY_WORDS = replace(SEARCH, mode="keyword")  # else links give notes the evidence of others
NOTES = {
    "dinner.md": "Dinner was late, and long.",
    "Maria.md": "Maria came by bus.",
    **{f"{number}.md": "The weather stays as it was." for number in range(9)},
}
SNAPSHOT = vault(NOTES)


@for_each_row(
    ("query", "names"),
    [
        ("Why did Maria go to Los Angeles?", "maria los angeles"),
        ("Maria was late. Was Jon too?", "jon"),
        ("(When did Maria leave: Was it dark?)", "maria"),
        ('who sang "The Four Seasons"', "the four seasons"),
        ("what was O'Neill's boat, Jean-Luc's or McKinsey's", "oneill jean luc mckinsey"),
        ("wo steht die Bank", "bank"),
        ("what did J. K. Rowling write for Mrs. Smith", "rowling smith"),
        ("did the U.S. Army win", "u army"),
        ("who is it?\nDinner with Jon\n- Bring Wine", "jon wine"),
        ("\u201c((( Why (is Jon", "jon"),
        ("what came of it\u2026 Dinner for Jon", "jon"),
        ("WHY DID MARIA GO", "why did maria go"),
        ("Growing Tomatoes In Winter", "growing tomatoes in winter"),
        ("Growing tomatoes In Winter", "in winter"),
        ("где живёт Мария", "мария"),
        ("why did maria go", ""),
        ("Maria", ""),
        ("?! Why", ""),
        ("在 iPhone 上", ""),
        ("", ""),
    ],
)
def test_names_are_words_with_a_capital_letter_inside_a_sentence(query: str, names: str) -> None:
    # Parts of identifiers, and identifiers made of parts.
    parts = {"mckinsey", "mc", "kinsey", "jeanluc", "neill", "o"}
    assert names_in(query) - parts == set(names.split()) - parts
    assert names_in(query) >= set(names.split())


def confidence(query: str, path: str) -> float:
    reply = ask(SNAPSHOT, query, BY_WORDS, given=PLAIN)
    return next((row.confidence for row in reply.results if row.uri.endswith(path)), 0.0)


def test_a_note_with_the_name_in_a_question_has_more_of_it_than_one_with_another_word() -> None:
    assert confidence("had Maria dinner", "Maria.md") > confidence("had maria dinner", "Maria.md")
    assert confidence("had Maria dinner", "dinner.md") < confidence("had maria dinner", "dinner.md")


def test_a_name_that_no_note_has_is_lacked_more_than_another_word() -> None:
    assert confidence("had Olga dinner", "dinner.md") < confidence("had olga dinner", "dinner.md")


def test_names_alone_count_as_other_words_do() -> None:
    assert confidence("of Maria Dinner", "Maria.md") == confidence("of maria dinner", "Maria.md")


def test_words_in_capitals_alone_all_count_the_same() -> None:
    for query in ("DINNER MARIA", "Dinner, Maria"):
        assert confidence(query, "Maria.md") == confidence(query.lower(), "Maria.md")


def test_a_misspelt_name_counts_as_one() -> None:
    slipped = confidence("had Marria dinner", "dinner.md")
    assert 0 < slipped < confidence("had marria dinner", "dinner.md")


def test_a_name_behind_a_time_begins_no_sentence() -> None:
    dated = vault({path: f"---\ncreated: 2026-01-20\n---\n{text}" for path, text in NOTES.items()})
    hybrid = replace(SEARCH, mode="hybrid")
    plain, named = (
        ask(dated, f"last month {name} had dinner", hybrid, given=PLAIN).results
        for name in ("maria", "Maria")
    )
    assert named[0].uri.endswith("Maria.md")
    assert named[0].confidence > plain[0].confidence
