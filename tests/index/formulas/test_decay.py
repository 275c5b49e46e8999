"""Golden numbers of the decay formulas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.formulas.decay import WEIGHT_UNIT, DecayFunction, decay_weights, rounded_weights
from tests.tables import for_each_row


def weight(age: float, grace: float, function: DecayFunction, half_life: float = 30.0) -> float:
    return float(decay_weights(np.array([age]), np.array([grace]), function, half_life)[0])


@for_each_row(
    ("function", "grace", "age", "expected"),
    [
        (DecayFunction.POWER_LAW, 28, 30, 0.7071),
        (DecayFunction.POWER_LAW, 28, 44, 0.25),
        (DecayFunction.POWER_LAW, 28, 365, 0.0545),
        (DecayFunction.POWER_LAW, 28, 28.5, 1.0),
        (DecayFunction.POWER_LAW, 28, 0, 1.0),
        (DecayFunction.EXPONENTIAL, 14, 44, 0.5),
        (DecayFunction.EXPONENTIAL, 14, 74, 0.25),
        (DecayFunction.EXPONENTIAL, 14, 14, 1.0),
        (DecayFunction.NONE, 0, 10_000, 1.0),
    ],
)
def test_golden_weights(function: DecayFunction, grace: float, age: float, expected: float) -> None:
    assert weight(age, grace, function) == pytest.approx(expected, abs=5e-5)


def test_a_date_in_the_future_counts_as_now() -> None:
    assert weight(-20_000, 0, DecayFunction.EXPONENTIAL) == 1.0


def test_infinite_grace_never_decays() -> None:
    assert weight(1e6, np.inf, DecayFunction.EXPONENTIAL) == 1.0


def test_a_half_life_of_zero_is_rejected() -> None:
    with pytest.raises(ValueError, match="half_life_days"):
        weight(1, 0, DecayFunction.EXPONENTIAL, 0)


@given(st.lists(st.floats(0, 30_000), min_size=2, max_size=200), st.randoms())
def test_sums_do_not_depend_on_order(ages: list[float], random: object) -> None:
    """Weights are multiples of 2**-32, so adding them is exact in float64."""
    grace = np.full(len(ages), 28.0)
    weights = decay_weights(np.array(ages), grace, DecayFunction.POWER_LAW, 30.0).tolist()
    forward = sum(weights)
    random.shuffle(weights)  # type: ignore[attr-defined]  # hypothesis gives a random.Random
    assert sum(weights) == forward


@given(st.floats(-1e9, 1e9), st.floats(0, 1e4), st.sampled_from(DecayFunction))
def test_a_weight_is_between_0_and_1(age: float, grace: float, function: DecayFunction) -> None:
    assert 0.0 <= weight(age, grace, function) <= 1.0


@given(
    units=st.lists(st.integers(1, 137_000 * 2**32) | st.integers(1, 2**20).map(lambda n: n << 25))
)
def test_sums_of_weights_are_rounded_as_python_rounds(units: list[int]) -> None:
    found = rounded_weights(np.array(units, dtype=np.int64))
    assert found.tolist() == [round(each * WEIGHT_UNIT, 6) for each in units]


def test_sums_too_large_for_integers_are_rounded_too() -> None:
    assert rounded_weights(np.array([2**52 + 1])).tolist() == [2.0**20]
