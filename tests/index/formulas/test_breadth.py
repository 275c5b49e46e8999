"""The weights of notes in edges and in steps, worked out by hand."""

import numpy as np
import pytest

from clew.index.formulas.breadth import edge_weights, step_weights
from clew.index.formulas.decay import WEIGHT_UNIT

WEIGHTS = np.array([1.0, 0.5, 1.0, 1.0, WEIGHT_UNIT])
COUNTS = np.array([32, 64, 320, 1, 3_200])


def test_notes_beyond_the_limit_weigh_less_in_edges() -> None:
    expected = [1.0, 0.25, 0.1, 1.0, WEIGHT_UNIT]
    assert edge_weights(WEIGHTS, COUNTS, 32).tolist() == pytest.approx(expected, abs=WEIGHT_UNIT)


def test_without_a_limit_all_notes_weigh_alike_in_edges() -> None:
    assert edge_weights(WEIGHTS, COUNTS, 0).tolist() == WEIGHTS.tolist()


def test_the_steps_from_a_concept_through_a_note_have_its_weight_in_all() -> None:
    steps = step_weights(WEIGHTS, COUNTS)
    expected = [1 / 31, 0.5 / 63, 1 / 319, 1.0, WEIGHT_UNIT]
    assert steps.tolist() == pytest.approx(expected, abs=WEIGHT_UNIT)


def test_weights_are_whole_units() -> None:
    for weights in (edge_weights(WEIGHTS, COUNTS, 7), step_weights(WEIGHTS, COUNTS)):
        units = weights / WEIGHT_UNIT
        assert (units == np.rint(units)).all()
        assert (units >= 1).all()
