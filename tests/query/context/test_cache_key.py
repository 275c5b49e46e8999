"""Which requests share an entry of the cache."""

from clew.query.context.formulas.cache_key import folded_query, request_key
from clew.values.requests import Context, Filters
from tests.tables import for_each_row


def key(request: Context) -> bytes:
    return request_key(request, lambda _: False)


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


@for_each_row(
    ("query", "other", "code", "share"),
    [
        ("  WHAT calls ValidateToken??  ", "what calls validatetoken", "", True),
        ("  WHAT calls ValidateToken??  ", "what calls validatetoken", "ValidateToken", False),
        ("what calls open", "WHAT CALLS OPEN", "open", False),
        ("where does it open", "WHERE DOES IT OPEN", "open", True),  # it asks for no code
        ("Clocks drift", "clocks drift", "", True),
        ("WHY DO CLOCKS DRIFT?", "why do clocks drift", "", True),
        ("why do Clocks drift?", "why do clocks drift", "", False),
        ("songs of the Who", "songs of the who", "", False),
        ("the tides. Moon", "the tides.\nMoon", "", True),
        ("the tides Moon", "the tides\nMoon", "", False),  # it begins a sentence
        ("March 2025 tides", "march 2025 tides", "", False),
    ],
)
def test_queries_of_other_names_share_no_entry(
    query: str, other: str, code: str, share: bool
) -> None:
    keys = {request_key(Context(query=each), code.__eq__) for each in (query, other)}
    assert (len(keys) == 1) == share


def test_the_order_of_tags_does_not_matter() -> None:
    first = Context(query="x", filters=Filters(tags=("a", "b")))
    assert key(first) == key(Context(query="x", filters=Filters(tags=("b", "a"))))


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
    assert key(other) != key(Context(query="x"))


def test_waiting_does_not_change_the_key() -> None:
    assert key(Context(query="x", wait_fresh=True)) == key(Context(query="x"))
