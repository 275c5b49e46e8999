"""A vault whose files have the times of a copy is recognized."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from clew.engine.apply import Engine
from clew.engine.settings import EngineSettings
from clew.query.notes.file_times import NOTES_MIN, FileTimes, file_times, most_in_one_hour
from clew.values.vault import Batch
from tests.tables import for_each_row
from tests.vaults import DAY_S, NOW_S, read_note

HOUR_S = 3600.0


def times_of(*, dated: int, copied: int, spread: int) -> FileTimes:
    """Return the times of notes with dates, of copied notes, and of notes a day apart."""
    engine = Engine(EngineSettings())
    put = [
        *(read_note(f"2024-03-05 {n}.md", "text", NOW_S) for n in range(dated)),
        *(read_note(f"copied {n}.md", "text", NOW_S + n) for n in range(copied)),
        *(read_note(f"spread {n}.md", "text", NOW_S - n * DAY_S) for n in range(1, spread + 1)),
        read_note("gone.md", "text", NOW_S),
    ]
    engine.apply(Batch(put=tuple(put)))
    engine.apply(Batch(dropped=("gone.md",)))
    return file_times(engine.snapshot)


@for_each_row(
    ("dated", "copied", "spread", "expected"),
    [
        (0, NOTES_MIN, 0, True),
        (0, NOTES_MIN - 1, 0, False),
        (19, 21, 0, True),
        (20, 20, 0, False),
        (0, 21, 19, True),
        (0, 20, 20, False),
        (21, 19, 0, False),
        (0, 0, 0, False),
        (0, 0, 40, False),
    ],
)
def test_most_notes_must_have_no_other_date_and_share_one_hour(
    dated: int, copied: int, spread: int, expected: bool
) -> None:
    times = times_of(dated=dated, copied=copied, spread=spread)
    assert (times.notes, times.without_date) == (dated + copied + spread, copied + spread)
    assert times.are_of_copy == expected


@given(st.lists(st.sampled_from([n * HOUR_S / 4 for n in range(40)])))
def test_the_fullest_hour_is_counted(times_s: Sequence[float]) -> None:
    expected = max(
        (sum(at <= other <= at + HOUR_S for other in times_s) for at in times_s), default=0
    )
    assert most_in_one_hour(np.array(times_s, np.float64)) == expected
