"""The capped relevance of recalled turns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.query.sessions.relevance import RELEVANCE_MAX, relevance
from tests.tables import for_each_row


@for_each_row(
    ("similarity", "is_same", "days", "expected"),
    [
        (0.29, True, 0.0, None),
        (0.3, True, 0.0, 0.38),
        (0.3, False, 30.0, 0.09),
        (1.0, True, 0.0, 0.5),
        (0.5, False, 15.0, 0.25),
        (0.3, True, -400.0, 0.38),  # a time to come
        (0.3, False, 4000.0, 0.09),
    ],
)
def test_the_formula(similarity: float, is_same: bool, days: float, expected: float | None) -> None:
    found = relevance(similarity, is_same_session=is_same, days=days)
    assert found == (None if expected is None else pytest.approx(expected, abs=1e-12))


@given(st.floats(0.3, 1), st.booleans(), st.floats(-1e6, 1e6))
def test_it_is_within_its_bounds_and_falls_with_age(
    similarity: float, is_same: bool, days: float
) -> None:
    now = relevance(similarity, is_same_session=is_same, days=days)
    later = relevance(similarity, is_same_session=is_same, days=days + 1)
    assert now is not None
    assert later is not None
    assert 0 <= later <= now <= RELEVANCE_MAX
