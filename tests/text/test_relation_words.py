"""Words of a query that ask for a relation of code."""

from clew.text.languages.relation_words import without_relations
from tests.tables import for_each_row


@for_each_row(
    ("query", "left"),
    [
        ("what calls Supervisor and why", "what       Supervisor and why"),
        ("callers of the class Supervisor", "        of the class Supervisor"),
        ("what calls `Supervisor.ask()`?", "what       `Supervisor.ask()`?"),
        ("callers of Supervisor and calls of ask", "        of Supervisor and       of ask"),
        ("who calls whom", "who calls whom"),
        ("what calls Worker", "what calls Worker"),
        ("how many calls has the Supervisor", "how many calls has the Supervisor"),
    ],
)
def test_relations_to_what_is_known_are_no_words_to_search_for(query: str, left: str) -> None:
    assert without_relations(query, {"Supervisor", "ask"}) == left
