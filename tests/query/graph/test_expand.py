"""Expansion compared with a search that makes and sorts every path."""

import random
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.engine.caches import neighbours as cache
from clew.engine.settings import EngineSettings
from clew.engine.snapshot import Snapshot, StepsFrom
from clew.index.graph import ConceptGraph, RowsWith
from clew.query.graph import expand as module
from clew.query.graph.expand import (
    SEEDS,
    SEEDS_MAX,
    Origin,
    expand,
    strongest,
    strongest_in_slices,
)
from clew.query.slices import finished
from clew.values.vault import Batch
from tests.examples import examples
from tests.vaults import DAY_S, NOW_S, engine_of, read_note

SETTINGS = EngineSettings(broad_from=6)
WORDS = st.sampled_from("abcdefghijkl")
VAULTS = st.lists(st.sets(WORDS, min_size=1, max_size=5), min_size=2, max_size=14)


@dataclass(frozen=True, order=True)
class Path:
    """A path; a better one compares as smaller."""

    minus_score: float
    hops: int
    names: tuple[str, ...]


def best_steps(
    snapshot: Snapshot, steps_from: StepsFrom, name: str, left_out: set[str], most: int
) -> list[tuple[str, float, float]]:
    """Return the strongest steps from a concept: to what, negative weights, and that of all."""
    concept = snapshot.graph.concept_id(name)
    assert concept is not None
    steps = steps_from(concept, NOW_S)
    arrays = steps.scores.tolist(), steps.counts.tolist(), steps.ids.tolist()
    rows = [
        (-score, -count, snapshot.graph.name(other))
        for score, count, other in zip(*arrays, strict=True)
    ]
    kept = [row for row in sorted(rows) if row[2] not in left_out][:most]
    return [(other, minus_weight, steps.strength) for minus_weight, _, other in kept]


def walked(
    snapshot: Snapshot, steps_from: StepsFrom, origin: str, depth: int, most: int, seeds: int
) -> list[Path]:
    """Return the best path to each concept that is reached; scores are negative shares."""
    concept = snapshot.graph.concept_id(origin)
    assert concept is not None
    near = snapshot.neighbours(concept, NOW_S).ids.tolist()
    left_out = {origin, *map(snapshot.graph.name, near)}
    waiting: list[Path] = []

    def extend(path: Path) -> None:
        steps = best_steps(snapshot, steps_from, path.names[-1], left_out, most)
        for other, minus_weight, strength in steps:
            score = -path.minus_score * minus_weight / strength
            waiting.append(Path(score, path.hops + 1, (*path.names, other)))

    for seed, minus_weight, strength in best_steps(snapshot, steps_from, origin, set(), seeds):
        extend(Path(minus_weight / strength, 1, (seed,)))
    reached: dict[str, Path] = {}
    fewest: dict[str, int] = {}
    while waiting and len(reached) < most:
        path = min(waiting)
        waiting.remove(path)
        reached.setdefault(path.names[-1], path)
        if path.hops < fewest.get(path.names[-1], depth):
            fewest[path.names[-1]] = path.hops
            extend(path)
    return list(reached.values())


def expected(snapshot: Snapshot, origin: str, depth: int, most: int) -> list[Path]:
    walks = [(snapshot.steps_beside_lists, SEEDS)]
    if snapshot.has_lists:
        walks += [(snapshot.steps_beside_lists, SEEDS_MAX), (snapshot.steps, SEEDS)]
    for steps_from, seeds in walks:
        if found := walked(snapshot, steps_from, origin, depth, most, seeds):
            return found
    return []


