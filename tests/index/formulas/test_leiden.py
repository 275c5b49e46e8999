"""Communities compared with their definitions, computed in fractions."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias

import igraph
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.formulas import community_edges as edges_module
from clew.index.formulas.community_edges import Edges, community_edges
from clew.index.formulas.leiden import NO_COMMUNITY, partition
from clew.index.formulas.weighted_rows import strengths, weighted_rows
from clew.index.structures import pair_sums
from clew.values.communities import EdgeWeights
from tests.edge_rows import modularity, rows_of
from tests.examples import examples
from tests.tables import for_each_row

MANY = examples(100, long=500)
SOME = examples(40, long=250)  # each example partitions a graph

Pair: TypeAlias = tuple[int, int]

VERTICES = 8
ROWS = st.lists(st.sets(st.integers(0, VERTICES - 1), min_size=1).map(sorted), max_size=10)
WEIGHTS = st.sampled_from([0.25, 0.5, 1.0, 1.0, 2.0, 3.0, 10.0])
GRAPHS = st.dictionaries(
    st.sampled_from(list(combinations(range(VERTICES), 2))), WEIGHTS, min_size=1
)
KINDS = pytest.mark.parametrize("kind", list(EdgeWeights))


def edges_of(weights: Mapping[Pair, float], vertex_count: int = VERTICES) -> Edges:
    ordered = sorted(weights)
    return Edges(
        vertex_count,
        np.array([first for first, _ in ordered], dtype=np.int64),
        np.array([second for _, second in ordered], dtype=np.int64),
        np.array([weights[pair] for pair in ordered], dtype=np.float64),
    )


def weighed(
    rows: Sequence[Sequence[int]], kind: EdgeWeights, vertex_count: int = VERTICES
) -> Edges:
    cells = np.array([cell for row in rows for cell in row], dtype=np.int64)
    lengths = np.array(list(map(len, rows)), dtype=np.int64)
    return community_edges(weighted_rows(cells, lengths, vertex_count, kind))


def by_pair(edges: Edges) -> dict[Pair, float]:
    ends = zip(edges.first.tolist(), edges.second.tolist(), strict=True)
    return dict(zip(ends, edges.weights.tolist(), strict=True))


def clique(vertices: Iterable[int], weight: float) -> dict[Pair, float]:
    return dict.fromkeys(combinations(vertices, 2), weight)


def textbook(weights: Mapping[Pair, float], groups: Sequence[int]) -> Fraction:
    """Return modularity by its definition: over ordered pairs, weight minus expected weight."""
    twice = 2 * sum((Fraction(weight) for weight in weights.values()), Fraction(0))
    degrees: Counter[int] = Counter()
    for (first, second), weight in weights.items():
        degrees[first] += Fraction(weight)  # type: ignore[assignment]
        degrees[second] += Fraction(weight)  # type: ignore[assignment]
    total = Fraction(0)
    for one in degrees:
        for other in degrees:
            if groups[one] == groups[other]:
                weight = weights.get((min(one, other), max(one, other)), 0.0)
                total += (Fraction(weight) if one != other else 0) / twice
                total -= Fraction(degrees[one]) * Fraction(degrees[other]) / twice**2
    return total


# -- weights ------------------------------------------------------------------------------------


@KINDS
@MANY
@given(rows=ROWS)
def test_the_weight_of_an_edge_is_the_sum_over_its_rows(
    kind: EdgeWeights, rows: list[list[int]]
) -> None:
    """A row of k concepts adds 1 / (k - 1), or 1, to each pair; rounded to 32 binary places."""
    expected: dict[Pair, Fraction] = {}
    for row in rows:
        share = Fraction(1, len(row) - 1 if kind is EdgeWeights.SHARED else 1) if row[1:] else 0
        for pair in combinations(row, 2):
            expected[pair] = expected.get(pair, Fraction(0)) + share
    found = by_pair(weighed(rows, kind))
    assert list(found) == sorted(expected)
    for pair, weight in found.items():
        assert abs(Fraction(weight) - expected[pair]) <= Fraction(len(rows), 2**33)


@KINDS
@MANY
@given(rows=ROWS, chance=st.randoms(use_true_random=False), portion=st.integers(1, 40))
def test_edges_do_not_depend_on_the_order_of_rows_or_vertices(
    kind: EdgeWeights, rows: list[list[int]], chance: random.Random, portion: int
) -> None:
    expected = by_pair(weighed(rows, kind))
    shuffled = [chance.sample(row, len(row)) for row in rows]
    chance.shuffle(shuffled)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pair_sums, "_PAIRS_A_PORTION", portion)
        found = by_pair(weighed(shuffled, kind))
    assert found == expected
    assert list(found) == list(expected)


def test_a_row_adds_a_weight_of_one_to_each_of_its_vertices() -> None:
    long_row, pair = list(range(5)), [5, 6]
    shared = by_pair(weighed([long_row, pair], EdgeWeights.SHARED))
    assert shared == {**clique(long_row, 0.25), (5, 6): 1.0}
    raw = by_pair(weighed([long_row, pair], EdgeWeights.RAW))
    assert set(raw.values()) == {1.0}


# -- modularity ---------------------------------------------------------------------------------

TWO_K4 = clique(range(4), 10.0) | clique(range(4, 8), 10.0) | {(3, 4): 1.0}
TRIANGLE_AND_PAIR = clique(range(3), 5.0) | {(3, 4): 5.0}
TWO_TRIANGLES = clique(range(3), 5.0) | clique(range(3, 6), 5.0)


@for_each_row(
    ("weights", "groups", "expected"),
    [
        (TWO_K4, [0, 0, 0, 0, 1, 1, 1, 1], 0.491736),
        (TRIANGLE_AND_PAIR, [0, 0, 0, 1, 1], 0.375),
        (TWO_TRIANGLES, [0, 0, 0, 1, 1, 1], 0.5),
        (TWO_TRIANGLES, [0, 0, 0, 0, 0, 0], 0.0),
        (clique(range(4), 2.0), [0, 0, 0, 0], 0.0),
        ({}, [], 0.0),
    ],
)
def test_modularity_of_known_graphs(
    weights: dict[Pair, float], groups: list[int], expected: float
) -> None:
    edges = edges_of(weights, len(groups))
    assert modularity(edges, np.array(groups, dtype=np.int64)) == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize("weights", [TWO_K4, TRIANGLE_AND_PAIR, TWO_TRIANGLES])
def test_obvious_communities_are_found(weights: dict[Pair, float]) -> None:
    count = 1 + max(second for _, second in weights)
    found = partition(edges_of(weights, count)).tolist()
    half = 3 if weights is not TWO_K4 else 4
    assert found == [0] * half + [1] * (count - half)


@MANY
@given(GRAPHS, st.lists(st.integers(0, 3), min_size=VERTICES, max_size=VERTICES))
def test_modularity_is_the_double_sum(weights: dict[Pair, float], groups: list[int]) -> None:
    found = modularity(edges_of(weights), np.array(groups, dtype=np.int64))
    assert found == pytest.approx(float(textbook(weights, groups)), abs=1e-12)


# -- groups -------------------------------------------------------------------------------------


@SOME
@given(GRAPHS)
def test_a_partition_is_no_worse_than_simple_ones(weights: dict[Pair, float]) -> None:
    edges = edges_of(weights)
    found = modularity(edges, partition(edges)) + 1e-12
    assert found >= textbook(weights, [0] * VERTICES) == 0
    assert found >= textbook(weights, range(VERTICES))
    graph = igraph.Graph(n=VERTICES, edges=list(weights))
    greedy = graph.community_multilevel(weights=list(weights.values())).membership
    assert found >= textbook(weights, greedy)


@SOME
@given(GRAPHS)
def test_communities_are_numbered_by_size_then_first_vertex(weights: dict[Pair, float]) -> None:
    membership = partition(edges_of(weights)).tolist()
    joined = {vertex for pair in weights for vertex in pair}
    assert {vertex for vertex in range(VERTICES) if membership[vertex] != NO_COMMUNITY} == joined
    groups = [
        [vertex for vertex in range(VERTICES) if membership[vertex] == group]
        for group in range(max(membership) + 1)
    ]
    assert all(groups)
    assert groups == sorted(groups, key=lambda group: (-len(group), group[0]))


@SOME
@given(GRAPHS, st.sets(st.integers(0, VERTICES), max_size=4), st.integers(0, 3))
def test_a_partition_depends_on_the_edges_alone(
    weights: dict[Pair, float], gaps: set[int], more: int
) -> None:
    """Neither earlier runs nor vertices without edges have an effect."""
    before = partition(edges_of(weights)).tolist()
    moved = [vertex + sum(gap <= vertex for gap in gaps) for vertex in range(VERTICES)]
    count = VERTICES + len(gaps) + more
    wider = {(moved[first], moved[second]): weight for (first, second), weight in weights.items()}
    partition(edges_of(clique(range(6), 1.0)))
    after = partition(edges_of(wider, count)).tolist()
    assert [after[vertex] for vertex in moved] == before
    assert {after[vertex] for vertex in set(range(count)) - set(moved)} <= {NO_COMMUNITY}


def blurred(seed: int) -> list[list[int]]:
    """Return rows of 40 vertices that have many partitions almost as good as the best."""
    chance = random.Random(seed)
    return [chance.sample(range(40), chance.randint(2, 5)) for _ in range(45)]


@KINDS
def test_a_partition_does_not_depend_on_the_order_of_rows(kind: EdgeWeights) -> None:
    rows = blurred(5)
    expected = partition(weighed(rows, kind, 40)).tolist()
    for seed in range(5):
        random.Random(seed).shuffle(rows)
        assert partition(weighed(rows, kind, 40)).tolist() == expected


def test_the_partition_of_highest_modularity_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs = [weighed(blurred(seed), EdgeWeights.SHARED, 40) for seed in range(12)]
    best = [modularity(edges, partition(edges)) for edges in graphs]
    monkeypatch.setattr("clew.index.formulas.leiden._SEEDS_MAX", 1)
    first = [modularity(edges, partition(edges)) for edges in graphs]
    assert all(one <= other for one, other in zip(first, best, strict=True))
    assert first != best


@pytest.mark.parametrize("vertex_count", [0, 3])
def test_a_vertex_without_edges_is_in_no_community(vertex_count: int) -> None:
    edges = edges_of({}, vertex_count)
    assert partition(edges).tolist() == [NO_COMMUNITY] * vertex_count
    assert modularity(edges, partition(edges)) == 0.0


def test_a_large_graph_is_partitioned_as_well_as_a_small_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graphs = [weighed(blurred(seed), EdgeWeights.SHARED, 40) for seed in range(12)]
    graphs += map(edges_of, (TWO_K4, TWO_TRIANGLES, TRIANGLE_AND_PAIR))
    small = [modularity(edges, partition(edges)) for edges in graphs]
    monkeypatch.setattr("clew.index.formulas.leiden._WORK_MAX", 0)
    large = [partition(edges) for edges in graphs]
    reached = [modularity(edges, each) for edges, each in zip(graphs, large, strict=True)]
    assert sum(reached) >= sum(small) - 0.01 * len(graphs)  # small graphs have ten seeds
    assert reached[12:] == small[12:]
    # The result does not depend on what the generator of random numbers did before.
    again = [partition(edges) for edges in reversed(graphs)]
    assert [each.tolist() for each in reversed(again)] == [each.tolist() for each in large]


# -- samples of long rows -----------------------------------------------------------------------


def topical(count: int, length: int) -> list[list[int]]:
    """Return rows of 400 vertices: three of four are of one of eight topics."""
    chance = random.Random(length)
    rows = []
    for _ in range(count):
        topic = chance.randrange(8)
        inside = chance.sample(range(50 * topic, 50 * topic + 50), length * 3 // 4)
        rows.append(list({*inside, *chance.sample(range(400), length // 4)}))
    return rows


@pytest.fixture
def sampling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edges_module, "EXACT_PAIRS_MAX", 0)


@KINDS
@pytest.mark.usefixtures("sampling")
def test_a_sample_keeps_the_strength_of_each_vertex(kind: EdgeWeights) -> None:
    for length in (3, 24, 25, 26, 27, 60, 61, 256):
        edges = weighed([list(range(length))], kind, length)
        assert len(edges.first) == length * min(length - 1, edges_module.PARTNERS_MAX) // 2
        degrees = np.bincount(edges.first, edges.weights, length)
        degrees += np.bincount(edges.second, edges.weights, length)
        assert degrees == pytest.approx(length - 1 if kind is EdgeWeights.RAW else 1, abs=1e-7)
        assert np.all(edges.first < edges.second)
        graph = igraph.Graph(length, np.stack([edges.first, edges.second], axis=1))
        assert graph.is_connected()


@pytest.mark.usefixtures("sampling")
def test_a_sample_does_not_depend_on_the_order_of_rows_or_vertices() -> None:
    rows = topical(40, 60)
    expected = by_pair(weighed(rows, EdgeWeights.SHARED, 400))
    assert list(expected) == sorted(expected)
    chance = random.Random(3)
    shuffled = [chance.sample(row, len(row)) for row in chance.sample(rows, len(rows))]
    assert by_pair(weighed(shuffled, EdgeWeights.SHARED, 400)) == expected


def test_a_sample_is_taken_only_of_many_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    length = 60
    pair_count = length * (length - 1) // 2
    for pairs_max, edge_count in ((pair_count, pair_count), (pair_count - 1, 12 * length)):
        monkeypatch.setattr(edges_module, "EXACT_PAIRS_MAX", pairs_max)
        assert len(weighed([list(range(length))], EdgeWeights.SHARED, length).first) == edge_count


def test_a_sample_prefers_no_distance_between_names(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(5)
    rows = [sorted(chance.sample(range(400), 60)) for _ in range(400)]
    by_distance = []
    for pairs_max in (10**9, 0):
        monkeypatch.setattr(edges_module, "EXACT_PAIRS_MAX", pairs_max)
        edges = weighed(rows, EdgeWeights.SHARED, 400)
        by_distance.append(np.bincount((edges.second - edges.first) // 5, edges.weights)[:60])
    every, sample = by_distance
    assert sample == pytest.approx(every, rel=0.15)


def test_topics_are_found_in_a_sample_of_notes_of_one_length(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Half of each note is the same, as where notes are made from one template."""
    chance = random.Random(0)
    topics = [range(20 + 20 * topic, 40 + 20 * topic) for topic in range(20)]
    rows = [[*range(20), *chance.sample(chance.choice(topics), 10)] for _ in range(800)]
    edges = weighed(rows, EdgeWeights.SHARED, 420)
    monkeypatch.setattr(edges_module, "EXACT_PAIRS_MAX", 0)
    sample = weighed(rows, EdgeWeights.SHARED, 420)
    assert modularity(edges, partition(sample)) >= modularity(edges, partition(edges)) - 0.001


