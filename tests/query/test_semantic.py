"""The semantic leg: notes by their nearest chunk, for any number of chunks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from clew.engine.embedding import vectors_of
from clew.engine.snapshot import Snapshot
from clew.index.cosines import Floats
from clew.index.vectors import VectorIndex
from clew.query.search.legs import comparison
from clew.query.search.legs.base import Query
from clew.query.search.legs.comparison import put_off
from clew.query.search.legs.semantic import (
    MEDIAN_MIN,
    NOTES_MIN,
    SEMANTIC,
    SemanticLeg,
    nearest_notes,
)
from clew.query.search.passage_hits import HITS_MAX, NO_HITS, PassageHits
from clew.query.search.query_terms import query_terms
from clew.query.search.search_config import SearchConfig
from clew.values.arrays import Int8Array
from clew.values.vault import Batch
from tests.clustered import approximate_of
from tests.searches import ask, embed, encode, encoder, setting, vault
from tests.vaults import engine_of, read_note

SLOW = "The clock was slow in the cold weather. " * 7
LOG = "".join(f"## Entry {n}\n\n{SLOW}\n\n" for n in range(HITS_MAX + 50))
NOTES = {
    "log.md": LOG,
    "right.md": "Timepieces lag when temperatures fall.",
    "other.md": "Bread needs an hour in the oven.",
}


def test_a_long_note_hides_no_other() -> None:
    snapshot = vault(NOTES)
    assert len(snapshot.note("log.md").chunks) > HITS_MAX
    hits = nearest_notes(snapshot, encode("clock slow in cold weather"))
    found = [snapshot.graph.path(note) for note in hits.note_ids.tolist()]
    assert found == ["log.md", "right.md", "other.md"]
    assert hits.note_scores.tolist() == sorted(hits.note_scores.tolist(), reverse=True)
    slots = snapshot.passages.slots.note_ids[hits.slots[:, 0]]
    assert slots.tolist() == hits.note_ids.tolist()


@pytest.mark.parametrize("sign", ["", "\u2019", "\u2014\u2026"])
def test_a_long_text_has_a_vector_whatever_signs_it_has(sign: str) -> None:
    text = "the tide gauge counts the waves of the harbour " * 110 + sign
    assert encoder().encode([text]).rows.any()


def test_a_text_in_a_script_unknown_to_the_model_has_no_vector() -> None:
    thai = "\u0e01\u0e32\u0e23\u0e27\u0e31\u0e14 " * 2_000
    assert not encoder().encode([f"{thai}tide"]).rows.any()


WORDS = ("tide", "gauge", "clock", "drift", "storm", "surge", "harbour", "battery", "datum")
MANY = {
    f"{n}.md": f"The {WORDS[n % 9]} of the {WORDS[n % 7]}, {WORDS[n % 5]} and {WORDS[n % 4]}."
    for n in range(240)
}
QUESTION = "why does the clock of the tide gauge drift"


def many(notes: Mapping[str, str], candidate_count: int) -> tuple[Snapshot, Snapshot]:
    """Return a vault that is searched exactly, and the same with an approximate index."""
    engine = engine_of(notes)
    embed(engine)
    exact = engine.snapshot
    approximate = approximate_of(engine.indexes.passages.vectors, candidate_count)
    assert engine.use_approximate(approximate) is approximate
    return exact, engine.snapshot


def rows(hits: PassageHits) -> list[list[Any]]:
    return [hits.note_ids.tolist(), hits.slots.tolist(), hits.scores.tolist()]


def test_notes_found_approximately_have_their_exact_scores() -> None:
    exact, approximate = many(MANY, 80)
    expected = nearest_notes(exact, encode(QUESTION))
    hits = nearest_notes(approximate, encode(QUESTION))
    assert NOTES_MIN <= len(hits.note_ids) <= 80 < len(expected.note_ids)
    count = len(hits.note_ids) * 3 // 4  # The worst of the candidates may be beyond the nearest.
    assert rows(hits)[0][:count] == rows(expected)[0][:count]
    score_by_note = dict(zip(*rows(expected)[::2], strict=True))
    for note_id, scores in zip(*rows(hits)[::2], strict=True):
        assert scores == score_by_note[note_id]


def test_a_filter_that_leaves_few_notes_is_searched_exactly() -> None:
    exact, approximate = many(MANY, 80)
    rng = np.random.default_rng(3)
    for share in (0.0, 0.02, 0.3, 1.0):
        allowed = rng.random(exact.graph.note_slots) < share
        expected = nearest_notes(exact, encode(QUESTION), allowed)
        assert rows(nearest_notes(approximate, encode(QUESTION), allowed)) == rows(expected)


def test_few_notes_that_pass_are_compared_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot, _ = many(MANY | NOTES, 80)
    allowed = np.arange(snapshot.graph.note_slots) % 7 == 0
    monkeypatch.setattr(VectorIndex, "cosines", None)  # so that comparing all would fail
    alone = nearest_notes(snapshot, encode(QUESTION), allowed)
    monkeypatch.undo()
    monkeypatch.setattr(comparison, "FEW_SLOTS", 0)
    assert rows(alone) == rows(nearest_notes(snapshot, encode(QUESTION), allowed))


def test_candidates_of_too_few_notes_are_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    exact, approximate = many(MANY, NOTES_MIN - 1)
    expected = nearest_notes(exact, encode(QUESTION))
    assert rows(nearest_notes(approximate, encode(QUESTION))) == rows(expected)
    # So many notes pass that not all of them are compared; of the candidates too few do.
    monkeypatch.setattr(comparison, "FEW_SLOTS", 10)
    exact, approximate = many(MANY, 100)
    allowed = np.arange(exact.graph.note_slots) % 4 == 0
    expected = nearest_notes(exact, encode(QUESTION), allowed)
    assert rows(nearest_notes(approximate, encode(QUESTION), allowed)) == rows(expected)


def test_a_long_note_hides_no_other_from_approximate_search() -> None:
    exact, approximate = many(MANY | NOTES, 200)
    query = encode("clock slow in cold weather")
    assert rows(nearest_notes(approximate, query)) == rows(nearest_notes(exact, query))


def test_an_edit_is_found_at_once_by_approximate_search() -> None:
    engine = engine_of(MANY)
    embed(engine)
    engine.use_approximate(approximate_of(engine.indexes.passages.vectors, 80))
    notes = [read_note("7.md", "Timepieces lag when temperatures fall."), read_note("x.md", SLOW)]
    engine.apply(Batch(put=tuple(notes), dropped=("8.md",)))
    engine.apply(Batch(vectors=vectors_of(encoder(), [read.note for read in notes])))
    assert engine.indexes.passages.vectors.approximate is not None
    hits = nearest_notes(engine.snapshot, encode("clock slow in cold weather"))
    found = [engine.snapshot.graph.path(note) for note in hits.note_ids.tolist()]
    assert found[0] == "x.md"
    assert "7.md" in found
    assert "8.md" not in found


def test_a_compaction_ends_approximate_search() -> None:
    engine = engine_of(MANY)
    embed(engine)
    approximate = approximate_of(engine.indexes.passages.vectors, 80)
    engine.use_approximate(approximate)
    engine.apply(Batch(dropped=tuple(MANY)[:100]))
    engine.compact()
    assert engine.snapshot.passages.vectors.approximate is None
    assert engine.use_approximate(approximate) is None
    snapshot = engine.snapshot
    hits = nearest_notes(snapshot, encode(QUESTION))
    assert len(hits.note_ids) == len(MANY) - 100


HALF_KNOWN = {
    "known.md": "The clock was slow.",
    "thai.md": "\u0e01\u0e32\u0e23\u0e27\u0e31\u0e14 \u0e19\u0e49\u0e33",
}


@pytest.mark.parametrize(
    ("snapshot", "share"),
    [
        (vault(NOTES), 1.0),
        (vault(HALF_KNOWN), 0.5),
        (engine_of(NOTES).snapshot, 0.0),
        (vault({}), 0.0),
    ],
    ids=["all", "half", "none", "no notes"],
)
def test_the_weight_goes_with_the_share_of_passages_that_have_vectors(
    snapshot: Snapshot, share: float
) -> None:
    full = SemanticLeg.default_weight
    assert setting().weights(snapshot)[SEMANTIC] == share * full


def test_the_weight_of_the_config_goes_with_that_share_too() -> None:
    given = setting(config=SearchConfig(weights={SEMANTIC: 3.0}))
    assert given.weights(vault(HALF_KNOWN))[SEMANTIC] == 1.5


@pytest.mark.parametrize(
    ("query", "compared"),
    [
        ("why does the clock of the tide gauge drift", 1),  # the text that was begun
        ("why does the clock of the tide guage drift", 2),  # corrected after it was begun
        ("-clock path:1", 0),  # nothing to compare
    ],
)
def test_a_comparison_begun_early_changes_no_reply(
    query: str, compared: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot, _ = many(MANY, 80)
    expected = ask(snapshot, query)
    monkeypatch.setattr(comparison, "BEGUN_SLOTS_MIN", 1)
    monkeypatch.setattr(comparison, "FEW_SLOTS", 0)
    begun: list[Callable[[], None]] = []

    def begin(pieces: Sequence[Callable[[], None]]) -> Callable[[], None]:
        begun.append(put_off(pieces))
        return begun[-1]

    counted: list[Int8Array] = []
    comparing = VectorIndex.comparing

    def count(index: VectorIndex, vector: Int8Array) -> tuple[Floats, list[Callable[[], None]]]:
        counted.append(vector)
        return comparing(index, vector)

    monkeypatch.setattr(VectorIndex, "comparing", count)
    reply = ask(snapshot, query, given=replace(setting(), begin=begin))
    assert reply == expected
    assert len(begun) == min(1, compared)
    assert len(counted) == compared


@pytest.mark.parametrize(("count", "is_median"), [(MEDIAN_MIN, True), (MEDIAN_MIN - 1, False)])
def test_an_unrelated_note_is_as_near_as_the_median_where_many_are(
    count: int, is_median: bool
) -> None:
    """In a vault of one subject all notes are near to a query, which tells nothing of them."""
    alike = {f"{n}.md": f"The tide gauge of pier {n} was read at noon." for n in range(count)}
    snapshot = vault(alike)
    query = Query(
        terms=query_terms("tide gauge", snapshot.languages),
        word_hits=NO_HITS,
        period=None,
        now_s=0.0,
        encode=encode,
        noise=0.01,
        weights={},
        earlier_hits={},
    )
    hits = SemanticLeg().find(snapshot, query, None)
    assert len(hits.note_ids) == count
    median = float(np.median(hits.note_scores))
    assert median > 0.3
    assert hits.none == pytest.approx(median if is_median else 0.01)
