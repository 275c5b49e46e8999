"""The highest rows in slices are those of a full sort, and no step reads many names."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from clew.query.highest import highest, highest_in_slices, highest_pairs, ordered
from clew.query.slices import SLICE_ROWS, finished


@given(st.lists(st.sampled_from((0.0, 1.0, 2.5)), max_size=700), st.integers(0, 800))
def test_the_highest_are_the_first_of_all_in_order(values: list[float], most: int) -> None:
    values_by_id = np.array(values, np.float64)
    ids = np.arange(len(values), dtype=np.int64)[::2]
    first = finished(highest_in_slices(ids, values_by_id, str, most))
    assert first.tolist() == ordered(ids.copy(), values_by_id, str).tolist()[:most]


@given(st.lists(st.sampled_from((0.0, 1.0, 2.5)), max_size=90), st.integers(1, 100))
def test_pairs_are_the_highest_ids_with_their_values(values: list[float], most: int) -> None:
    values_by_id = np.array(values, np.float64)
    ids = np.arange(len(values), dtype=np.int64)[::-2].copy()
    found, its_values = highest_pairs(ids, values_by_id[ids], str, most)
    expected = sorted(ids.tolist(), key=lambda row_id: (-values[row_id], str(row_id)))[:most]
    assert found.tolist() == highest(ids, values_by_id, str, most).tolist() == expected
    assert its_values.tolist() == [values[row_id] for row_id in expected]


def test_no_step_names_more_than_a_slice_though_all_values_are_equal() -> None:
    named = 0

    def name_of(row_id: int) -> str:
        nonlocal named
        named += 1
        return str(row_id)

    before = 0
    for _ in highest_in_slices(np.arange(3_000), np.zeros(3_000), name_of, 10):
        assert named - before <= SLICE_ROWS
        before = named
    assert named == 3_000
