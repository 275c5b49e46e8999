"""The tail of the keyword index compared with a scan of all its postings."""

from collections.abc import Iterator
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.words import tail as tail_module
from clew.index.words.tail import FEW_WORDS, Tail
from tests.examples import examples

word_ids = st.integers(0, 2 * FEW_WORDS)
batches = st.lists(st.lists(word_ids, max_size=12), max_size=12)
wanted_words = st.lists(word_ids, unique=True)


@pytest.fixture(autouse=True, scope="module", params=[10, 1_000])
def _scans_few(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let short tails be put in order too, and no more of them than so many postings."""
    with mock.patch.multiple(tail_module, SCANNED_MIN=3, IN_ORDER_MAX=request.param):
        yield


def extended(tail: Tail, words: list[int]) -> None:
    first = len(tail)
    slots = np.arange(first, first + len(words))
    tail.extend(np.array(words, np.int32), slots, slots + 1)


@examples(400)
@given(batches, wanted_words)
def test_the_postings_of_words_are_those_that_a_scan_finds(
    given_batches: list[list[int]], wanted: list[int]
) -> None:
    tail = Tail()
    for words in given_batches:
        extended(tail, words)
        ids, slots, counts = tail.columns
        expected = np.isin(ids, wanted).nonzero()[0]
        assert tail.positions_of(wanted).tolist() == expected.tolist()
        assert slots.tolist() == list(range(len(tail)))
        assert counts.tolist() == list(range(1, len(tail) + 1))
    assert tail.columns[0].tolist() == [word for words in given_batches for word in words]


@examples(100)
@given(batches, batches, wanted_words)
def test_a_copy_does_not_see_later_postings(
    before: list[list[int]], after: list[list[int]], wanted: list[int]
) -> None:
    tail = Tail()
    for words in before:
        extended(tail, words)
    copy, expected = tail.copy(), tail.positions_of(wanted).tolist()
    for words in after:
        extended(tail, words)
    assert copy.positions_of(wanted).tolist() == expected
    tail.clear()
    assert len(tail) == 0
    assert tail.positions_of(wanted).tolist() == []
    assert copy.positions_of(wanted).tolist() == expected
    for each in (tail, copy):
        for words in after:
            extended(each, words)
        scanned = np.isin(each.columns[0], wanted).nonzero()[0]
        assert each.positions_of(wanted).tolist() == scanned.tolist()


def test_a_long_tail_is_put_in_order_up_to_a_bound() -> None:
    tail = Tail()
    for _ in range(20):
        extended(tail, [2, 1, 0, 1])
    with mock.patch.object(tail_module, "_is_any", lambda words, _: np.zeros(len(words), bool)):
        in_order = len(tail.positions_of([0, 1, 2]))  # without what is scanned
    bound = min(len(tail), tail_module.IN_ORDER_MAX)
    assert bound - max(3, bound // 8) <= in_order <= bound
