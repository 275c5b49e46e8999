"""Neighbours and strengths that follow the changes, compared with those computed anew."""

import random
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clew.engine.apply import Engine
from clew.engine.caches import neighbours as module
from clew.engine.settings import EngineSettings
from clew.engine.snapshot import Snapshot
from clew.index.formulas.breadth import edge_weights, step_weights
from clew.index.graph import ConceptGraph, RowsWith
from clew.index.graph_rows import Neighbours, neighbours, step_sums
from clew.values.vault import Batch
from tests.batches import random_batch
from tests.counted import counted
from tests.stored import store_and_map
from tests.vaults import DAY_S, NOW_S, engine_of, read_note

SETTINGS = EngineSettings(broad_from=4)


def assert_exact(snapshot: Snapshot, now_s: float) -> None:
    graph, decay = snapshot.graph, snapshot.ages.weights(now_s, snapshot.graph.note_slots)
    edges = edge_weights(decay, graph.rows.lengths, SETTINGS.broad_from)
    steps = step_weights(decay, graph.rows.lengths)
    of_steps, totals = step_sums(graph, steps)
    assert np.array_equal(snapshot.neighbour_cache.step_strengths(now_s), of_steps)
    shares_max = snapshot.largest_shares(now_s)
    assert np.array_equal(shares_max, totals / np.maximum(of_steps, 1e-9))
    for concept in np.flatnonzero(graph.note_counts).tolist():
        first = snapshot.first_steps(concept, now_s)  # before all steps are in the cache
        first_beside = snapshot.first_steps_beside_lists(concept, now_s)
        cached = snapshot.neighbours(concept, now_s), snapshot.steps(concept, now_s)
        rows = graph.rows_with(concept)
        computed = neighbours(rows, edges), neighbours(rows, steps)
        assert list(map(as_lists, cached)) == list(map(as_lists, computed))
        narrow = neighbours(rows, (graph.rows.lengths < 3).astype(np.float64))
        beside = snapshot.steps_beside_lists(concept, now_s)
        assert set(beside.ids.tolist()) == set(narrow.ids[narrow.scores > 0.0].tolist())
        assert beside.strength == computed[1].strength
        assert computed[1].scores.max(initial=0.0) <= shares_max[concept] * beside.strength + 1e-9
        assert_strongest(first, computed[1])
        assert_strongest(first_beside, beside)


def assert_strongest(first: Neighbours, every: Neighbours) -> None:
    """Assert that ``first`` has the strongest of all steps; of equal ones, any."""
    count = min(module.FIRST_STEPS, len(every.ids))
    assert (first.is_whole, first.strength) == (count == len(every.ids), every.strength)
    assert first.scores.tolist() == every.scores[:count].tolist()
    rows = set(zip(*as_lists(every)[:3], strict=True))
    assert rows.issuperset(zip(*as_lists(first)[:3], strict=True))


@pytest.fixture(autouse=True)
def few_first_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST_STEPS", 2)


def as_lists(found: Neighbours) -> tuple[Any, ...]:
    arrays = found.ids, found.counts, found.scores
    return (*(array.tolist() for array in arrays), found.strength)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_cached_values_are_exact_after_each_change(seed: int, tmp_path: Path) -> None:
    chance, engine, now_s = random.Random(seed), Engine(SETTINGS), NOW_S
    held = []
    for turn in range(60):
        engine.apply(random_batch(chance, engine))
        if chance.random() < 0.1:
            engine.compact()
        if chance.random() < 0.1:
            store_and_map(engine, tmp_path / str(turn))
        if chance.random() < 0.2:
            now_s += 40 * DAY_S
        if chance.random() < 0.3:
            held.append(engine.snapshot)
        if chance.random() < 0.8:
            assert_exact(chance.choice([engine.snapshot, *held]), now_s)


def test_a_small_change_leaves_the_values_of_other_concepts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = engine_of({f"{n}.md": f"[[a{n}]] [[b{n}]]" for n in range(20)}, settings=SETTINGS)
    assert_exact(engine.snapshot, NOW_S)
    counted: list[int] = []

    def count(graph: ConceptGraph, concept: int) -> RowsWith:
        counted.append(concept)
        return found(graph, concept)

    found = ConceptGraph.rows_with
    monkeypatch.setattr(module, "step_sums", None)
    for batch in (
        Batch(put=(read_note("3.md", "[[a3]] [[a7]] [[new]]", NOW_S - 90 * DAY_S),)),
        Batch(dropped=("7.md",)),
        Batch(reads_s={"9.md": NOW_S}),
    ):
        engine.apply(batch)
        snapshot = engine.snapshot
        monkeypatch.setattr(ConceptGraph, "rows_with", count)
        for concept in np.flatnonzero(snapshot.graph.note_counts).tolist():
            snapshot.neighbours(concept, NOW_S)
            snapshot.first_steps(concept, NOW_S)
        monkeypatch.setattr(ConceptGraph, "rows_with", found)
        assert len(counted) < 6
        counted.clear()
        assert_exact(snapshot, NOW_S)


