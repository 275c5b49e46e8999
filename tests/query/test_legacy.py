"""The legacy matcher: its four levels of relevance, and the effect of importance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.symbol_words import NameWords
from clew.query.rank.legacy import folded_query, legacy_relevance, legacy_score, relevance_of_names
from tests.examples import examples
from tests.tables import for_each_row


@for_each_row(
    ("query", "name", "relevance"),
    [
        ("BlastRadius", "blastradius", 1.0),
        (" blast radius ", "Blast Radius", 1.0),
        ("STRASSE", "straße", 1.0),
        ("radius", "Blast Radius", 0.7),
        ("Радиус", "радиус взрыва", 0.7),
        ("radius calculator", "Blast Radius", 0.4),
        ("what is a calculator", "BlastRadiusCalculator", 0.4),
        ("radii", "Blast Radius", 0.0),
        ("blast radius", "", 0.0),
        ("", "", 0.0),
        (" \t", "a b", 0.0),
    ],
)
def test_names_have_the_relevance_of_the_table(query: str, name: str, relevance: float) -> None:
    assert legacy_relevance(folded_query(query), name) == relevance


@given(st.text(), st.text())
def test_relevance_has_four_values_and_ignores_case(query: str, name: str) -> None:
    relevance = legacy_relevance(folded_query(query), name)
    assert relevance in (0.0, 0.4, 0.7, 1.0)
    assert legacy_relevance(folded_query(query.casefold()), name.casefold()) == relevance


PIECES = st.sampled_from(["a", "b", "ab", "ß", "SS", " ", "-", "--", "\n", "A-b"])
TEXTS = st.lists(PIECES, max_size=6).map("".join)


@examples(300)
@given(TEXTS, st.lists(TEXTS.filter(str.strip), unique=True))
def test_names_in_a_table_have_the_same_relevance_as_each_alone(
    query: str, names: list[str]
) -> None:
    """Hyphens in a name match white space too."""
    table = NameWords("english")
    table.add(names)
    alone = [
        max(legacy_relevance(folded_query(query), each) for each in (name, name.replace("-", " ")))
        for name in names
    ]
    assert relevance_of_names(folded_query(query), table).tolist() == alone


@pytest.mark.parametrize(
    ("relevance", "importance", "score"),
    [(1.0, 1.0, 1.0), (1.0, 0.0, 0.6), (0.0, 1.0, 0.4), (0.7, 0.5, 0.62), (0.4, 0.25, 0.34)],
)
def test_scores_are_the_golden_ones(relevance: float, importance: float, score: float) -> None:
    found = legacy_score(np.array([relevance]), np.array([importance]))
    assert found.tolist() == pytest.approx([score])
