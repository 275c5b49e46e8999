"""The evidence that a note answers, the confidence that it gives, and what is an answer."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.query.search.admission.evidence import (
    CHANCE,
    FEW,
    MANY,
    SLOPE,
    WEAK_MIN,
    closeness,
    confidence,
    evidence,
    evidence_of_words,
    judged,
    weak_min_of,
)
from tests.examples import examples
from tests.tables import for_each_row

SHARES = st.floats(0, 1)


def column(value: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([value])


def answer(share: float, cosine: float, noise: float) -> float:
    return float(confidence(evidence(column(share), closeness(column(cosine), noise)))[0])


@examples(300)
@given(SHARES, SHARES, SHARES, SHARES, st.floats(0, 0.95))
def test_more_evidence_never_lowers_the_confidence(
    share: float, more: float, cosine: float, nearer: float, noise: float
) -> None:
    low = answer(min(share, more), min(cosine, nearer), noise)
    high = answer(max(share, more), max(cosine, nearer), noise)
    assert 0 < low <= high < 1
    by_words = [
        float(evidence_of_words(column(each), is_latin=is_latin)[0])
        for is_latin in (True, False)
        for each in sorted((share, more))
    ]
    assert by_words[0] <= by_words[1]
    assert by_words[2] <= by_words[3]


@examples(100)
@given(st.floats(0, 0.95), st.floats(0, 1))
def test_a_cosine_within_the_noise_tells_nothing(noise: float, cosine: float) -> None:
    (near,) = closeness(column(cosine), noise).tolist()
    assert 0 <= near <= 1 + 1e-12
    assert (near == 0) is (cosine <= noise)


@for_each_row(
    ("share", "cosine", "judgement"),
    [
        (1.0, 0.0, "yes"),
        (0.9, 0.0, "weak"),
        (0.5, 0.0, "no"),
        (0.0, 0.95, "yes"),
        (0.0, 0.5, "no"),
        (0.5, 0.5, "yes"),
        (0.4, 0.5, "weak"),
        (0.3, 0.5, "no"),
        (0.0, 0.0, "no"),
    ],
)
def test_words_or_meaning_are_enough_alone_only_if_they_are_nearly_full(
    share: float, cosine: float, judgement: str
) -> None:
    assert judged(answer(share, cosine, 0.27)) == judgement


def test_judgements_rise_with_the_confidence() -> None:
    order = ["no", "weak", "yes"]
    ranks = [order.index(judged(number / 100)) for number in range(101)]
    assert all(first <= second for first, second in pairwise(ranks))
    assert set(ranks) == {0, 1, 2}


def test_less_is_a_weak_answer_in_a_small_vault() -> None:
    bounds = [weak_min_of(passages) for passages in (0, FEW, 2 * FEW, MANY, 10**6)]
    assert bounds == sorted(bounds)
    assert bounds[0] == bounds[1] < bounds[2] < bounds[3]
    assert bounds[3] == bounds[4] == pytest.approx(WEAK_MIN)
    # The evidence of these confidences is so far apart.
    logits = [math.log(each / (1.0 - each)) for each in bounds]
    assert (logits[3] - logits[2]) / SLOPE == pytest.approx(CHANCE * math.log(MANY / (2 * FEW)))
    assert (judged(0.1, bounds[1]), judged(0.1), judged(0.49, bounds[1])) == ("weak", "no", "weak")
