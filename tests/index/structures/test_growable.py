"""A growable array compared with a list."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from clew.index.structures.growable import GrowableArray

steps = st.lists(
    st.tuples(st.booleans(), st.lists(st.integers(-(2**31), 2**31 - 1), max_size=150)), max_size=12
)


@given(steps)
def test_rows_are_those_of_a_list_after_the_same_changes(
    changes: list[tuple[bool, list[int]]],
) -> None:
    growing, expected = GrowableArray(np.int32), list[int]()
    for replaces, rows in changes:
        if replaces:
            growing.replace(rows)
            expected = list(rows)
        else:
            assert growing.extend(rows) == len(expected)
            expected += rows
        assert growing.rows.tolist() == expected
        assert (len(growing), str(growing.rows.dtype)) == (len(expected), "int32")


@given(st.lists(st.integers(0, 90), max_size=6))
def test_rows_of_several_columns_can_be_added(counts: list[int]) -> None:
    growing, expected = GrowableArray(np.int8, 3), np.zeros((0, 3), np.int8)
    for number, count in enumerate(counts):
        added = np.full((count, 3), number, np.int8)
        growing.extend(added)
        expected = np.concatenate([expected, added])
    assert np.array_equal(growing.rows, expected)


def test_rows_are_changed_in_place() -> None:
    growing = GrowableArray(np.int32)
    growing.extend([1, 2, 3])
    growing.rows[1:] = 7
    growing.extend([4])
    assert growing.rows.tolist() == [1, 7, 7, 4]


def test_replace_copies_its_argument() -> None:
    growing, mine = GrowableArray(np.int32), np.array([1, 2], np.int32)
    growing.replace(mine)
    growing.rows[:] = 9
    assert mine.tolist() == [1, 2]
