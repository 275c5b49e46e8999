"""Distinct ids and sums by id do not depend on how they are found."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.structures.id_sums import (
    SPARSER_FACTOR,
    begins_run,
    sums_of_runs,
    weights_by_id,
    which_runs_hold_any,
    with_distinct,
)
from tests.examples import examples


@pytest.mark.parametrize("id_count", [1, 7, 40 * SPARSER_FACTOR, 50 * SPARSER_FACTOR])
@pytest.mark.parametrize("entry_count", [0, 1, 45, 2_000])
def test_each_id_has_its_group_and_the_sum_of_its_weights(id_count: int, entry_count: int) -> None:
    chance = random.Random(entry_count)
    ids = [chance.randrange(id_count) for _ in range(entry_count)]
    weights = [chance.randrange(2**32) / 2**32 for _ in ids]
    distinct, group = with_distinct(np.array(ids, np.int32), id_count)
    assert distinct.tolist() == sorted(set(ids))
    assert [distinct[each] for each in group] == ids
    same, sums = weights_by_id(np.array(ids, np.int64), np.array(weights), id_count)
    assert (same.dtype.name, sums.dtype.name) == ("int64", "float64")
    assert same.tolist() == distinct.tolist()
    assert sums.tolist() == [
        sum(weight for other, weight in zip(ids, weights, strict=True) if other == each)
        for each in sorted(set(ids))
    ]


@pytest.mark.parametrize("id_count", [2, SPARSER_FACTOR * 4])
def test_weights_of_an_id_are_added_in_their_order(id_count: int) -> None:
    """The sum of three numbers may depend on their order, and replies must not."""
    ids, weights = np.array([1, 0, 1, 1]), np.array([0.1, 1.0, 0.2, 0.3])
    _, sums = weights_by_id(ids, weights, id_count)
    assert sums.tolist() == [1.0, 0.1 + 0.2 + 0.3]
    assert 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1


@pytest.mark.parametrize("runs", [[], ["a"], ["a", "bb", "c", "ddddddddddddd"], ["aaa"]])
def test_the_values_of_a_run_are_added_in_their_order(runs: list[str]) -> None:
    names = "".join(runs)
    weights = [0.1 * (n + 1) for n in range(len(names))]
    is_first = begins_run(np.array([ord(name) for name in names], np.int64))
    starts, sums = sums_of_runs(np.array(weights), is_first)
    assert starts.tolist() == [names.index(run) for run in runs]
    assert sums.tolist() == [
        sum(weights[start + 1 : start + len(run)], weights[start])
        for start, run in zip(starts.tolist(), runs, strict=True)
    ]


@examples(200)
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 9))), st.sets(st.integers(0, 40)))
def test_a_run_holds_ids_from_its_first_to_before_its_end(
    runs: list[tuple[int, int]], ids: set[int]
) -> None:
    firsts = np.array([first for first, _ in runs], np.int32)
    ends = firsts + np.array([count for _, count in runs], np.int32)
    held = which_runs_hold_any(firsts, ends, np.array(sorted(ids), np.int64))
    assert held.tolist() == [not ids.isdisjoint(range(at, at + count)) for at, count in runs]
