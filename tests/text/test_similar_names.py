"""Names that share trigrams are found by bit sets, and none that is similar is missed."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.similarity.names import (
    SIMILARITY_MIN,
    name_shapes,
    name_similarity,
    name_trigrams,
    rows_like,
)
from tests.text.test_linear import FAST_S, seconds

LETTERS = st.text("abcdé 潮-A", max_size=12)
ANY = st.one_of(LETTERS, st.text(max_size=130))


@pytest.mark.parametrize(
    ("name", "other", "expected"),
    [
        ("drift", "Drift", 1.0),
        ("drift", "drifts", 2 * 4 / 11),  # ^dr dri rif ift of five and six
        ("ab", "cd", 0.0),
        ("", "", 0.0),
    ],
)
def test_similarity_is_dices_coefficient(name: str, other: str, expected: float) -> None:
    trigrams = name_trigrams(name)
    found = name_similarity(trigrams, other) if trigrams else 0.0
    assert found == pytest.approx(expected)


def _similar(name: str, names: list[str]) -> Iterator[int]:
    trigrams = name_trigrams(name)
    for row, other in enumerate(names):
        total = len(trigrams) + len(other.casefold())
        if total and name_similarity(trigrams, other) >= SIMILARITY_MIN:
            yield row


@given(ANY, st.lists(ANY, max_size=30))
def test_no_similar_name_is_missed(name: str, names: list[str]) -> None:
    rows = rows_like(name, *name_shapes(names))
    assert set(_similar(name, names)) <= set(rows.tolist())


@given(st.lists(ANY, max_size=20), st.lists(ANY, max_size=20))
def test_a_shape_does_not_depend_on_the_names_beside_it(
    first: list[str], second: list[str]
) -> None:
    lengths, sets = name_shapes([*first, *second])
    parts = name_shapes(first), name_shapes(second)
    assert np.array_equal(lengths, np.concatenate([part[0] for part in parts]))
    assert np.array_equal(sets, np.concatenate([part[1] for part in parts]))


def test_few_other_names_are_compared() -> None:
    names = [
        f"{first}{second} {third}" for first in "bdgk" for second in "aeiou" for third in range(50)
    ]
    assert len(rows_like("clock drift", *name_shapes(names))) < len(names) / 20


def test_only_the_beginning_of_a_long_name_is_read() -> None:
    assert seconds(name_trigrams, "é" * 2_000_000) < FAST_S
