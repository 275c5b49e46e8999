"""Which words of a query only ask for notes, so that no note needs to have them."""

from pathlib import Path

from clew.query.search.admission.request_words import request_words
from clew.text.stopwords import STOP_WORDS
from tests.searches import ask, paths, vault
from tests.tables import for_each_row

TABLE = Path(__file__).parents[1] / "data/request_words.tsv"
ROWS = [
    line.split("\t") for line in TABLE.read_text("utf-8").splitlines() if not line.startswith("//")
]
SLUGS = {"Slugs.md": "Beer traps against slugs.", "Bread.md": "Bread needs rye and salt."}


@for_each_row(("query", "expected"), ROWS)
def test_words_that_only_ask(query: str, expected: str) -> None:
    assert request_words(query) - STOP_WORDS == set(expected.split())


@for_each_row(
    "query", ["tell me about slugs", "show me notes on slugs", "zeig mir Notizen zu Slugs"]
)
def test_a_question_is_answered_by_what_it_is_about(query: str) -> None:
    reply = ask(vault(SLUGS), query)
    assert (reply.answered, paths(reply)) == ("yes", ["Slugs.md"])
    assert ask(vault(SLUGS), query.lower().replace("slugs", "yachts")).answered == "no"
