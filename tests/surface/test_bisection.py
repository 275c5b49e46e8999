"""Crash bisection quarantines the notes that crash the indexer, and no others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.surface.server.child import bisection as bisection_module
from clew.surface.server.child.bisection import CrashBisection
from tests.tables import for_each_row

Note = tuple[str, str]  # path, content hash


def notes_of(text: str) -> tuple[Note, ...]:
    """Return the notes ``a b=x``: at "a" with the hash "a", at "b" with the hash "x"."""
    pairs = (word.partition("=") for word in text.split())
    return tuple((path, content_hash or path) for path, _, content_hash in pairs)


def crashed_with(*slices: str) -> CrashBisection:
    bisection = CrashBisection()
    for text in slices:
        bisection.start_slice(notes_of(text))
        bisection.record_crash()
    return bisection


@for_each_row(
    ("slices", "suspects", "quarantined"),
    [
        ([""], "", ""),
        (["a"], "a", ""),
        (["a", "a"], "a", "a"),
        (["a b c"], "a b c", ""),
        (["a b c", "b"], "a b c", "b"),
        (["a b c", "a b c"], "a b c", ""),
        (["a b c", "a b c", "c"], "a b c", "c"),
        (["a b c", "a", "c"], "a b c", "a c"),
        (["a b", "c"], "a b c", ""),
        (["a", "b"], "a b", ""),
        (["a", "", "a"], "a", "a"),
        (["a=x", "b=x"], "a b", "x"),
        (["a=x b=x"], "a b", ""),
        (["a=x b=x", "b=x"], "a b", "x"),
        (["a=x", "a=y"], "a", ""),
    ],
)
def test_a_content_parsed_at_two_crashes_the_second_time_alone_is_quarantined(
    slices: list[str], suspects: str, quarantined: str
) -> None:
    bisection = crashed_with(*slices)
    assert bisection.suspects == tuple(suspects.split())
    assert bisection.quarantined == tuple(quarantined.split())


def test_notes_of_a_finished_slice_are_not_suspects() -> None:
    bisection = CrashBisection()
    for text in ("a b", "c", ""):
        bisection.start_slice(notes_of(text))
    bisection.record_crash()
    assert bisection.suspects == bisection.quarantined == ()


def test_a_crash_counts_once() -> None:
    bisection = crashed_with("a")
    bisection.record_crash()
    assert bisection.quarantined == ()


def test_suspects_are_bounded_and_the_oldest_are_dropped_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bisection_module, "SUSPECTS_MAX", 3)
    assert crashed_with("a b", "c d", "e").suspects == ("c", "d", "e")


def slices_of(notes: list[Note], suspects: set[str], size: int) -> list[tuple[Note, ...]]:
    """Split notes into slices as an indexer does, each suspect alone."""
    slices: list[tuple[Note, ...]] = []
    for note in notes:
        is_full = not slices or len(slices[-1]) == size
        if is_full or note[0] in suspects or slices[-1][-1][0] in suspects:
            slices.append(())
        slices[-1] += (note,)
    return slices


def survives(
    bisection: CrashBisection, notes: list[Note], killers: frozenset[str], size: int
) -> bool:
    """Let an indexer parse ``notes``; return whether it survived."""
    to_parse = [note for note in notes if note[1] not in bisection.quarantined]
    for part in slices_of(to_parse, set(bisection.suspects), size):
        bisection.start_slice(part)
        if any(content_hash in killers for _, content_hash in part):
            bisection.record_crash()
            return False
    bisection.start_slice(())
    return True


@given(
    hashes=st.lists(st.sampled_from("abcdefghijklmnop"), max_size=30),
    killers=st.frozensets(st.sampled_from("abcdef"), max_size=5),
    size=st.integers(1, 12),
)
def test_restarts_quarantine_exactly_the_notes_that_crash_the_indexer(
    hashes: list[str], killers: frozenset[str], size: int
) -> None:
    notes = [(f"{place}.md", content_hash) for place, content_hash in enumerate(hashes)]
    bisection = CrashBisection()
    deaths = 0
    while not survives(bisection, notes, killers, size):
        deaths += 1
        assert deaths <= 3 * len(killers)
    assert set(bisection.quarantined) == killers & set(hashes)
