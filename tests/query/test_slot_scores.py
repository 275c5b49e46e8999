"""Scores of some slots compared with a plain dictionary."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.structures import slot_scores
from clew.index.structures.slot_scores import summed

SLOTS = 12
# Sums of these are exact in any order, so that a dictionary has the same.
scores = st.dictionaries(
    st.integers(0, SLOTS - 1), st.integers(-8, 8).map(lambda eighths: eighths / 8), max_size=SLOTS
)


@given(st.lists(scores, max_size=4), st.lists(st.integers(0, SLOTS + 3), max_size=8), st.booleans())
def test_the_scores_of_a_slot_are_summed_and_other_slots_score_nothing(
    every: list[dict[int, float]], asked: list[int], are_sorted: bool
) -> None:
    expected: dict[int, float] = {}
    for some in every:
        for slot, score in some.items():
            expected[slot] = expected.get(slot, 0.0) + score
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slot_scores, "DENSE_SLOTS_PER_SCORE", 0 if are_sorted else SLOTS)
        result = summed(
            [np.array(list(some), np.int64) for some in every],
            [np.array(list(some.values()), np.float64) for some in every],
        )
    assert result.slots.tolist() == sorted(expected)
    assert result.scores.tolist() == [expected[slot] for slot in sorted(expected)]
    of_asked = result.of(np.array(asked, np.int64)).tolist()
    assert of_asked == [expected.get(slot, 0.0) for slot in asked]
