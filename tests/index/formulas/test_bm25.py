"""Golden numbers of BM25, computed by hand from Robertson and Zaragoza (2009) with Lucene's idf."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.formulas.bm25 import (
    K1,
    K1_MAX,
    K1_MIN,
    B,
    inverse_frequency,
    k1_of,
    length_norm,
    saturation,
)
from clew.values.arrays import Float64Array
from tests.tables import for_each_row

counts = st.floats(0.5, 1e4)
lengths = st.floats(0.0, 1e6)
means = st.floats(1.0, 1e4)


def bm25(counts: list[float], lengths: list[float], mean: float) -> Float64Array:
    return saturation(np.array(counts, float), length_norm(np.array(lengths, float), mean))


@pytest.mark.parametrize(
    ("documents", "frequency", "ratio"),
    [
        (1, 1, 4 / 3),  # 1 + 0.5 / 1.5
        (10, 10, 22 / 21),  # 1 + 0.5 / 10.5
        (10, 1, 22 / 3),  # 1 + 9.5 / 1.5
        (100, 3, 202 / 7),  # 1 + 97.5 / 3.5
        (1_000, 0, 2002.0),  # 1 + 1000.5 / 0.5
    ],
)
def test_golden_inverse_frequencies(documents: int, frequency: int, ratio: float) -> None:
    assert inverse_frequency(documents, frequency) == pytest.approx(math.log(ratio), rel=1e-15)


@for_each_row(
    ("count", "length", "expected"),
    [
        (1, 100, 1.0),  # 2.2 / (1 + 1.2)
        (2, 100, 1.375),  # 4.4 / (2 + 1.2)
        (3, 100, 6.6 / 4.2),
        (1, 0, 2.2 / 1.3),  # 1.2 * 0.25 = 0.3
        (1, 200, 2.2 / 3.1),  # 1.2 * (0.25 + 1.5) = 2.1
        (2, 50, 4.4 / 2.75),  # 1.2 * (0.25 + 0.375) = 0.75
        (0, 100, 0.0),
    ],
)
def test_golden_scores(count: float, length: float, expected: float) -> None:
    assert (K1, B) == (1.2, 0.75)
    found = bm25([count, count], [length, length], 100.0)
    assert found.tolist() == pytest.approx([expected, expected], rel=1e-15)


@given(count=counts, length=lengths, mean=means)
def test_scores_rise_with_counts_and_saturate(count: float, length: float, mean: float) -> None:
    found = bm25([count, 2 * count], [length, length], mean)
    assert 0 < found[0] < found[1] < K1 + 1


@given(count=counts, length=lengths, mean=means)
def test_longer_documents_score_less(count: float, length: float, mean: float) -> None:
    found = bm25([count, count], [length, length + mean], mean)
    assert found[0] > found[1] > 0


@for_each_row(
    ("mean_count", "expected"),
    [
        (0.0, 0.9),  # of no document
        (1.0, 0.9077649),  # 1.2 * ln(2) / ln(2.5)
        (1.5, 1.2),
        (2.0, 1.4387733),  # 1.2 * ln(3) / ln(2.5)
        (3.0, 1.8),  # 1.8155 is over the bound
        (1e6, 1.8),
    ],
)
def test_golden_k1s_of_terms(mean_count: float, expected: float) -> None:
    assert k1_of(np.array([mean_count])).tolist() == pytest.approx([expected], abs=1e-6)


@given(count=counts, mean_count=st.floats(0.0, 1e6))
def test_a_term_that_is_often_repeated_saturates_later(count: float, mean_count: float) -> None:
    k1s = k1_of(np.array([mean_count, 2 * mean_count]))
    assert K1_MIN <= k1s[0] <= k1s[1] <= K1_MAX
    once = saturation(np.ones(2), np.ones(2), k1s)
    assert once.tolist() == pytest.approx([1.0, 1.0], rel=1e-15), "in a document of mean length"
    more = saturation(np.full(2, 1.0 + count), np.ones(2), k1s)
    assert 1.0 < more[0] <= more[1] * (1 + 1e-15)


@given(documents=st.integers(1, 10**7), data=st.data())
def test_rarer_terms_weigh_more_and_no_weight_is_zero(documents: int, data: st.DataObject) -> None:
    frequency = data.draw(st.integers(1, documents))
    weight = inverse_frequency(documents, frequency)
    assert 0 < weight < inverse_frequency(documents, frequency - 1)
