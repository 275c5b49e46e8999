"""Which passages are too faint for a pack, by their relevance and how much of a query they say."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.query.context.formulas.faintness import COMPLETE, faint_passages

PASSAGES = st.lists(st.tuples(st.floats(0, 5), st.floats(0, 1)), max_size=12)


@pytest.mark.parametrize(
    ("relevances", "said", "faint"),
    [
        pytest.param((1.0, 0.05), (0.8, 0.2), {1}, id="little relevance that says little"),
        pytest.param((2.0, 0.1), (0.8, 0.2), {1}, id="relevance is a share of the highest"),
        pytest.param((1.0, 0.06), (0.8, 0.2), set(), id="as relevant as it must be"),
        pytest.param((1.0, 0.05), (0.8, 0.25), set(), id="says as much as it must"),
        pytest.param((1.0, 0.19), (0.95, 0.59), {1}, id="beside one that says all"),
        pytest.param((1.0, 0.2), (0.95, 0.0), set(), id="relevant beside one that says all"),
        pytest.param((1.0, 0.01), (0.95, 0.6), set(), id="says most beside one that says all"),
        pytest.param((1.0, 0.5, 0.19), (0.8, 1.0, 0.5), {2}, id="one about as relevant says all"),
        pytest.param((1.0, 0.4, 0.19), (0.8, 1.0, 0.5), set(), id="one less relevant says all"),
        pytest.param((0.0, 0.0), (0.0, 0.0), set(), id="without relevance"),
        pytest.param((1.0, 0.5, 0.05), (0.0, 0.0, 0.0), {2}, id="found by meaning alone"),
        pytest.param((), (), set(), id="no passages"),
    ],
)
def test_faint(relevances: Sequence[float], said: Sequence[float], faint: set[int]) -> None:
    assert faint_passages(relevances, said, {}) == faint


def test_a_link_from_a_clear_passage_saves_one_and_no_other_link_does() -> None:
    relevances, said = (1.0, 0.05, 0.05, 0.05), (0.8, 0.1, 0.1, 0.1)
    assert faint_passages(relevances, said, {0: {1: 0.5}, 1: {2: 0.5}}) == {2, 3}


@given(PASSAGES)
def test_the_best_is_never_faint_and_scale_means_nothing(
    passages: Sequence[tuple[float, float]],
) -> None:
    relevances, said = [each for each, _ in passages], [share for _, share in passages]
    faint = faint_passages(relevances, said, {})
    assert not any(relevances[index] == max(relevances) for index in faint)
    assert faint_passages([4.0 * each for each in relevances], said, {}) == faint


@given(PASSAGES)
def test_a_passage_that_says_all_only_makes_more_faint(
    passages: Sequence[tuple[float, float]],
) -> None:
    relevances, said = [each for each, _ in passages], [share for _, share in passages]
    first = max(relevances, default=0.0)
    before = faint_passages([first, *relevances], [min(0.9, COMPLETE.terms - 0.01), *said], {})
    assert before <= faint_passages([first, *relevances], [1.0, *said], {})
