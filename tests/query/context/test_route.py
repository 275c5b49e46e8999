"""Routes and shares of a pack: tables of examples."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.query.context.formulas.route import route_of
from clew.query.context.formulas.shares import GRAPHRAG, KAG, RAG, shares_of
from clew.values.search_replies import ContextRoute
from tests.tables import for_each_row

EXAMPLES = Path(__file__).parent.parent.parent / "data" / "context_routes.tsv"
# What is included besides memories, by the word of the table: code, concepts.
SOURCES = {
    "none": (False, False),
    "all": (True, True),
    "graph": (False, True),
    "code": (True, False),
}


def examples() -> Iterator[tuple[str, str, str]]:
    for line in EXAMPLES.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            question, sources, route = line.split("\t")
            yield question, sources, route


@for_each_row(("question", "sources", "route"), list(examples()))
def test_the_route_follows_from_the_intent(question: str, sources: str, route: str) -> None:
    has_code, has_graph = SOURCES[sources]
    routed = route_of(question, has_code=has_code, has_graph=has_graph)
    assert (routed.route, bool(routed.reason)) == (route, True)


@for_each_row(
    ("question", "known", "route"),
    [
        ("what calls Supervisor", "Supervisor", "code"),
        ("why do callers of the class Supervisor wait", "Supervisor", "hybrid"),
        ("was ruft die Funktion despike auf", "despike", "code"),
        ("what calls Supervisor", "Worker", "memory"),
        ("who calls whom, and is Supervisor a person", "Supervisor", "memory"),
        ("a call for Supervisor", "Supervisor", "memory"),
        ("what is Supervisor", "Supervisor", "memory"),
        ("where is delay_for used", "delay_for", "code"),
        ("usages of TokenBucket", "TokenBucket", "code"),
        ("wo wird validateToken verwendet", "validateToken", "code"),
        ("why is delay_for used", "delay_for", "hybrid"),
        ("where is GraphQL used in our stack", "delay_for", "memory"),
        ("used pumps and the board", "board", "memory"),
    ],
)
def test_a_usual_word_beside_a_relation_names_what_is_known(
    question: str, known: str, route: ContextRoute
) -> None:
    assert route_of(question, has_code=True, has_graph=True, known=[known]).route == route


@for_each_row(
    ("route", "sources", "shares"),
    [
        ("memory", "all", (0.75, 0.10, 0.15)),
        ("hybrid", "all", (0.55, 0.30, 0.15)),
        ("code", "all", (0.20, 0.65, 0.15)),
        ("memory", "code", (0.90, 0.10, 0)),
        ("hybrid", "code", (0.70, 0.30, 0)),
        ("code", "code", (0.25, 0.75, 0)),
        ("memory", "graph", (0.85, 0, 0.15)),
        ("hybrid", "graph", (0.80, 0, 0.20)),
        ("code", "graph", (0.80, 0, 0.20)),
        ("memory", "none", (1, 0, 0)),
    ],
)
def test_the_shares_of_each_route(
    route: ContextRoute, sources: str, shares: tuple[float, float, float]
) -> None:
    has_code, has_graph = SOURCES[sources]
    expected = dict(zip((RAG, KAG, GRAPHRAG), shares, strict=True))
    assert shares_of(route, has_code=has_code, has_graph=has_graph) == expected


def test_without_memories_the_others_share_the_budget() -> None:
    shares = shares_of("memory", has_code=True, has_graph=True, has_memories=False)
    assert shares == pytest.approx({RAG: 0, KAG: 0.4, GRAPHRAG: 0.6})
