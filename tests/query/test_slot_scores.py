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


runs = st.lists(st.tuples(st.integers(0, SLOTS + 3), st.integers(0, 5)), max_size=8)


@given(st.lists(scores, max_size=4), runs, st.booleans())
def test_the_scores_of_a_slot_are_summed_and_those_of_runs_are_found(
    every: list[dict[int, float]], asked: list[tuple[int, int]], are_sorted: bool
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
    firsts, counts = np.array(asked, np.int64).reshape(-1, 2).T
    found = [
        [slot for slot in range(first, first + count) if slot in expected] for first, count in asked
    ]
    slots, scores_found, lengths = result.within(firsts, counts)
    assert lengths.tolist() == list(map(len, found))
    assert slots.tolist() == [slot for run in found for slot in run]
    assert scores_found.tolist() == [expected[slot] for slot in slots.tolist()]
