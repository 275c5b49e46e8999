"""Paths between concepts, compared with a search that tries every path."""

from collections.abc import Mapping
from itertools import combinations, pairwise, permutations
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from clew.engine.caches import neighbours as neighbour_cache
from clew.engine.settings import EngineSettings
from clew.engine.snapshot import Snapshot
from clew.index.graph import ConceptGraph, RowsWith
from clew.index.graph_rows import Neighbours, neighbours, neighbours_beside
from clew.query.graph import goal_bounds, paths
from clew.query.graph.paths import path
from clew.query.graph.two_steps import concept_between
from clew.query.slices import finished
from clew.values.replies import PathReply
from clew.values.requests import PathRequest
from clew.values.vault import Batch
from tests.counted import counted
from tests.examples import examples
from tests.vaults import NOW_S, engine_of, read_note, snapshot_of

WORDS = "abcdef"


def ask(snapshot: Snapshot, start: str, goal: str, max_hops: int = 6) -> PathReply:
    return finished(path(snapshot, PathRequest(from_=start, to=goal, max_hops=max_hops), NOW_S))


def test_a_path_lists_the_notes_of_each_step() -> None:
    snapshot = snapshot_of({"1.md": "[[A]] [[B]]", "2.md": "[[B]] [[C]]"})
    (found,) = ask(snapshot, "a", "C").paths
    assert found.concepts == ("a", "b", "c")
    assert [edge.files for edge in found.edges] == [("memory://1.md",), ("memory://2.md",)]


def test_the_twenty_newest_notes_of_a_step_are_named() -> None:
    engine = engine_of({})
    notes = (read_note(f"{age}.md", "[[x]] [[y]]", NOW_S - age) for age in range(21))
    engine.apply(Batch(put=tuple(notes)))
    (edge,) = ask(engine.snapshot, "x", "y").paths[0].edges
    assert edge.files == tuple(f"memory://{age}.md" for age in range(20))


def test_unconnected_or_unknown_concepts_have_no_path() -> None:
    snapshot = snapshot_of({"1.md": "[[A]] [[B]]", "2.md": "[[C]] [[D]]"})
    assert ask(snapshot, "A", "D").paths == ()
    assert ask(snapshot, "A", "nobody").paths == ()


def test_two_names_of_one_concept_have_a_path_without_a_step() -> None:
    snapshot = snapshot_of({"tide.md": "---\naliases: [HA]\n---\n[[B]]", "1.md": "[[tide]] [[B]]"})
    (found,) = ask(snapshot, "HA", "Tide").paths
    assert (found.concepts, found.edges, found.score) == (("tide",), (), 1.0)


def test_hops_are_bounded() -> None:
    steps = {f"{n}.md": f"[[c{n}]] [[c{n + 1}]]" for n in range(8)}
    snapshot = snapshot_of(steps)
    assert ask(snapshot, "c0", "c6").paths[0].concepts[-1] == "c6"
    assert ask(snapshot, "c0", "c7").paths == ()
    assert len(ask(snapshot, "c0", "c7", max_hops=7).paths) == 1


def notes_of(rows: Mapping[str, int]) -> dict[str, str]:
    """Return notes with a link for each letter of a row, and as many notes per row as its count."""
    return {
        f"{row} {number}.md": " ".join(f"[[{letter}]]" for letter in row)
        for row, count in rows.items()
        for number in range(count)
    }


def test_longer_paths_to_a_concept_do_not_hide_a_shorter_one() -> None:
    """Three strong paths of three steps reach x with no hops left; the weak step leaves some."""
    rows = {"sp": 50, "pa": 9, "pb": 9, "pc": 9, "ax": 9, "bx": 9, "cx": 9, "sx": 1}
    snapshot = snapshot_of(notes_of({**rows, "xy": 1, "yz": 1, "zg": 1}))
    (found,) = ask(snapshot, "s", "g", max_hops=5).paths
    assert found.concepts == ("s", "x", "y", "z", "g")


