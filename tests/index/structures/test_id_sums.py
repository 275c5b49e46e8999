"""Counts and sums by id do not depend on how they are found."""

import random

import numpy as np
import pytest

from clew.index.structures.id_sums import SPARSER_FACTOR, sum_by_id


@pytest.mark.parametrize("id_count", [1, 7, 40 * SPARSER_FACTOR, 50 * SPARSER_FACTOR])
@pytest.mark.parametrize("entry_count", [0, 1, 45, 2_000])
def test_each_id_has_its_count_and_the_sum_of_its_weights(id_count: int, entry_count: int) -> None:
    chance = random.Random(entry_count)
    ids = [chance.randrange(id_count) for _ in range(entry_count)]
    weights = [chance.randrange(2**32) / 2**32 for _ in ids]
    distinct, counts, sums = sum_by_id(np.array(ids, np.int32), np.array(weights), id_count)
    dtypes = [each.dtype.name for each in (distinct, counts, sums)]
    assert dtypes == ["int32", "int32", "float64"]
    assert distinct.tolist() == sorted(set(ids))
    assert counts.tolist() == [ids.count(each) for each in sorted(set(ids))]
    assert sums.tolist() == [
        sum(weight for other, weight in zip(ids, weights, strict=True) if other == each)
        for each in sorted(set(ids))
    ]
