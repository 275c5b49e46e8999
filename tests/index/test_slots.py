"""Slots compared with a list of parts, after any edits."""

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from clew.index.slots import DEAD, Slots

PATHS = st.sampled_from(["a.md", "b.md", "c/a.md", "d.md"])


class SlotsMachine(RuleBasedStateMachine):
    """Keeps a plain list of the note and part in each slot, to compare."""

    def __init__(self) -> None:
        super().__init__()
        self.slots = Slots()
        self.held: list[tuple[str, int] | None] = []
        self.ids: dict[str, int] = {}

    @rule(path=PATHS, count=st.integers(1, 5))
    def put(self, path: str, count: int) -> None:
        self.drop(path)
        self.ids[path] = max(self.ids.values(), default=-1) + 1
        assert self.slots.put(path, self.ids[path], count) == len(self.held)
        self.held += [(path, part) for part in range(count)]

    @rule(path=PATHS)
    def drop(self, path: str) -> None:
        held = [at for at, part in enumerate(self.held) if part and part[0] == path]
        span = self.slots.drop(path)
        assert list(range(span.start, span.stop)) == held
        self.held = [None if at in held else part for at, part in enumerate(self.held)]
        self.ids.pop(path, None)

    @rule()
    def compact(self) -> None:
        paths = sorted(self.ids)
        kept = self.slots.compact(paths)
        old = [self.held[at] for at in kept.tolist()]
        self.held = sorted(part for part in self.held if part)  # type: ignore[assignment]
        assert old == self.held

    @rule()
    def load_from_columns(self) -> None:
        paths = sorted(self.ids)
        places = {self.ids[path]: place for place, path in enumerate(paths)}
        note_ids = [places.get(note_id, DEAD) for note_id in self.slots.note_ids.tolist()]
        back = Slots()
        back.load(np.array(note_ids, np.int32), self.slots.parts.copy(), paths)
        self.slots = back
        self.ids = {path: place for place, path in enumerate(paths)}

    @invariant()
    def slots_equal_the_list(self) -> None:
        ids = [self.ids[part[0]] if part else DEAD for part in self.held]
        assert self.slots.note_ids.tolist() == ids
        found = {path: range(span.start, span.stop) for path, span in self.slots.items()}
        assert found.keys() == self.ids.keys()
        for path, places in found.items():
            assert [self.held[at] for at in places] == [(path, n) for n in range(len(places))]
            assert self.slots.parts[places.start : places.stop].tolist() == list(range(len(places)))
            assert self.slots.slots_of(path) == slice(places.start, places.stop)
        assert self.slots.dead_count == self.held.count(None)
        assert self.slots.slots_of("none.md") == slice(0, 0)


TestSlots = SlotsMachine.TestCase


@pytest.mark.parametrize(
    ("note_ids", "parts"),
    [
        ([0], []),
        ([0, 0], [0, 0]),  # the head of one note twice
        ([0, 0], [1, 2]),
        ([0, 1], [0, 1]),  # parts of two notes
        ([0, 0, 0], [0, 2, 1]),
        ([0, 0], [0, -1]),
        ([0, -1], [0, 1]),  # a dead part of a live note
        ([0, 1, 0], [0, 0, 0]),
        ([2], [0]),  # a third note
        ([-2], [0]),
    ],
)
def test_inconsistent_slots_are_rejected(note_ids: list[int], parts: list[int]) -> None:
    with pytest.raises((ValueError, IndexError)):
        Slots().load(np.array(note_ids, np.int32), np.array(parts, np.int32), ["a.md", "b.md"])