def test_weaker_paths_to_a_concept_do_not_hide_a_longer_one() -> None:
    """Three weak short paths to x are tried before the strong one, as y is nearer to the goal."""
    rows = {"sa": 9, "ab": 9, "bx": 9, "sx": 1, "sc": 1, "cx": 1, "sd": 1, "dx": 1}
    snapshot = snapshot_of(notes_of({**rows, "xg": 1, "yg": 1}))
    found, *_ = ask(snapshot, "s", "g", max_hops=4).paths
    assert found.concepts == ("s", "a", "b", "x", "g")


def every_path(
    snapshot: Snapshot, start: str, goal: str, max_hops: int, listing_from: int = 100
) -> list[float]:
    """Return the three best scores of paths without steps that only lists carry.

    ``listing_from``: lists have at least as many concepts.
    """
    graph, weights = snapshot.graph, snapshot.neighbour_cache.step_weights(NOW_S)
    joined = {
        pair
        for row in map(graph.row, graph.note_ids)
        if len(row) < listing_from
        for pair in permutations(row, 2)
    }
    shares: dict[tuple[str, str], float] = {}
    for name in graph.concepts():
        concept = graph.concept_id(name)
        assert concept is not None
        around = neighbours(graph.rows_with(concept), weights)
        for other, score in zip(around.ids.tolist(), around.scores.tolist(), strict=True):
            if (name, graph.name(other)) in joined:
                shares[name, graph.name(other)] = score / around.strength
    between = [name for name in graph.concepts() if name not in (start, goal)]
    scores = []
    for length in range(min(max_hops, len(between) + 1)):
        for middle in permutations(between, length):
            steps = (start, *middle, goal)
            score = 1.0
            for step in pairwise(steps):
                score *= shares.get(step, 0.0)
            if score > 0.0:
                scores.append(score)
    return sorted(scores, reverse=True)[:3]


