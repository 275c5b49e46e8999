"""Relevance of passages beside each other: terms that others have count less, links count more."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.query.context.formulas.coverage import covering_relevance
from tests.examples import examples

_PLACES = st.integers(0, 5)


def test_terms_that_a_passage_before_has_count_less() -> None:
    found = covering_relevance([1.0, 0.5, 0.5], [{0}, {0}, {1}], [3.0, 1.0], {})
    first = 1.0 + 0.5 * 3 / 4
    second, third = 0.5**0.7 + 0.5 * 3 / 4 * 0.3, 0.5**0.7 + 0.5 * 1 / 4
    assert found == pytest.approx([1.0, second / first, third / first])


def test_a_passage_counts_more_if_a_better_one_links_to_it() -> None:
    found = covering_relevance(
        [1.0, 0.5, 0.5, 0.2], [set()] * 4, [], {0: {2: 1 / sqrt(4)}, 3: {1: 1.0}}
    )
    # The last passage is taken after the second, so its link adds nothing.
    assert found == pytest.approx([1.0, 0.5**0.7, 0.5**0.7 + 0.25 / 2, 0.2**0.7])


def test_a_passage_is_never_above_one_that_links_to_it() -> None:
    assert covering_relevance([1.0, 0.97], [set()] * 2, [], {0: {1: 1.0}}) == [1.0, 1.0]


@examples(300)
@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]), st.sets(st.integers(0, 3))),
        min_size=6,
        max_size=6,
    ),
    st.dictionaries(_PLACES, st.dictionaries(_PLACES, st.sampled_from([0.1, 0.5, 1.0]))),
)
def test_each_step_takes_the_passage_that_adds_most(
    passages: list[tuple[float, set[int]]], linked: dict[int, dict[int, float]]
) -> None:
    relevances, terms = [each for each, _ in passages], [each for _, each in passages]
    weights = [1.0, 2.0, 0.5, 4.0]
    expected = _compared_with_all(relevances, terms, weights, linked)
    assert covering_relevance(relevances, terms, weights, linked) == pytest.approx(expected)


def _compared_with_all(
    relevances: Sequence[float],
    terms: Sequence[set[int]],
    weights: Sequence[float],
    linked: Mapping[int, Mapping[int, float]],
) -> list[float]:
    """Return what ``covering_relevance`` returns, by looking at all passages at each step."""
    uses: Counter[int] = Counter()
    gains: dict[int, float] = {}
    least = inf

    def gain(index: int) -> float:
        new = sum(weights[term] * 0.3 ** uses[term] for term in sorted(terms[index]))
        shares = (relevances[each] * linked.get(each, {}).get(index, 0.0) for each in gains)
        own = relevances[index] ** 0.7
        return float(own + 0.5 * new / sum(weights) + 0.25 * max(shares, default=0.0))

    while len(gains) < len(relevances):
        left = [index for index in range(len(relevances)) if index not in gains]
        best = max(left, key=lambda index: (gain(index), -index))
        now = gain(best)
        uses.update(terms[best])
        gains[best] = least = min(now, least)
    highest = max(gains.values())
    return [gains[index] / (highest or 1.0) for index in range(len(relevances))]
