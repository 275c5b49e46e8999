"""Layered maps and growable arrays compared with plain ones that are copied whole."""

import operator

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from clew.index.structures import layered_map, multimap
from clew.index.structures.layered_map import LayeredMap
from tests.examples import examples

KEYS = st.integers(0, 9)
VALUES = st.integers(0, 99)


class Maps(RuleBasedStateMachine):
    """Maps and their copies, each beside a dict that is a real copy."""

    maps = Bundle("maps")

    def __init__(self) -> None:
        super().__init__()
        self.pairs: list[tuple[LayeredMap[int, list[int]], dict[int, list[int]]]] = []

    @initialize(target=maps, base=st.dictionaries(KEYS, VALUES, max_size=6))
    def make(self, base: dict[int, int]) -> int:
        lists = {key: [value] for key, value in base.items()}
        self.pairs.append((LayeredMap(dict(lists)), {key: [*row] for key, row in lists.items()}))
        return 0

    @rule(target=maps, which=maps)
    def copy(self, which: int) -> int:
        mapping, model = self.pairs[which]
        self.pairs.append((mapping.copy(), {key: [*row] for key, row in model.items()}))
        return len(self.pairs) - 1

    @rule(which=maps, key=KEYS, value=VALUES)
    def put(self, which: int, key: int, value: int) -> None:
        mapping, model = self.pairs[which]
        mapping[key], model[key] = [value], [value]

    @rule(which=maps, key=KEYS, value=VALUES)
    def add(self, which: int, key: int, value: int) -> None:
        mapping, model = self.pairs[which]
        if key not in model:
            mapping.add(key, [value])
            model[key] = [value]

    @rule(which=maps, key=KEYS, value=VALUES)
    def change_in_place(self, which: int, key: int, value: int) -> None:
        mapping, model = self.pairs[which]
        if key in model:
            mapping.own(key, list).append(value)
            model[key].append(value)

    @rule(which=maps, key=KEYS)
    def remove(self, which: int, key: int) -> None:
        mapping, model = self.pairs[which]
        if key in model:
            del mapping[key], model[key]
        else:
            with pytest.raises(KeyError):
                del mapping[key]

    @rule(which=maps, key=KEYS)
    def pop(self, which: int, key: int) -> None:
        mapping, model = self.pairs[which]
        if key not in model:
            with pytest.raises(KeyError):
                mapping.pop(key)
        assert mapping.pop(key, None) == model.pop(key, None)

    @invariant()
    def no_map_sees_the_changes_of_another(self) -> None:
        for mapping, model in self.pairs:
            assert dict(mapping) == model
            assert len(mapping) == len(model)
            for key in range(10):
                assert mapping.get(key) == model.get(key)
                assert (key in mapping) == (key in model)
                if key not in model:
                    with pytest.raises(KeyError):
                        operator.getitem(mapping, key)


def merging_maps() -> type[Maps]:
    class Merging(Maps):
        """The same, with so few changes allowed that every copy merges them."""

        def __init__(self) -> None:
            super().__init__()
            self.patch = pytest.MonkeyPatch()
            self.patch.setattr(layered_map, "CHANGES_MIN", 0)
            self.patch.setattr(layered_map, "CHANGES_SHARE_MAX", 0.0)

        def teardown(self) -> None:
            self.patch.undo()

    return Merging


Maps.TestCase.settings = examples(60)
TestMaps = Maps.TestCase
Merging = merging_maps()
Merging.TestCase.settings = examples(60)
TestMergingMaps = Merging.TestCase


def test_many_changes_are_merged_once_and_then_copied_for_nothing() -> None:
    mapping: LayeredMap[int, int] = LayeredMap()
    mapping.update({number: number for number in range(layered_map.CHANGES_MIN + 1)})
    copied = mapping.copy()
    assert [len(layer) for layer in mapping.layers()] == [layered_map.CHANGES_MIN + 1, 0]
    mapping[-1] = 0
    assert copied.layers()[0] is mapping.layers()[0]
    assert -1 not in copied


def test_a_multimap_has_no_empty_sets_and_copies_keep_theirs() -> None:
    places: multimap.Multimap = LayeredMap()
    for value in "ab":
        multimap.add(places, "k", value)
    before = places.copy()
    multimap.discard(places, "k", "a")
    assert (places["k"], before["k"]) == ({"b"}, {"a", "b"})
    multimap.discard(places, "k", "b")
    assert (dict(places), before["k"]) == ({}, {"a", "b"})
