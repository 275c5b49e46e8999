"""The count of vectors: after any changes it equals a count of the rows."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from clew.index.vectors import VectorIndex
from tests.stored import written

DIMENSIONS = 2
ROWS = st.lists(st.sampled_from([(0, 0), (1, 2), (-3, 0)]), min_size=1, max_size=4)


class CountMachine(RuleBasedStateMachine):
    """Slots are added, get vectors, die, are numbered anew, and go to disk and back."""

    def __init__(self) -> None:
        super().__init__()
        self.index = VectorIndex()
        self.index.set_model("m", DIMENSIONS)
        self.vectors: list[tuple[int, int] | None] = []  # by slot; ``None``: not embedded
        self.earlier = self.index.copy(), 0

    def _expected(self) -> int:
        return sum(vector is not None and any(vector) for vector in self.vectors)

    @rule(rows=ROWS, is_late=st.booleans())
    def add(self, rows: list[tuple[int, int]], is_late: bool) -> None:
        first = len(self.vectors)
        self.index.extend(len(rows))
        self.vectors += [None] * len(rows)
        if not is_late:
            self._put(first, rows)

    @rule(vector=st.sampled_from([(0, 0), (1, 2)]))
    def embed_late(self, vector: tuple[int, int]) -> None:
        for slot, present in enumerate(self.vectors):
            if present is None:
                self._put(slot, [vector])

    @rule()
    def embed_again(self) -> None:
        for slot, present in enumerate(self.vectors):
            if present is not None:
                self._put(slot, [present])

    def _put(self, first: int, rows: list[tuple[int, int]]) -> None:
        slots = slice(first, first + len(rows))
        self.index.put(slots, np.array(rows, np.int8))
        self.vectors[slots] = rows

    @rule(share=st.floats(0, 1), count=st.integers(0, 3))
    def drop(self, share: float, count: int) -> None:
        first = int(share * len(self.vectors))
        slots = slice(first, min(len(self.vectors), first + count))
        self.index.drop(slots)
        self.vectors[slots] = [(0, 0)] * (slots.stop - first)  # a dead slot is never used again

    @rule()
    def compact(self) -> None:
        kept = list(range(len(self.vectors)))[::2]
        self.index.compact(np.array(kept, np.int64))
        self.vectors = [self.vectors[slot] for slot in kept]

    @rule()
    def store(self) -> None:
        self.index = VectorIndex.read(written(self.index.columns()))

    @rule()
    def change_model(self) -> None:
        self.index.set_model(f"{self.index.model}+", DIMENSIONS)
        self.vectors = [None] * len(self.vectors)

    @rule()
    def copy(self) -> None:
        self.earlier = self.index.copy(), self._expected()

    @invariant()
    def count_equals_that_of_the_rows(self) -> None:
        assert self.index.count == self._expected()
        copy, count = self.earlier
        assert copy.count == count


TestCounts = CountMachine.TestCase
