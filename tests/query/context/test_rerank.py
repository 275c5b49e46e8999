"""The order of candidates, with worked examples of the formula."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.query.context.formulas.rerank import Rated, rerank
from clew.query.context.formulas.shares import GRAPHRAG, KAG, RAG, SOURCES
from clew.values.search_replies import ContextRoute, ContextSource
from tests.examples import examples

Example = tuple[str, float, str]  # name, relevance, terms

WORKED: list[tuple[ContextRoute, tuple[float, float, float], list[Example], dict[str, float]]] = [
    (
        "code",
        (0.25, 0.75, 0),
        [
            ("rag-1", 1.0, "auth token"),
            ("rag-2", 0.95, "auth strategy"),
            ("kag-1", 0.9, "validate token"),
            ("kag-2", 0.88, "caller impact"),
        ],
        {"kag-1": 0.9630, "rag-2": 0.7890, "kag-2": 0.8586, "rag-1": 0.5850},
    ),
    (
        "memory",
        (0.9, 0.1, 0),
        [("rag-1", 0.88, "decision history"), ("kag-1", 0.9, "validate caller")],
        {"rag-1": 1.0460, "kag-1": 0.7980},
    ),
    (
        "hybrid",
        (0.7, 0.3, 0),
        [
            ("rag-1", 0.95, "auth token"),
            ("rag-2", 0.93, "auth token"),
            ("rag-3", 0.91, "auth token"),
            ("kag-1", 0.86, "validate handler"),
            ("kag-2", 0.84, "dependency impact"),
        ],
        {"rag-1": 0.9460, "kag-1": 0.8058, "kag-2": 0.7006, "rag-2": 0.6908, "rag-3": 0.6457},
    ),
    (
        "memory",
        (1, 0, 0),
        [
            ("rag-1", 0.9, "auth token"),
            ("rag-2", 0.88, "auth token"),
            ("rag-3", 0.87, "refresh rotation"),
        ],
        {"rag-1": 1.0800, "rag-3": 0.8760, "rag-2": 0.6540},
    ),
]


@pytest.mark.parametrize(("route", "shares", "candidates", "expected"), WORKED)
def test_candidates_come_in_order_with_their_scores(
    route: ContextRoute,
    shares: tuple[float, float, float],
    candidates: list[Example],
    expected: dict[str, float],
) -> None:
    by_source = dict(zip(SOURCES, shares, strict=True))
    rated = [rate(name, relevance, terms) for name, relevance, terms in candidates]
    picks = rerank(rated, by_source, route)
    scores = {candidates[pick.index][0]: round(pick.score, 4) for pick in picks}
    assert list(scores.items()) == list(expected.items())


def rate(name: str, relevance: float, terms: str) -> Rated:
    source: ContextSource = RAG if name.startswith("rag") else KAG
    return Rated(source, relevance, frozenset(terms.split()), 100)


rated_candidates = st.lists(
    st.builds(
        Rated,
        st.sampled_from([RAG, KAG, GRAPHRAG]),
        st.floats(0, 1),
        st.frozensets(st.sampled_from("abcdefgh")),
        st.integers(1, 400),
    ),
    max_size=12,
)


@examples(100)
@given(rated_candidates, st.sampled_from(["memory", "code", "hybrid"]))
def test_all_candidates_come_once_and_parts_add_up(rated: list[Rated], route: ContextRoute) -> None:
    picks = rerank(rated, {RAG: 0.75, KAG: 0.1, GRAPHRAG: 0.15}, route)
    assert sorted(pick.index for pick in picks) == list(range(len(rated)))
    for pick in picks:
        parts = pick.semantic + pick.balance + pick.novelty - pick.redundancy
        assert pick.score == pytest.approx(parts)