@pytest.fixture(params=[(1, 1_024), (2, 1), (goal_bounds.SETTLED_MAX, 2)])
def settled_max(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the search from the goal stop early, and let hubs have few first steps."""
    settled, first = request.param
    monkeypatch.setattr(goal_bounds, "SETTLED_MAX", settled)
    monkeypatch.setattr(neighbour_cache, "FIRST_STEPS", first)


ROWS = st.lists(st.lists(st.sampled_from(WORDS), min_size=2, max_size=3), min_size=1, max_size=8)


def snapshot_with(rows: list[list[str]], broad_from: int = 32) -> Snapshot:
    notes = {f"{n}.md": " ".join(f"[[{word}]]" for word in row) for n, row in enumerate(rows)}
    return engine_of(notes, settings=EngineSettings(broad_from=broad_from)).snapshot


@pytest.mark.usefixtures("settled_max")
@examples(120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROWS, st.integers(1, 5))
def test_the_best_three_equal_those_of_trying_every_path(rows: list[list[str]], hops: int) -> None:
    snapshot, start, goal = snapshot_with(rows), rows[0][0], rows[-1][-1]
    if start != goal:
        reply = ask(snapshot, start, goal, hops)
        found = [path.score for path in reply.paths]
        assert found == pytest.approx(every_path(snapshot, start, goal, hops), abs=2e-6)
        assert not reply.truncated


@pytest.mark.usefixtures("settled_max")
@examples(120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROWS, st.integers(1, 5))
def test_lists_carry_a_step_only_where_no_other_path_exists(
    rows: list[list[str]], hops: int
) -> None:
    """Notes of three concepts are lists here."""
    snapshot, start, goal = snapshot_with(rows, broad_from=4), rows[0][0], rows[-1][-1]
    if start != goal:
        reply = ask(snapshot, start, goal, hops)
        expected = every_path(snapshot, start, goal, hops, listing_from=3)
        expected = expected or every_path(snapshot, start, goal, hops)
        assert [path.score for path in reply.paths] == pytest.approx(expected, abs=2e-6)
        assert not reply.truncated


@pytest.mark.usefixtures("settled_max")
@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROWS)
def test_no_path_to_the_goal_exceeds_its_bound(rows: list[list[str]]) -> None:
    snapshot, goal = snapshot_with(rows), rows[0][0]
    goal_id = snapshot.graph.concept_id(goal)
    assert goal_id is not None
    best, direct = (
        {
            snapshot.graph.concept_id(start): max(
                every_path(snapshot, start, goal, hops), default=0.0
            )
            for start in snapshot.graph.concepts()
            if start != goal
        }
        for hops in (len(WORDS), 1)
    )
    for origin in best:
        assert origin is not None
        ends = origin, goal_id  # the search stops early once it has settled the origin
        found = finished(goal_bounds.goal_bounds(snapshot, NOW_S, ends, snapshot.steps))
        for start in best:
            assert found.bounds[start] >= best[start]
            assert found.shares[start] == pytest.approx(direct[start])


@examples(120)
@given(ROWS, st.sampled_from([4, 32]))
def test_the_best_path_of_two_steps_is_the_best_of_all(
    rows: list[list[str]], broad_from: int
) -> None:
    """Notes of three concepts are lists if ``broad_from`` is 4."""
    snapshot, start, goal = snapshot_with(rows, broad_from), rows[0][0], rows[-1][-1]
    first, last = map(snapshot.graph.concept_id, (start, goal))
    assert first is not None
    assert last is not None
    if first == last or last in snapshot.neighbours(first, NOW_S).ids:
        return
    between = concept_between(snapshot, first, last, NOW_S)
    expected = every_path(snapshot, start, goal, 2, listing_from=3 if broad_from == 4 else 100)
    assert (between is not None) == bool(expected)
    if between is not None:
        (best, *_) = ask(snapshot, start, goal, 2).paths
        assert best.concepts == (start, snapshot.graph.name(between), goal)


def test_two_steps_over_a_hub_are_worth_less() -> None:
    over = {
        f"{name} {end}.md": f"[[{name}]] [[{end}]]" for name in ("hub", "small") for end in "sg"
    }
    snapshot = snapshot_of({**over, **{f"{n}.md": f"[[hub]] [[x{n}]]" for n in range(3)}})
    start, goal = map(snapshot.graph.concept_id, "sg")
    assert start is not None
    assert goal is not None
    between = concept_between(snapshot, start, goal, NOW_S)
    assert between == snapshot.graph.concept_id("small")


@pytest.mark.parametrize("limit", ["PARTIAL_PATHS_MAX", "WORK_MAX"])
def test_a_search_that_is_cut_short_says_so(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [f"{first}{second}" for first, second in combinations("sabcdefg", 2) if first != "s"]
    snapshot = snapshot_of(notes_of({**dict.fromkeys(rows, 1), "sa": 1, "sb": 1, "sc": 1}))
    assert not ask(snapshot, "s", "g").truncated
    monkeypatch.setattr(paths, limit, 1)
    assert ask(snapshot, "s", "g").truncated


def test_a_search_that_leaves_out_worse_paths_alone_is_not_cut_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    good = [f"s{middle}" for middle in "abc"] + [f"{middle}g" for middle in "abc"]
    far = ["sd", *(f"d{n}" for n in range(6)), "de", "eg"]
    snapshot = snapshot_of(notes_of({**dict.fromkeys(good, 9), **dict.fromkeys(far, 1)}))
    monkeypatch.setattr(paths, "PARTIAL_PATHS_MAX", 4)
    reply = ask(snapshot, "s", "g")
    assert [each.concepts[1] for each in reply.paths] == ["a", "b", "c"]
    assert not reply.truncated


def test_paths_over_lists_are_marked_where_a_search_beside_lists_was_cut_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A path of five steps beside lists may exist; the three over lists are found at once."""
    notes = {f"{n}.md": f"[[{a}]] [[{b}]]" for n, (a, b) in enumerate(pairwise("sijklmnog"))}
    notes |= {f"list {x}.md": f"[[s]] [[g]] [[{x}]]" for x in "xy"}
    engine = engine_of(notes, settings=EngineSettings(broad_from=4))
    assert ask(engine.snapshot, "s", "g", 12).paths[0].concepts == tuple("sijklmnog")
    monkeypatch.setattr(paths, "PARTIAL_PATHS_MAX", 3)
    reply = ask(engine.snapshot, "s", "g", 12)
    assert [each.concepts for each in reply.paths] == [("s", "g"), ("s", "x", "g"), ("s", "y", "g")]
    assert reply.truncated


def test_the_work_limit_is_higher_until_a_path_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = snapshot_of({f"{n}.md": f"[[c{n}]] [[c{n + 1}]]" for n in range(5)})
    monkeypatch.setattr(paths, "WORK_MAX", 12)
    assert len(ask(snapshot, "c0", "c5").paths) == 1
    monkeypatch.setattr(paths, "_PATIENCE", 1)
    assert ask(snapshot, "c0", "c5").paths == ()


def test_the_rows_of_all_notes_are_read_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of 100,000 notes would keep other requests waiting."""
    snapshot = snapshot_of({f"{n}.md": f"[[c{n}]] [[c{n + 1}]]" for n in range(5)})
    monkeypatch.setattr(neighbour_cache, "NOTES_AT_ONCE", 2)
    read = counted(monkeypatch, ConceptGraph, "concepts_of_notes")
    assert len(ask(snapshot, "c0", "c5").paths) == 1
    assert max(len(notes) for _, notes in read) == 2


def test_the_rows_of_a_hub_are_read_in_a_step_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """To find all steps from one of 100,000 notes at once would keep other requests waiting."""
    snapshot = snapshot_of({f"{n}.md": f"[[hub]] [[c{n}]]" for n in range(5)})
    monkeypatch.setattr(neighbour_cache, "NOTES_AT_ONCE", 2)
    ranked: list[int] = []
    read, hub = counted(monkeypatch, ConceptGraph, "rows_with"), snapshot.graph.concept_id("hub")
    rank = neighbours_beside

    def noted(rows: RowsWith, *given: Any) -> Neighbours:
        ranked.append(rows.concept)
        return rank(rows, *given)

    monkeypatch.setattr(neighbour_cache, "neighbours_beside", noted)
    request = PathRequest(from_="c0", to="c4")
    states = [
        ((snapshot.graph, hub) in read, hub in ranked) for _ in path(snapshot, request, NOW_S)
    ]
    assert (True, False) in states
    reads = len(read)
    list(path(snapshot, request, NOW_S))
    assert len(read) == reads


def test_concepts_far_from_the_goal_are_not_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the start is settled: here, all of a chain that begins at the goal."""
    notes = {f"{n}.md": f"[[c{n}]] [[c{n + 1}]]" for n in range(20)}
    snapshot = snapshot_of({**notes, "start.md": "[[start]] [[c0]]"})
    found = counted(monkeypatch, ConceptGraph, "rows_with")
    assert ask(snapshot, "start", "c0").paths[0].concepts == ("start", "c0")
    assert len(found) < 10


def test_first_steps_are_taken_from_all_steps_where_these_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    snapshot = snapshot_of({f"{n}.md": f"[[hub]] [[c{n}]]" for n in range(5)})
    monkeypatch.setattr(neighbour_cache, "FIRST_STEPS", 2)
    hub = snapshot.graph.concept_id("hub")
    assert hub is not None
    every = snapshot.steps_beside_lists(hub, NOW_S)
    found = counted(monkeypatch, neighbour_cache, "neighbours_beside")
    first = snapshot.first_steps_beside_lists(hub, NOW_S)
    assert (len(every.ids), len(first.ids), found) == (5, 2, [])
