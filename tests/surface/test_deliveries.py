"""What was delivered to sessions is kept within bounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.surface.server.answers.packs import deliveries as module
from clew.surface.server.answers.packs.deliveries import Deliveries
from tests.examples import examples

names = st.sampled_from("abcd")
pieces = st.frozensets(st.integers(0, 9).map(lambda n: bytes([n])), max_size=6)


@examples(100)
@given(st.lists(st.tuples(names, pieces), max_size=30))
def test_sessions_are_forgotten_the_least_recent_first(
    given: list[tuple[str, frozenset[bytes]]],
) -> None:
    bounds = {"SESSIONS_MAX": 3, "PIECES_MAX": 7, "ALL_PIECES_MAX": 12}
    kept = {name: getattr(module, name) for name in bounds}
    deliveries, versions = Deliveries(), dict[tuple[str, int], frozenset[bytes]]()
    try:
        vars(module).update(bounds)
        for name, added in given:
            deliveries.add(name, added)
            held = {each: deliveries.delivered(each) for each in "abcd"}
            assert added <= held[name]
            assert all(len(each) <= 7 for each in held.values())
            assert sum(map(len, held.values())) <= 12
            for each, delivered in held.items():
                key = each, deliveries.version(each)
                assert versions.setdefault(key, delivered) == delivered
    finally:
        vars(module).update(kept)


def test_without_a_session_nothing_is_kept() -> None:
    deliveries = Deliveries()
    deliveries.add(None, frozenset({b"x"}))
    assert (deliveries.delivered(None), deliveries.version(None)) == (frozenset(), 0)


def test_what_was_delivered_again_is_forgotten_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PIECES_MAX", 2)
    deliveries = Deliveries()
    for piece in (b"a", b"b", b"a", b"c"):
        deliveries.add("s", frozenset({piece}))
    assert deliveries.delivered("s") == {b"a", b"c"}
