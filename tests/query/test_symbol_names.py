"""``SymbolNames`` keeps the words of each name from one revision to the next."""

import gc
import sys
import weakref

import pytest

from clew.engine.derived.symbols import SymbolNames
from clew.index.facts import facts_of
from clew.values.vault import Batch
from tests.rankings import VAULT, ranked, shown
from tests.vaults import engine_of, read_note, snapshot_of


def test_names_are_read_again_when_most_are_unused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.engine.derived.symbols.GARBAGE_MAX", 5)
    engine, names = engine_of({"a.md": "# A\n"}), SymbolNames("english")
    for number in range(40):
        engine.apply(Batch(put=(read_note("a.md", f"# A\n\n## Clock {number}\n"),)))
        reply = ranked(engine.snapshot, "clock", names)
        assert ("heading", f"Clock {number}") in shown(reply)
        assert len(names.symbols(engine.snapshot).text_names) <= 15


def test_the_names_of_a_deleted_note_are_dropped() -> None:
    engine, names = engine_of({"a.md": "", "b.md": "clock"}), SymbolNames("english")
    ranked(engine.snapshot, "clock", names)
    gone = engine.snapshot.entries["a.md"]
    engine.apply(Batch(dropped=("a.md",)))
    ranked(engine.snapshot, "clock", names)
    engine.apply(Batch(put=(gone,)))
    assert names.unlearned(engine.snapshot).notes == (("a.md", facts_of(gone)),)


def test_symbol_names_keep_no_revision_alive() -> None:
    """Otherwise an old revision would stay in memory until the next ``rank``."""
    engine, names = engine_of(VAULT), SymbolNames("english")
    note, graph = engine.snapshot.note("Sand.md"), weakref.ref(engine.snapshot.graph)
    held = sys.getrefcount(note)
    ranked(engine.snapshot, "clock", names)
    assert sys.getrefcount(note) == held
    del engine
    gc.collect()
    assert graph() is None
    for notes in (VAULT, {**VAULT, "Sand.md": "# Dunes", "New.md": "[[Old clock]]"}):
        snapshot = snapshot_of(notes)
        assert ranked(snapshot, "clock", names).results == ranked(snapshot, "clock").results


def test_names_of_an_unchanged_note_are_not_read_again() -> None:
    engine, names = engine_of(VAULT), SymbolNames("english")
    ranked(engine.snapshot, "clock", names)
    engine.apply(Batch(put=tuple(read_note(path, text) for path, text in VAULT.items())))
    assert names.unlearned(engine.snapshot).count == 0