@pytest.mark.parametrize("per_note", [1, 40, 200])
def test_the_cache_takes_no_more_memory_than_its_bound(
    per_note: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CACHED_BYTES_MAX", 100_000)
    links = (" ".join(f"[[c{n}x{m}]]" for m in range(per_note)) for n in range(2_000 // per_note))
    snapshot = engine_of({f"{n}.md": text for n, text in enumerate(links)}).snapshot
    concepts = np.flatnonzero(snapshot.graph.note_counts).tolist()
    snapshot.neighbours(concepts[0], NOW_S)
    tracemalloc.start()
    for concept in concepts:
        snapshot.neighbours(concept, NOW_S)
    kept_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 50_000 < kept_bytes < 130_000


def test_the_first_steps_of_a_hub_are_found_once_for_both_kinds() -> None:
    """Those that only a list carries are weaker."""
    notes = {f"{n}.md": f"[[hub]] [[a{n}]]" for n in range(3)}
    notes |= {"list.md": "[[hub]] [[x]] [[y]] [[z]]"}
    snapshot = engine_of(notes, settings=SETTINGS).snapshot
    hub = snapshot.graph.concept_id("hub") or 0
    assert snapshot.first_steps(hub, NOW_S) is snapshot.first_steps_beside_lists(hub, NOW_S)
    alone = snapshot.graph.concept_id("x") or 0
    assert len(snapshot.first_steps(alone, NOW_S).ids) == 2
    assert len(snapshot.first_steps_beside_lists(alone, NOW_S).ids) == 0


def test_the_first_steps_are_the_same_whether_or_not_all_are_cached() -> None:
    """Of steps that are equally strong, too."""
    pairs = ["ab", "ab", "ac", "ad", "ae", "bc", "bd", "cde", "defg", "defg", "gh"]
    pairs += ["ij", "ik", "il", *["imno"] * 9]  # a list carries the strongest steps from "i"
    notes = {
        f"{number}.md": " ".join(f"[[{name}]]" for name in names)
        for number, names in enumerate(pairs)
    }
    with_whole, without = (engine_of(notes, settings=SETTINGS).snapshot for _ in range(2))
    kinds = [Snapshot.first_steps_beside_lists, Snapshot.first_steps]
    lacks_strongest = 0
    for concept in np.flatnonzero(without.graph.note_counts).tolist():
        with_whole.steps_beside_lists(concept, NOW_S)
        with_whole.steps(concept, NOW_S)
        for first_steps in kinds:
            first, other = (first_steps(each, concept, NOW_S) for each in (with_whole, without))
            assert set(first.ids.tolist()) == set(other.ids.tolist())
            assert first.scores.tolist() == other.scores.tolist()
            assert (first.strength, first.is_whole) == (other.strength, other.is_whole)
            assert first.has_strongest == other.has_strongest
            lacks_strongest += not first.is_whole and not first.has_strongest
    assert lacks_strongest > 0


def test_shares_are_found_in_steps_of_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    """To read the rows of 100,000 notes at once would keep other requests waiting."""
    notes = {f"{n}.md": f"[[hub]] [[a{n}]]" for n in range(7)} | {"alone.md": "[[a1]]"}
    snapshot = engine_of(notes, settings=SETTINGS).snapshot
    expected = engine_of(notes, settings=SETTINGS).snapshot.largest_shares(NOW_S)
    monkeypatch.setattr(module, "NOTES_AT_ONCE", 3)
    read = counted(monkeypatch, ConceptGraph, "concepts_of_notes")
    assert len(list(snapshot.find_shares(NOW_S))) == 3
    assert max(len(notes) for _, notes in read) == 3
    read.clear()
    assert np.array_equal(snapshot.largest_shares(NOW_S), expected)
    assert not read


def snapshot_of_two_ages() -> Snapshot:
    """Return x in a new note of two concepts and in an old one of three."""
    engine = engine_of({}, settings=SETTINGS)
    new = read_note("new.md", "[[x]] [[a]]", NOW_S)
    old = read_note("old.md", "[[x]] [[b]] [[c]]", NOW_S - 400 * DAY_S)
    engine.apply(Batch(put=(new, old)))
    return engine.snapshot


def test_largest_shares_are_those_of_the_moment_asked_for() -> None:
    def share(snapshot: Snapshot, now_s: float) -> float:
        return float(snapshot.largest_shares(now_s)[snapshot.graph.concept_id("x") or 0])

    moments = NOW_S, NOW_S + 900 * DAY_S
    expected = [share(snapshot_of_two_ages(), now_s) for now_s in moments]
    assert expected[0] != expected[1]
    snapshot = snapshot_of_two_ages()
    assert [share(snapshot, now_s) for now_s in moments] == expected


def test_shares_found_for_an_earlier_request_are_not_those_of_a_later_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "NOTES_AT_ONCE", 1)
    snapshot, later_s = snapshot_of_two_ages(), NOW_S + 900 * DAY_S
    steps = snapshot.find_shares(NOW_S)
    next(steps)
    later = snapshot.step_strengths(later_s).copy()
    list(steps)
    assert np.array_equal(snapshot.step_strengths(later_s), later)


def test_a_note_of_one_concept_adds_to_no_share() -> None:
    """Neither at first nor when the values follow a change."""
    notes = {"1.md": "[[a]] [[b]]", "2.md": "[[a]]", "3.md": "[[c]]", "4.md": "[[d]] [[e]] [[f]]"}
    engine = engine_of({**notes, **{f"x{n}.md": "[[y]] [[z]]" for n in range(9)}})

    def shares() -> list[float]:
        ids = [engine.snapshot.graph.concept_id(name) or 0 for name in "abc"]
        found: list[float] = engine.snapshot.largest_shares(NOW_S)[ids].tolist()
        return found

    assert shares() == [1.0, 1.0, 0.0]
    engine.apply(Batch(put=(read_note("5.md", "[[a]]", NOW_S),)))
    assert shares() == [1.0, 1.0, 0.0]