def test_a_long_note_is_not_divided_by_its_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the heaviest community, as many a list is with raw weights."""
    topics = [[400 + concept for concept in row] for row in topical(100, 24)]
    monkeypatch.setattr(edges_module, "EXACT_PAIRS_MAX", 0)
    found = partition(weighed([list(range(200)), *topics], EdgeWeights.RAW, 800))
    assert len(set(found[:200].tolist())) == 1


def test_communities_of_a_sample_are_as_good(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = topical(60, 60) + topical(200, 8)
    edges = weighed(rows, EdgeWeights.SHARED, 400)
    monkeypatch.setattr(edges_module, "EXACT_PAIRS_MAX", 0)
    sample = weighed(rows, EdgeWeights.SHARED, 400)
    assert len(sample.first) < 0.7 * len(edges.first)
    assert modularity(edges, partition(sample)) >= modularity(edges, partition(edges)) - 0.001


@MANY
@given(GRAPHS, st.lists(st.integers(0, 3), min_size=VERTICES, max_size=VERTICES))
def test_strengths_add_up_to_the_weight_of_a_vertex(
    weights: dict[Pair, float], groups: list[int]
) -> None:
    within, beyond = strengths(rows_of(edges_of(weights)), np.array(groups, dtype=np.int64))
    for vertex in range(VERTICES):
        inside, outside = 0.0, 0.0
        for pair, weight in weights.items():
            if vertex in pair and groups[pair[0]] == groups[pair[1]]:
                inside += weight
            elif vertex in pair:
                outside += weight
        assert (within[vertex], beyond[vertex]) == (inside, outside)


@KINDS
@MANY
@given(ROWS, st.lists(st.integers(0, 2), min_size=VERTICES, max_size=VERTICES))
def test_strengths_of_rows_are_those_of_their_edges(
    kind: EdgeWeights, rows: list[list[int]], groups: list[int]
) -> None:
    edges = weighed(rows, kind)
    joined = {*edges.first.tolist(), *edges.second.tolist()}
    alone = [vertex for vertex in range(VERTICES) if vertex not in joined]
    membership = np.array(groups, dtype=np.int64)
    membership[alone] = NO_COMMUNITY
    cells = np.array([cell for row in rows for cell in row], dtype=np.int64)
    lengths = np.array(list(map(len, rows)), dtype=np.int64)
    found = strengths(weighted_rows(cells, lengths, VERTICES, kind), membership)
    expected = strengths(rows_of(edges), membership)
    assert [each.tolist() for each in found] == [each.tolist() for each in expected]
