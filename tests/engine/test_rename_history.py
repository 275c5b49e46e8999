"""The history of renames: chains are followed, and it is bounded and never leads in a circle."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.engine import renames as module
from clew.engine.renames import Renames
from clew.values.vault import Batch
from tests.examples import examples
from tests.vaults import engine_of, read_note


@examples(200)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6)), max_size=30))
def test_a_path_leads_to_the_note_that_left_it_last(moves: list[tuple[int, int]]) -> None:
    history = Renames()
    notes = {number: str(number) for number in range(4)}  # the path of each note that is left
    left_by: dict[str, int] = {}  # the note that last left a path by a rename
    for start, to in moves:
        moved = next((note for note, path in notes.items() if path == str(start)), None)
        if moved is None or str(to) in notes.values():
            continue
        if to == 6:  # deleted
            del notes[moved]
            history.follow([str(start)], [])
            continue
        history.follow([str(start)], [(str(start), str(to))])
        notes[moved], left_by[str(start)] = str(to), moved
    expected = {path: notes[note] for path, note in left_by.items() if note in notes}
    expected = {path: now for path, now in expected.items() if path != now}
    assert dict(history.by_path) == expected


def test_the_oldest_renames_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RENAMES_MAX", 2)
    history = Renames()
    for old, new in (("a", "b"), ("c", "d"), ("e", "f")):
        history.follow([old], [(old, new)])
    assert dict(history.by_path) == {"c": "d", "e": "f"}
    history.continue_with({"g": "h"})
    assert dict(history.by_path) == {"e": "f", "g": "h"}


def test_a_rename_is_a_note_with_the_same_text_at_a_new_path() -> None:
    engine = engine_of({"x/a.md": "one", "b.md": "", "c.md": "three"})
    put = [read_note(path, "one") for path in ("d.md", "y/a.md")] + [read_note("e.md", "")]
    engine.apply(Batch(dropped=("x/a.md", "b.md", "c.md"), put=tuple(put)))
    assert dict(engine.snapshot.renames) == {"x/a.md": "y/a.md"}
