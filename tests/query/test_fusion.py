"""Fusion by ranks and shares of raw scores: golden numbers, and the effect of a weak leg."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.engine.derived.layout import NO_SLOT
from clew.query.search.fusion import BEFORE, final_weights, fuse, recency_factor
from clew.query.search.passage_hits import LEAST_SHARE, PASSAGES_MAX, PassageHits
from clew.query.search.search_config import DEFAULT_RECENCY, DEFAULT_WEIGHTS
from clew.values.arrays import Float64Array

LEVEL = dict.fromkeys(DEFAULT_WEIGHTS, 1.0)
RAW = st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=8)


def hits(*scored: tuple[int, float]) -> PassageHits:
    """Return hits in this order: notes by id, with their raw scores."""
    notes, scores = zip(*scored, strict=True) if scored else ((), ())
    rows = np.zeros((len(notes), PASSAGES_MAX))
    rows[:, 0] = scores
    return PassageHits(np.array(notes, np.int64), np.full(rows.shape, NO_SLOT), rows)


def fused(
    hits_by_leg: dict[str, PassageHits], weights: dict[str, float], count: int
) -> Float64Array:
    """Return the score of each of ``count`` notes, by note id."""
    note_ids, found = fuse(hits_by_leg, weights, count)
    scores = np.zeros(count)
    scores[note_ids] = found
    return scores


def test_scores_are_the_golden_ones() -> None:
    legs = {
        "keyword": hits((0, 8.0), (1, 4.0), (2, 1.0)),
        "semantic": hits((1, 0.8), (3, 0.2)),
        "graph": hits(),
    }
    weights = {"keyword": 1.0, "semantic": 0.5, "graph": 9.0}
    assert fused(legs, weights, 5).tolist() == pytest.approx(
        [1 / 61, 0.5 / 62 + 0.5 / 61, 0.125 / 63, 0.5 * 0.25 / 62, 0.0]
    )


def test_scores_have_the_same_bits_in_any_order_of_the_legs() -> None:
    legs = {"keyword": hits((0, 1.0)), "semantic": hits((0, 1.0)), "graph": hits((0, 1.0))}
    weights = {"keyword": 0.1, "semantic": 0.2, "graph": 0.7}
    orders = [dict(order) for order in permutations(legs.items())]
    assert len({float(fused(order, weights, 1)[0]) for order in orders}) == 1


def test_a_score_counts_by_where_it_is_between_none_and_full() -> None:
    """A best hit far from all that was asked counts less than one in full."""
    words = replace(hits((0, 3.0), (1, 1.5)), full=6.0)
    meaning = replace(hits((1, 0.7), (2, 0.4), (3, 0.1)), none=0.4, full=1.0)
    scores = fused({"keyword": words, "semantic": meaning}, LEVEL, 4)
    least = LEAST_SHARE
    assert scores.tolist() == pytest.approx(
        [0.5 / 61, 0.25 / 62 + 0.5 / 61, least / 62, least / 63]
    )
    assert scores[1] > scores[0], "half the meaning and a quarter of the words, to half the words"


def test_a_weak_leg_does_not_outrank_a_strong_one() -> None:
    """One leg has a single strong hit; another has many weak hits."""
    sure = hits((0, 20.0), (1, 1.0))
    poor = hits((9, 0.9), *((n, 0.01) for n in range(1, 9)), (0, 0.001))
    scores = fused({"keyword": sure, "semantic": poor}, LEVEL, 10)
    assert scores[0] == max(scores)
    assert scores[0] > 4 * scores[1]


@given(RAW, st.integers(0, 7))
def test_a_hit_in_one_more_leg_never_lowers_a_score(raw: list[float], place: int) -> None:
    falling = sorted(raw, reverse=True)
    legs = {"keyword": hits(*enumerate(falling))}
    scores = fused(legs, LEVEL, len(raw) + 1)
    assert scores.tolist() == sorted(scores, reverse=True)
    assert 0 <= scores.min() <= scores.max() == 1 / 61
    better = fused({**legs, "graph": hits((place, 1.0))}, LEVEL, 9)
    assert all(better[: len(scores)] >= scores)


def test_a_leg_of_weight_zero_adds_nothing() -> None:
    scores = fused({"keyword": hits((0, 1.0))}, {"keyword": 0.0}, 2)
    assert scores.tolist() == [0, 0]


def test_legs_count_less_before_one_that_has_their_scores() -> None:
    words, links = hits((0, 1.0)), replace(hits((1, 1.0)), has_earlier=True)
    weights = {"keyword": 1.0, "semantic": 0.5, "graph": 6.5, "temporal": 2.5}
    legs = {"keyword": words, "semantic": words, "graph": links, "temporal": words}
    less = {**weights, "keyword": BEFORE, "semantic": 0.5 * BEFORE}
    assert final_weights(legs, weights, BEFORE) == less
    assert final_weights(legs, weights, 1.0) == weights
    for of_graph in (words, replace(hits(), has_earlier=True)):  # by a name alone, and none
        assert final_weights({**legs, "graph": of_graph}, weights, BEFORE) == weights
    unused = {**weights, "graph": 0.0}
    assert final_weights(legs, unused, BEFORE) == unused


@given(st.lists(st.floats(0, 1)), st.floats(0, 1))
def test_age_lowers_a_score_by_a_bounded_share(decay: list[float], weight: float) -> None:
    factors = recency_factor(np.array(decay), weight)
    assert all((1 - weight <= factors) & (factors <= 1 + 1e-15))


def test_age_alone_moves_a_note_by_a_few_ranks() -> None:
    """The oldest note at rank 1 stays ahead of a new one at rank 5."""
    oldest, newest = recency_factor(np.array([0.0, 1.0]), DEFAULT_RECENCY)
    assert oldest / 61 > newest / 65
