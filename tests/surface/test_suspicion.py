"""Which notes are quarantined, out of all that were parsed when an indexer died."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.surface.server.child import bisection as suspicion_module
from clew.surface.server.child.bisection import Suspicion

Note = tuple[str, str]  # path, content hash

DEATHS_MAX = 40


def notes_of(text: str) -> tuple[Note, ...]:
    """Return the notes ``a b=x``: at "a" with the hash "a", at "b" with the hash "x"."""
    pairs = (word.partition("=") for word in text.split())
    return tuple((path, content_hash or path) for path, _, content_hash in pairs)


def died_with(*slices: str) -> Suspicion:
    suspicion = Suspicion()
    for text in slices:
        suspicion.parsing(notes_of(text))
        suspicion.died()
    return suspicion


@pytest.mark.parametrize(
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
def test_a_content_that_was_there_twice_the_second_time_alone_is_quarantined(
    slices: list[str], suspects: str, quarantined: str
) -> None:
    suspicion = died_with(*slices)
    assert suspicion.suspects == tuple(suspects.split())
    assert suspicion.quarantined == tuple(quarantined.split())


def test_what_was_parsed_without_harm_is_not_suspected() -> None:
    suspicion = Suspicion()
    for text in ("a b", "c", ""):
        suspicion.parsing(notes_of(text))
    suspicion.died()
    assert suspicion.suspects == suspicion.quarantined == ()


def test_one_death_counts_once() -> None:
    suspicion = died_with("a")
    suspicion.died()
    assert suspicion.quarantined == ()


def test_suspects_are_bounded_and_the_oldest_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suspicion_module, "SUSPECTS_MAX", 3)
    assert died_with("a b", "c d", "e").suspects == ("c", "d", "e")


def slices_of(notes: list[Note], suspects: set[str], size: int) -> list[tuple[Note, ...]]:
    """Part notes into slices as an indexer does: suspects alone."""
    slices: list[tuple[Note, ...]] = []
    for note in notes:
        is_full = not slices or len(slices[-1]) == size
        if is_full or note[0] in suspects or slices[-1][-1][0] in suspects:
            slices.append(())
        slices[-1] += (note,)
    return slices


def lives(suspicion: Suspicion, notes: list[Note], killers: frozenset[str], size: int) -> bool:
    """Run an indexer on ``notes``; return whether it lived to the end."""
    to_parse = [note for note in notes if note[1] not in suspicion.quarantined]
    for part in slices_of(to_parse, set(suspicion.suspects), size):
        suspicion.parsing(part)
        if any(content_hash in killers for _, content_hash in part):
            suspicion.died()
            return False
    suspicion.parsing(())
    return True


@given(
    hashes=st.lists(st.sampled_from("abcdefghijklmnop"), max_size=30),
    killers=st.frozensets(st.sampled_from("abcdef"), max_size=5),
    size=st.integers(1, 12),
)
def test_an_indexer_that_is_started_again_gets_by_every_killer_and_parses_all_else(
    hashes: list[str], killers: frozenset[str], size: int
) -> None:
    notes = [(f"{place}.md", content_hash) for place, content_hash in enumerate(hashes)]
    suspicion = Suspicion()
    deaths = 0
    while not lives(suspicion, notes, killers, size):
        deaths += 1
        assert deaths <= 3 * len(killers)
    assert set(suspicion.quarantined) == killers & set(hashes)
