"""Slots compared with a list of parts, after any edits."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from clew.index.slots import DEAD, Slots
from tests.stored import written

NOTES = st.integers(0, 6)


class SlotsMachine(RuleBasedStateMachine):
    """Keeps a plain list of the note and part in each slot, to compare."""

    def __init__(self) -> None:
        super().__init__()
        self.slots = Slots()
        self.held: list[tuple[int, int] | None] = []

    @property
    def live(self) -> set[int]:
        return {part[0] for part in self.held if part}

    @rule(counts=st.dictionaries(NOTES, st.integers(1, 5), min_size=1))
    def put(self, counts: dict[int, int]) -> None:
        for note in counts:
            self.drop(note)
        first = self.slots.put(np.array([*counts]), np.array([*counts.values()]))
        assert first == len(self.held)
        self.held += [(note, part) for note, count in counts.items() for part in range(count)]

    @rule(note=NOTES)
    def drop(self, note: int) -> None:
        held = [at for at, part in enumerate(self.held) if part and part[0] == note]
        span = self.slots.drop(note)
        assert list(range(span.start, span.stop)) == held
        self.held = [None if at in held else part for at, part in enumerate(self.held)]

    @rule()
    def compact(self) -> None:
        kept = self.slots.compact()
        old = [self.held[at] for at in kept.tolist()]
        self.held = [part for part in self.held if part]
        assert old == self.held

    @rule()
    def renumber_notes(self) -> None:
        new_ids = {note: number for number, note in enumerate(sorted(self.live))}
        by_old_id = np.zeros(7, np.int32)
        by_old_id[list(new_ids)] = list(new_ids.values())
        self.slots.renumber_notes(by_old_id, len(new_ids))
        self.held = [part and (new_ids[part[0]], part[1]) for part in self.held]

    @rule()
    def come_back_from_columns(self) -> None:
        self.slots = Slots.read(written(self.slots.columns()))

    @invariant()
    def slots_equal_the_list(self) -> None:
        assert self.slots.note_ids.tolist() == [part[0] if part else DEAD for part in self.held]
        assert self.slots.is_live.tolist() == [part is not None for part in self.held]
        found = {note: range(span.start, span.stop) for note, span in self.slots.items()}
        assert found.keys() == self.live
        for note, places in found.items():
            assert [self.held[at] for at in places] == [(note, n) for n in range(len(places))]
            assert self.slots.parts[places.start : places.stop].tolist() == list(range(len(places)))
            assert self.slots.slots_of(note) == slice(places.start, places.stop)
        assert self.slots.dead_count == self.held.count(None)
        assert self.slots.slots_of(99) == slice(0, 0)


TestSlots = SlotsMachine.TestCase
