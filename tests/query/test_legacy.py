"""The legacy matcher: four steps of relevance, and what importance adds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.query.legacy import legacy_relevance, legacy_score


@pytest.mark.parametrize(
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
def test_a_name_is_as_relevant_as_the_table_says(query: str, name: str, relevance: float) -> None:
    assert legacy_relevance(query, name) == relevance


@given(st.text(), st.text())
def test_relevance_is_one_of_four_and_blind_to_case(query: str, name: str) -> None:
    relevance = legacy_relevance(query, name)
    assert relevance in (0.0, 0.4, 0.7, 1.0)
    assert legacy_relevance(query.casefold(), name.casefold()) == relevance


@pytest.mark.parametrize(
    ("relevance", "importance", "score"),
    [(1.0, 1.0, 1.0), (1.0, 0.0, 0.6), (0.0, 1.0, 0.4), (0.7, 0.5, 0.62), (0.4, 0.25, 0.34)],
)
def test_scores_are_the_golden_ones(relevance: float, importance: float, score: float) -> None:
    found = legacy_score(np.array([relevance]), np.array([importance]))
    assert found.tolist() == pytest.approx([score])