@pytest.mark.slow
@pytest.mark.parametrize(("read_min", "first_steps"), [(1, 1), (1, 4), (1_024, 1_024)])
@examples(150)
@given(rows=VAULTS, depth=st.integers(2, 4), most=st.integers(1, 6), ages=st.integers(1, 3))
def test_expansion_takes_the_best_of_all_paths(
    read_min: int, first_steps: int, rows: list[set[str]], depth: int, most: int, ages: int
) -> None:
    notes = {
        f"{n}.md": " ".join(f"[[{word}]]" for word in sorted(row)) for n, row in enumerate(rows)
    }
    engine = engine_of({}, settings=SETTINGS)
    for n, (path, text) in enumerate(notes.items()):
        engine.apply(Batch(put=(read_note(path, text, NOW_S - 40 * DAY_S * (n % ages)),)))
    snapshot = engine.snapshot
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_READ_MIN", read_min)
        patch.setattr(cache, "FIRST_STEPS", first_steps)
        for name in snapshot.graph.concepts():
            concept = snapshot.graph.concept_id(name)
            assert concept is not None
            origin = Origin(concept, snapshot.neighbours(concept, NOW_S))
            reached = finished(expand(snapshot, NOW_S, origin, depth, most))
            found = [Path(-row.score, row.hops, row.names) for row in reached]
            assert found == expected(snapshot, name, depth, most)


def test_steps_behind_many_to_direct_relations_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The six strongest steps of S lead to relations of Q, and the seventh to X."""
    monkeypatch.setattr(module, "_READ_MIN", 1)
    rows = [f"[[S]] [[{near}]]" for near in "abcdef" for _ in range(2)]
    rows += [f"[[Q]] [[{near}]]" for near in "abcdefSS"] + ["[[S]] [[X]]"]
    snapshot = engine_of({f"{n}.md": row for n, row in enumerate(rows)}).snapshot
    concept = snapshot.graph.concept_id("q")
    assert concept is not None
    origin = Origin(concept, snapshot.neighbours(concept, NOW_S))
    (reached,) = finished(expand(snapshot, NOW_S, origin, 2, 1))
    assert reached.names == ("s", "x")


def test_the_steps_from_a_hub_are_found_once_for_many_expansions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All neighbours of the hub do not fit the cache, but its strongest do."""
    monkeypatch.setattr(cache, "CACHED_BYTES_MAX", 20_000)
    monkeypatch.setattr(cache, "FIRST_STEPS", 100)
    rows = [f"[[hub]] [[leaf {n}]]" for n in (*range(2_000), *range(20))]
    rows += [f"[[origin {n}]] [[hub]]" for n in range(5)] * 2
    snapshot = engine_of({f"{n}.md": row for n, row in enumerate(rows)}).snapshot
    counted: list[int] = []

    def count(graph: ConceptGraph, concept: int) -> RowsWith:
        counted.append(concept)
        return found(graph, concept)

    found = ConceptGraph.rows_with
    monkeypatch.setattr(ConceptGraph, "rows_with", count)
    for n in range(5):
        concept = snapshot.graph.concept_id(f"origin-{n}")
        assert concept is not None
        origin = Origin(concept, snapshot.neighbours(concept, NOW_S))
        assert len(finished(expand(snapshot, NOW_S, origin, 2, 20))) == 20
    assert counted.count(snapshot.graph.concept_id("hub") or 0) == 1


def test_the_strongest_neighbours_are_the_same_in_slices() -> None:
    """Most are tied, and their names are in another order than their ids."""
    numbers = random.Random(7).sample(range(700), 700)
    notes = {f"{at}.md": f"[[hub]] [[c{at}]]" for at in numbers}
    notes |= {f"again {at}.md": f"[[hub]] [[c{at}]]" for at in numbers[600:]}
    snapshot = engine_of(notes).snapshot
    hub = snapshot.graph.concept_id("hub")
    assert hub is not None
    neighbours = snapshot.neighbours(hub, NOW_S)
    by_name = sorted((-(at in numbers[600:]), f"c{at}") for at in numbers)
    for count in (0, 1, 99, 100, 101, 299, 700, 1_000):
        ranked = finished(strongest_in_slices(snapshot.graph, neighbours, count))
        assert ranked == strongest(snapshot.graph, neighbours, count)
        assert [name for *_, name, _ in ranked] == [name for _, name in by_name[:count]]
