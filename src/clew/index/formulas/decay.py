"""Decay: the share of its weight that a note keeps as it ages.

Weights are rounded to multiples of 2**-32, so that a sum of up to two million of them is exact in
float64, and therefore the same in any order of the notes.
"""

from enum import StrEnum

import numpy as np

from clew.values.arrays import Float64Array, Int64Array

SECONDS_A_DAY = 86_400.0
_UNIT_BITS = 32
WEIGHT_UNIT = 2.0**-_UNIT_BITS  # Every weight is a multiple of it.

# 10**6 is 5**6 * 2**6, and the power of two cancels against the unit.
_DECIMALS = 6
_FACTOR = 5**_DECIMALS
_SHIFT = _UNIT_BITS - _DECIMALS
_SCALABLE_MAX = 2**63 // _FACTOR - 1


class DecayFunction(StrEnum):
    """How weight falls with age after the days of grace."""

    POWER_LAW = "power-law"
    EXPONENTIAL = "exponential"
    NONE = "none"


def decay_weights(
    age_days: Float64Array,
    grace_days: Float64Array,
    function: DecayFunction,
    half_life_days: float,
) -> Float64Array:
    """Return the share of weight left, in (0, 1], for notes of the given ages.

    Up to ``grace_days`` it is 1. Then, with t the days past grace, ``power-law`` gives
    ``min(1, t ** -0.5)`` and ``exponential`` ``0.5 ** (t / half_life_days)``. Ages below zero (a
    date in the future) count as zero. Both arrays have shape (note_count,).

    Raises:
        ValueError: ``half_life_days`` is not positive.

    Source: Wixted and Ebbesen, "On the form of forgetting", Psychological Science 1991, for the
    power law; the exponential is the formula of radioactive decay.
    """
    if half_life_days <= 0:
        raise ValueError(f"half_life_days must be positive, got {half_life_days}")
    past_grace = np.maximum(age_days, 0.0) - grace_days
    if function is DecayFunction.NONE:
        weights = np.ones_like(past_grace)
    elif function is DecayFunction.POWER_LAW:
        weights = np.maximum(past_grace, 1.0) ** -0.5
    else:
        weights = 0.5 ** (np.maximum(past_grace, 0.0) / half_life_days)
    return in_whole_units(weights)


def in_whole_units(weights: Float64Array) -> Float64Array:
    """Return weights rounded to units, one at least: an edge of old notes is still an edge."""
    rounded: Float64Array = np.maximum(np.rint(weights / WEIGHT_UNIT), 1.0) * WEIGHT_UNIT
    return rounded


def rounded_weights(units: Int64Array) -> Float64Array:
    """Return sums of weights, given in units of ``WEIGHT_UNIT``, rounded to 6 decimals.

    Rounds half to even in integer arithmetic, bit for bit as Python's ``round``. Sums above 100,000
    would overflow the integers, so numpy rounds them.
    """
    if units.max(initial=0) > _SCALABLE_MAX:
        return np.round(units * WEIGHT_UNIT, _DECIMALS)
    scaled = units * _FACTOR
    whole, remainder = scaled >> _SHIFT, scaled & ((1 << _SHIFT) - 1)
    half = 1 << (_SHIFT - 1)
    rounds_up = (remainder > half) | ((remainder == half) & (whole & 1 == 1))
    decimal: Float64Array = (whole + rounds_up) / 10.0**_DECIMALS
    return decimal
