"""Near-duplicates: texts of which another one before them has most runs of five words."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.query.context.formulas import duplicates
from clew.query.context.formulas.duplicates import (
    CONTAINMENT_MIN,
    SHINGLE_WORDS,
    near_duplicates,
)
from tests.examples import examples

WORDS = [f"word{number}" for number in range(40)]
runs = st.sampled_from([WORDS[first : first + length] for first in (0, 7, 20) for length in (4, 9)])
texts = st.lists(
    st.one_of(
        st.lists(runs, max_size=4).map(lambda found: [*chain.from_iterable(found)]),
        st.lists(st.sampled_from(WORDS[:3]), max_size=7),
    ),
    max_size=7,
)


def runs_of(words: list[str]) -> set[tuple[str, ...]]:
    count = max(1, len(words) - SHINGLE_WORDS + 1)
    return {tuple(words[first : first + SHINGLE_WORDS]) for first in range(count)}


@examples(500)
@given(texts)
def test_a_near_duplicate_has_most_runs_of_a_text_before_it(found: list[list[str]]) -> None:
    holders = near_duplicates(found)
    kept = [index for index in range(len(found)) if index not in holders]
    for index, words in enumerate(found):
        own = runs_of(words)
        holding = [
            other
            for other in kept
            if other < index and len(own & runs_of(found[other])) >= CONTAINMENT_MIN * len(own)
        ]
        assert (holders[index] in holding) if index in holders else not holding


def test_texts_of_which_none_repeats_most_of_another_are_not_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[object] = []
    monkeypatch.setattr(duplicates, "shingles", compared.append)
    common = WORDS[:8]
    found = [[*common, *(f"{word}-{number}" for word in WORDS)] for number in range(5)]
    assert near_duplicates(found) == {}
    assert compared == []
