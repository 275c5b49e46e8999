"""A growable array compared with a list."""

import numpy as np
import pytest
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


def test_rows_are_changed_with_set_and_only_so() -> None:
    growing = GrowableArray(np.int32)
    growing.extend([1, 2, 3])
    growing.set(slice(1, None), 7)
    growing.extend([4])
    assert growing.rows.tolist() == [1, 7, 7, 4]
    with pytest.raises(ValueError, match="read-only"):
        growing.rows[0] = 9


def test_replace_copies_its_argument() -> None:
    growing, mine = GrowableArray(np.int32), np.array([1, 2], np.int32)
    growing.replace(mine)
    growing.set(slice(None), 9)
    assert mine.tolist() == [1, 2]


@given(st.lists(st.tuples(st.sampled_from("cseagm"), st.integers(0, 99)), max_size=30))
def test_copies_do_not_see_the_changes_of_one_another(steps: list[tuple[str, int]]) -> None:
    """The steps: copy an array, set a row, extend by one or by many, append a row, grow."""
    pairs = [(GrowableArray(np.int64), list[int]())]
    for step, number in steps:
        growing, model = pairs[number % len(pairs)]
        if step == "c":
            pairs.append((growing.copy(), model.copy()))
        elif step == "s" and model:
            growing.set(number % len(model), number)
            model[number % len(model)] = number
        elif step == "a":
            assert growing.append(number) == len(model)
            model.append(number)
        elif step == "g":
            growing.grow(number, number)
            model += [number] * (number - len(model))
        else:
            added = [number] * (1 if step == "e" else 70)
            growing.extend(added)
            model += added
        assert all(growing.rows.tolist() == model for growing, model in pairs)
