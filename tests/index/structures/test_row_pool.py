"""Which rows of a pool were written since a copy of it was made."""

import random

import pytest

from clew.index.structures import row_pool
from clew.index.structures.row_pool import RowPool

_NOTES = 6


def rows(pool: RowPool) -> list[list[int]]:
    return [pool.row(note_id)[0].tolist() for note_id in range(len(pool))]


@pytest.mark.parametrize("seed", range(20))
def test_a_row_that_differs_from_a_copy_was_written_since(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_pool, "_GARBAGE_MIN", 4)
    chance, pool = random.Random(seed), RowPool()
    for note_id in range(_NOTES):
        pool.put(note_id, [1, 2], [1, 1])
    compacted = 0
    for _ in range(50):
        earlier, changed = pool.copy(), set[int]()
        for _ in range(chance.randrange(4)):
            note_id = chance.randrange(_NOTES)
            changed.add(note_id)
            if chance.random() < 0.2:
                pool.clear(note_id)
            else:
                row = chance.sample(range(9), 2)
                pool.put(note_id, row, [1, 1])
        written = pool.written_since(earlier)
        compacted += written is None
        if written is not None:
            assert {n for n in range(_NOTES) if rows(pool)[n] != rows(earlier)[n]} <= {*written}
            assert {*written} <= changed
    assert 0 < compacted < 50


def test_another_pool_is_no_copy() -> None:
    assert RowPool().written_since(RowPool()) is None
