"""Which requests share an entry of the cache."""

from clew.query.context.formulas.cache_key import folded_query, request_key
from clew.values.requests import Context, Filters
from tests.tables import for_each_row


@for_each_row(
    ("query", "folded"),
    [
        ("  WHAT calls ValidateToken??  ", "what calls validatetoken"),
        ("what calls validatetoken", "what calls validatetoken"),
        ("c++ memory model", "c++ memory model"),
        ("c memory model", "c memory model"),
        ("???", "???"),
        ('who wrote "Moon tides"?', 'who wrote "moon tides"?'),  # without ?, a phrase
        ("-gps clocks?", "-gps clocks?"),
    ],
)
def test_queries_fold_case_space_and_closing_question_marks(query: str, folded: str) -> None:
    assert folded_query(query) == folded


def test_the_order_of_tags_does_not_matter() -> None:
    first = Context(query="x", filters=Filters(tags=("a", "b")))
    assert request_key(first) == request_key(Context(query="x", filters=Filters(tags=("b", "a"))))


@for_each_row(
    "other",
    [
        Context(query="y"),
        Context(query="x", token_budget=500),
        Context(query="x", template="compact"),
        Context(query="x", include_evidence=True),
        Context(query="x", embed_metadata=True),
        Context(query="x", include_graph_rag=False),
        Context(query="x", include_code_graph=False),
        Context(query="x", include_memories=False),
        Context(query="x", exclude=("memory://a.md",)),
        Context(query="x", filters=Filters(folder="a")),
    ],
)
def test_what_changes_the_pack_changes_the_key(other: Context) -> None:
    assert request_key(other) != request_key(Context(query="x"))


def test_waiting_does_not_change_the_key() -> None:
    assert request_key(Context(query="x", wait_fresh=True)) == request_key(Context(query="x"))
