"""A note keeps its read date when it is renamed; no other note gets it."""

import pytest

from clew.engine import note_dates
from clew.engine.apply import Engine
from clew.engine.settings import EngineSettings
from clew.text.markdown.parse import name_only_note
from clew.values.note import Problem
from clew.values.vault import Batch, ReadNote, Stamp
from tests.vaults import DAY_S, NOW_S, engine_of, read_note

EARLY_S, LATE_S = NOW_S + 1.0, NOW_S + 2.0


def large_note(path: str) -> ReadNote:
    """Return a note whose content was not read; all such notes have the same hash."""
    note = name_only_note(path, "", Problem(path, "tooLarge", None, "too large"))
    return ReadNote(note, Stamp(int(NOW_S * 1e9), 0, 1, 1))


def reads_after(
    before: dict[str, str], reads_s: dict[str, float], batch: Batch
) -> dict[str, float]:
    engine = engine_of(before)
    engine.apply(Batch(reads_s=reads_s))
    engine.apply(batch)
    return dict(engine.snapshot.reads_s)


@pytest.mark.parametrize("dates_s", [(EARLY_S, LATE_S), (LATE_S, EARLY_S)])
def test_the_latest_date_of_two_notes_with_the_same_text_follows(
    dates_s: tuple[float, float],
) -> None:
    before = {"a.md": "same", "b.md": "same"}
    batch = Batch(put=(read_note("c.md", "same"),), dropped=("a.md", "b.md"))
    reads_s = dict(zip(before, dates_s, strict=True))
    assert reads_after(before, reads_s, batch) == {"c.md": LATE_S}


@pytest.mark.parametrize(
    ("own_s", "expected_s"), [(EARLY_S, LATE_S), (LATE_S + 1.0, LATE_S + 1.0), (None, LATE_S)]
)
def test_the_later_of_the_old_date_and_the_date_of_that_path_is_used(
    own_s: float | None, expected_s: float
) -> None:
    reads_s = {"a.md": LATE_S, **({"b.md": own_s} if own_s is not None else {})}
    batch = Batch(put=(read_note("b.md", "same"),), dropped=("a.md",))
    assert reads_after({"a.md": "same"}, reads_s, batch) == {"b.md": expected_s}


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_no_date_moves_between_empty_notes(text: str) -> None:
    batch = Batch(put=(read_note("b.md", text),), dropped=("a.md",))
    assert reads_after({"a.md": text}, {"a.md": LATE_S}, batch) == {"a.md": LATE_S}


def test_no_date_moves_between_notes_that_are_too_large() -> None:
    engine = Engine(EngineSettings())
    engine.apply(Batch(put=(large_note("a.md"),)))
    engine.apply(Batch(reads_s={"a.md": LATE_S}))
    engine.apply(Batch(put=(large_note("b.md"),), dropped=("a.md",)))
    assert engine.snapshot.reads_s == {"a.md": LATE_S}


@pytest.mark.parametrize(
    "batch",
    [
        Batch(put=(read_note("b.md", "same"),), dropped=("a.md",)),
        Batch(put=(read_note("b.md", "same"),)),
        Batch(put=(read_note("c.md", "other"),), dropped=("a.md",)),
        Batch(dropped=("a.md",)),
    ],
    ids=["a copy that existed before", "an edit", "another note", "no other note"],
)
def test_a_date_stays_when_no_note_was_renamed(batch: Batch) -> None:
    before = {"a.md": "same", "b.md": "not the same"}
    assert reads_after(before, {"a.md": LATE_S}, batch) == {"a.md": LATE_S}


def test_the_dates_of_deleted_notes_are_kept() -> None:
    """A deleted note may come back."""
    before = {"a.md": "same", "gone.md": "other"}
    reads_s = {"a.md": EARLY_S, "gone.md": LATE_S}
    batch = Batch(put=(read_note("b.md", "same"),), dropped=("a.md", "gone.md"))
    assert reads_after(before, reads_s, batch) == {"b.md": EARLY_S, "gone.md": LATE_S}


@pytest.mark.parametrize("read_s", [NOW_S - 90 * DAY_S, NOW_S, NOW_S + 90 * DAY_S])
def test_a_note_is_as_fresh_as_the_later_of_its_last_read_and_change(read_s: float) -> None:
    engine = engine_of({"a.md": "[[x]]"})
    engine.apply(Batch(reads_s={"a.md": read_s}))
    note = engine.snapshot.graph.note_id("a.md")
    assert note is not None
    assert engine.snapshot.ages.get(note).touched_s == max(read_s, NOW_S)


def test_the_date_of_an_edit_follows_a_rename_as_the_date_of_a_read_does() -> None:
    engine = engine_of({"2024-03-05.md": "same"})
    engine.apply(Batch(edits_s={"2024-03-05.md": LATE_S}, reads_s={"2024-03-05.md": EARLY_S}))
    renamed = Batch(put=(read_note("2024-03-06.md", "same"),), dropped=("2024-03-05.md",))
    engine.apply(renamed)
    snapshot = engine.snapshot
    assert (snapshot.reads_s, snapshot.edits_s) == (
        {"2024-03-06.md": EARLY_S},
        {"2024-03-06.md": LATE_S},
    )
    assert snapshot.dates("2024-03-06.md").changed_s == LATE_S


def test_the_oldest_of_too_many_dates_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(note_dates, "READS_MAX", 2)
    engine = engine_of({"a.md": "[[x]]"})
    engine.apply(Batch(reads_s={"a.md": 3.0, "b.md": 1.0}))
    engine.apply(Batch(reads_s={"c.md": 2.0}))
    assert engine.snapshot.reads_s == {"a.md": 3.0, "c.md": 2.0}
