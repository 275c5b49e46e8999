"""Ids that new communities keep of earlier ones, compared with their definition in fractions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.formulas.leiden import NO_COMMUNITY, carry_over_ids
from tests.examples import examples

MANY = examples(100, long=500)


@st.composite
def changes(draw: st.DrawFn) -> tuple[list[int], list[int], dict[int, int], int]:
    """Return groups numbered from 0, earlier ids, sizes of the earlier groups, and the next id."""
    count = draw(st.integers(1, 14))
    some = st.lists(st.integers(-1, 4), min_size=count, max_size=count)
    drawn = draw(some)
    numbers = {group: at for at, group in enumerate(sorted({g for g in drawn if g >= 0}))}
    before = [known + 1 for known in draw(some)]
    gone = draw(st.lists(st.integers(0, 6), min_size=6, max_size=6))
    present = Counter(known for known in before if known)
    sizes = {known: present[known] + gone[known] for known in range(1, 6)}
    sizes = {known: size for known, size in sizes.items() if size}
    return [numbers.get(group, -1) for group in drawn], before, sizes, draw(st.integers(6, 9))


def carried(
    membership: Sequence[int], before: Sequence[int], sizes: Mapping[int, int], next_id: int
) -> list[int]:
    groups, earlier = (np.array(row, dtype=np.int64) for row in (membership, before))
    return carry_over_ids(groups, earlier, sizes, next_id)


def likeness(
    membership: Sequence[int], before: Sequence[int], sizes: Mapping[int, int]
) -> dict[tuple[int, int], Fraction]:
    """Return the Jaccard similarities of groups and earlier groups that reach the bound."""
    found = {}
    for group in set(membership) - {NO_COMMUNITY}:
        for known, size in sizes.items():
            both = list(zip(membership, before, strict=True)).count((group, known))
            jaccard = Fraction(both, size + list(membership).count(group) - both)
            if jaccard >= Fraction(3, 10):
                found[group, known] = jaccard
    return found


@MANY
@given(changes())
def test_a_community_keeps_an_id_or_gets_a_new_one(
    case: tuple[list[int], list[int], dict[int, int], int],
) -> None:
    membership, before, sizes, next_id = case
    ids = carried(*case)
    alike = likeness(membership, before, sizes)
    assert len(ids) == len(set(ids)) == len(set(membership) - {NO_COMMUNITY})
    new = [given_id for given_id in ids if given_id >= next_id]
    assert new == list(range(next_id, next_id + len(new)))
    assert {pair for pair in enumerate(ids) if pair[1] < next_id} <= alike.keys()


@MANY
@given(changes())
def test_an_id_goes_to_the_most_similar_community(
    case: tuple[list[int], list[int], dict[int, int], int],
) -> None:
    """A similar group and id are matched, unless one of them has an equal or better match."""
    membership, before, sizes, _ = case
    ids = dict(enumerate(carried(*case)))
    owners = {given_id: group for group, given_id in ids.items()}
    alike = likeness(membership, before, sizes)
    for (group, known), jaccard in alike.items():
        kept = alike.get((group, ids[group]), Fraction(0))
        lost = alike.get((owners.get(known, NO_COMMUNITY), known), Fraction(0))
        assert max(kept, lost) >= jaccard
        claims = [pair for pair in alike if group in pair[:1] or known == pair[1]]
        assert len(claims) > 1 or ids[group] == known


FORMER = [1] * 4 + [2] * 4


@pytest.mark.parametrize(
    ("membership", "before", "sizes", "expected"),
    [
        pytest.param([0] * 4 + [1] * 4, FORMER, {1: 4, 2: 4}, [1, 2], id="nothing changed"),
        pytest.param([1] * 4 + [0] * 4, FORMER, {1: 4, 2: 4}, [2, 1], id="numbers play no part"),
        pytest.param([0] * 8, [1] * 5 + [2] * 3, {1: 5, 2: 3}, [1], id="merged: the likelier"),
        pytest.param([0] * 8, FORMER, {1: 4, 2: 4}, [1], id="merged, alike: the smaller id"),
        pytest.param([0] * 5 + [1] * 3, [1] * 8, {1: 8}, [1, 9], id="split: the likelier"),
        pytest.param([0] * 4 + [1] * 4, [1] * 8, {1: 8}, [1, 9], id="split, alike: the first"),
        pytest.param([0] * 4 + [-1] * 4, FORMER, {1: 4, 2: 4}, [1], id="one fell apart"),
        pytest.param([0] * 4 + [1] * 4, [0] * 8, {3: 2}, [9, 10], id="the earlier one is gone"),
        pytest.param([0] * 3, [1] * 3, {1: 10}, [1], id="3 of 10, seven are gone"),
        pytest.param([0] * 3, [1] * 3, {1: 11}, [9], id="3 of 11, eight are gone"),
        pytest.param([0] * 10, [1] * 3 + [0] * 7, {1: 3}, [1], id="3 of 10, seven are new"),
        pytest.param([0] * 11, [1] * 3 + [0] * 8, {1: 3}, [9], id="3 of 11, eight are new"),
        pytest.param([0] * 6, [1] * 6, {1: 20}, [1], id="6 of 20"),
        pytest.param([], [], {1: 4}, [], id="nothing is left"),
    ],
)
def test_ids_after_communities_change(
    membership: list[int], before: list[int], sizes: dict[int, int], expected: list[int]
) -> None:
    assert carried(membership, before, sizes, 9) == expected
