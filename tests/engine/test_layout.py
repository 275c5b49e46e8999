"""The best slots of notes are those of a plain sort."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.engine.derived.layout import NO_SLOT, Layout
from clew.index.structures.slot_scores import SlotScores
from tests.counted import counted
from tests.vaults import snapshot_of

PARTS = "".join(f"## Part {number}\n\n{'word ' * 80}\n\n" for number in range(6))
SNAPSHOT = snapshot_of({"long.md": PARTS, "empty.md": "", "short.md": "one", "other.md": PARTS})
SLOT_COUNT = len(SNAPSHOT.passages.slots.note_ids)


@given(
    st.lists(
        st.sampled_from((None, -1.0, 0.0, 0.25, 0.5)), min_size=SLOT_COUNT, max_size=SLOT_COUNT
    ),
    st.lists(st.sampled_from(range(4)), unique=True),
    st.integers(1, 4),
)
def test_the_best_slots_of_each_note_come_first(
    given_scores: list[float | None], note_ids: list[int], most: int
) -> None:
    scored = [slot for slot, score in enumerate(given_scores) if score is not None]
    scores = [score or 0.0 for score in given_scores]
    every_slot = SlotScores(np.array(scored, np.int64), np.array(scores)[scored])
    layout = SNAPSHOT.derived.layout
    slots, slot_scores = layout.best_slots(every_slot, np.array(note_ids, np.int64), most)
    assert slots.shape == slot_scores.shape == (len(note_ids), most)
    for note_id, row, its_scores in zip(note_ids, slots, slot_scores, strict=True):
        own = layout.slots_of(np.array([note_id])).tolist()
        rising = sorted((-scores[slot], slot) for slot in own if scores[slot] > 0)
        expected = [slot for _, slot in rising[:most]]
        assert row.tolist() == expected + [NO_SLOT] * (most - len(expected))
        assert its_scores.tolist() == pytest.approx(
            [scores[slot] for slot in expected] + [0.0] * (most - len(expected)), abs=0
        )


def test_only_scored_slots_are_looked_at_for_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    layout = SNAPSHOT.derived.layout
    note_ids = np.arange(layout.note_slots)
    expanded = counted(monkeypatch, Layout, "slots_of")
    best, _ = layout.best_slots(SlotScores(np.array([1]), np.array([0.5])), note_ids, 1)
    assert expanded == []
    assert best[best != NO_SLOT].tolist() == [1]


def test_the_best_score_of_each_note_is_that_of_its_best_slot() -> None:
    layout = SNAPSHOT.derived.layout
    scores = SlotScores(np.array([1, 3, SLOT_COUNT - 1]), np.array([0.5, 0.75, 0.25]))
    note_ids, best = layout.best_of_notes(scores)
    expected = np.zeros(layout.note_slots)
    for slot, score in zip(scores.slots.tolist(), scores.scores.tolist(), strict=True):
        owner = int(layout.note_ids[slot])
        expected[owner] = max(expected[owner], score)
    assert dict(zip(note_ids.tolist(), best.tolist(), strict=True)) == {
        note_id: score for note_id, score in enumerate(expected.tolist()) if score
    }
    assert layout.best_by_note(scores).tolist() == expected.tolist()
