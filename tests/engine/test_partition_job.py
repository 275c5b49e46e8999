"""The partition job: equal notes give equal communities, whose ids outlast edits."""

import random
from collections.abc import Mapping
from itertools import combinations
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from clew.engine.communities.partition_job import (
    FIRST_ID,
    Rows,
    SavedCommunities,
    new_job,
    rows_digest,
    rows_to_partition,
    unpack_job,
    unpack_saved_communities,
)
from clew.engine.communities.run_partition import BRIDGES_MAX, CENTRAL_MAX, run_job
from clew.index.graph import ConceptGraph
from clew.values.communities import EdgeWeights
from clew.values.packing import pack
from tests.examples import examples

SOME = examples(40, long=200)

Notes: TypeAlias = dict[str, set[str]]

NAMES = [f"c{n}" for n in range(12)]
PATHS = [f"{n}.md" for n in range(10)]
ROW = st.sets(st.sampled_from(NAMES), min_size=1, max_size=5)
NOTES = st.dictionaries(st.sampled_from(PATHS), ROW, min_size=1)
KINDS = st.sampled_from(EdgeWeights)


def graph_of(notes: Mapping[str, set[str]]) -> ConceptGraph:
    graph = ConceptGraph()
    for path, row in notes.items():
        graph.put(path, dict.fromkeys(sorted(row), 1))
    return graph


def rows(graph: ConceptGraph, weights: EdgeWeights = EdgeWeights.SHARED, most: int = 256) -> Rows:
    return rows_to_partition(graph, weights, most)[0]


def partitioned(
    graph: ConceptGraph, before: SavedCommunities, weights: EdgeWeights
) -> SavedCommunities:
    """Return the communities of a graph; job and result are packed and unpacked on the way."""
    job = unpack_job(pack(new_job(rows(graph, weights), before)))
    return unpack_saved_communities(pack(run_job(job)))


def groups_of(remembered: SavedCommunities) -> dict[int, frozenset[str]]:
    return {row.id: frozenset(row.members) for row in remembered.partition.communities}


def graph_after_edits(notes: Notes, chance: random.Random) -> ConceptGraph:
    """Return the graph of ``notes`` after random edits, which later edits undo."""
    graph = ConceptGraph()
    for _ in range(chance.randrange(12)):
        path, row = chance.choice(PATHS), chance.sample(NAMES, chance.randint(0, 5))
        graph.put(path, dict.fromkeys(row, chance.randint(1, 3)))
        if chance.random() < 0.3:
            graph.drop(chance.choice(PATHS))
    for path in chance.sample(PATHS, len(PATHS)):
        if path not in notes:
            graph.drop(path)
        elif chance.random() < 0.3:  # A rename of another note creates it.
            graph.put("elsewhere.md", dict.fromkeys(notes[path], 1))
            graph.drop("elsewhere.md")
            graph.drop(path)
    for path, concepts in chance.sample(list(notes.items()), len(notes)):
        shuffled = chance.sample(sorted(concepts), len(concepts))
        graph.put(path, dict.fromkeys(shuffled, chance.randint(1, 3)))
    return graph


@SOME
@given(NOTES, KINDS, st.randoms(use_true_random=False))
def test_the_order_of_edits_changes_nothing(
    notes: Notes, weights: EdgeWeights, chance: random.Random
) -> None:
    direct, other = graph_of(notes), graph_after_edits(notes, chance)
    assert rows_to_partition(direct, weights, 3) == rows_to_partition(other, weights, 3)
    assert partitioned(direct, SavedCommunities(), weights) == partitioned(
        other, SavedCommunities(), weights
    )


@SOME
@given(NOTES, NOTES, st.integers(2, 5))
def test_digests_are_equal_exactly_if_rows_are(one: Notes, other: Notes, most: int) -> None:
    first, second = rows(graph_of(one), most=most), rows(graph_of(other), most=most)
    assert (rows_digest(first) == rows_digest(second)) == (first == second)
    assert rows_digest(rows(graph_of(one), EdgeWeights.RAW, most)) != rows_digest(first)


def test_a_digest_depends_on_the_lengths_of_rows() -> None:
    one = rows(graph_of({"1.md": {"a", "b"}, "2.md": {"c", "d"}}))
    other = rows(graph_of({"1.md": {"a", "b", "c"}, "2.md": {"d"}}))
    assert rows_digest(one) != rows_digest(other)


@given(NOTES, st.integers(2, 5), KINDS)
def test_notes_with_too_many_concepts_are_left_out_and_listed(
    notes: Notes, most: int, weights: EdgeWeights
) -> None:
    kept, left_out = rows_to_partition(graph_of(notes), weights, most)
    assert left_out == tuple(sorted(path for path, row in notes.items() if len(row) > most))
    short = {path: row for path, row in notes.items() if len(row) <= most}
    partition = run_job(new_job(kept, SavedCommunities())).partition
    assert (
        partition == run_job(new_job(rows(graph_of(short), weights), SavedCommunities())).partition
    )


@SOME
@given(NOTES, KINDS)
def test_a_community_lists_members_central_concepts_and_bridges(
    notes: Notes, kind: EdgeWeights
) -> None:
    partition = partitioned(graph_of(notes), SavedCommunities(), kind).partition
    strength: dict[tuple[str, bool], int] = {}  # exact: shares are of 2**-32
    home = {name: row.id for row in partition.communities for name in row.members}
    for row in notes.values():
        share = round(2**32 / max(1, len(row) - 1)) if kind is EdgeWeights.SHARED else 1
        for one, other in (pair for both in combinations(row, 2) for pair in (both, both[::-1])):
            key = one, home[one] == home[other]
            strength[key] = strength.get(key, 0) + share
    assert home.keys() == {name for name, _ in strength}
    assert len(home) == sum(len(row.members) for row in partition.communities)
    order = [(-len(row.members), row.members[0]) for row in partition.communities]
    assert order == sorted(order)
    for community in partition.communities:
        assert list(community.members) == sorted(community.members)
        assert community.label == community.central[:3]
        for shown, most, is_within in (
            (community.central, CENTRAL_MAX, True),
            (community.bridges, BRIDGES_MAX, False),
        ):
            strong = [name for name in community.members if strength.get((name, is_within), 0) > 0]
            ranked = sorted(strong, key=lambda name: (-strength[name, is_within], name))
            assert list(shown) == ranked[:most]


def test_a_partition_has_its_modularity() -> None:
    notes = {f"{n}.md": set(pair) for n, pair in enumerate(["ab", "bc", "ac", "xy", "yz", "xz"])}
    partition = run_job(new_job(rows(graph_of(notes)), SavedCommunities())).partition
    assert [row.members for row in partition.communities] == [("a", "b", "c"), ("x", "y", "z")]
    assert partition.modularity == pytest.approx(0.5)


def test_no_edges_give_no_communities_and_never_reuse_an_id() -> None:
    before = partitioned(graph_of({"1.md": {"a", "b"}}), SavedCommunities(), EdgeWeights.SHARED)
    assert (list(groups_of(before)), before.next_id) == ([FIRST_ID], FIRST_ID + 1)
    empty = partitioned(graph_of({"1.md": {"a"}}), before, EdgeWeights.SHARED)
    assert (groups_of(empty), empty.next_id) == ({}, FIRST_ID + 1)
    after = partitioned(graph_of({"1.md": {"a", "b"}}), empty, EdgeWeights.SHARED)
    assert list(groups_of(after)) == [FIRST_ID + 1]


class IdMachine(RuleBasedStateMachine):
    """A community takes the id of the one earlier community it resembles (Jaccard 0.3)."""

    def __init__(self) -> None:
        super().__init__()
        self.graph = graph_of({"0.md": {"c0", "c1", "c2"}, "1.md": {"c3", "c4"}})
        self.now = partitioned(self.graph, SavedCommunities(), EdgeWeights.SHARED)
        self.before = self.now
        self.ever: set[int] = set(groups_of(self.now))

    @rule(path=st.sampled_from(PATHS), row=ROW)
    def put(self, path: str, row: set[str]) -> None:
        self.graph.put(path, dict.fromkeys(row, 1))

    @rule(path=st.sampled_from(PATHS))
    def drop(self, path: str) -> None:
        self.graph.drop(path)

    @rule(weights=KINDS)
    def partition(self, weights: EdgeWeights) -> None:
        self.ever |= set(groups_of(self.now))
        self.before, self.now = self.now, partitioned(self.graph, self.now, weights)

    @invariant()
    def ids_outlast_edits(self) -> None:
        before, now = groups_of(self.before), groups_of(self.now)
        assert len(now) == len(self.now.partition.communities)
        assert all(one.isdisjoint(other) for one, other in combinations(now.values(), 2))
        assert not (now.keys() - before.keys()) & (self.ever - before.keys())
        assert self.now.next_id >= max([self.before.next_id, *(known + 1 for known in now)])
        claims = [
            (known, new)
            for known, members in before.items()
            for new, others in now.items()
            if 10 * len(members & others) >= 3 * len(members | others)
        ]
        for known, new in claims:
            rivals = [pair for pair in claims if pair[0] == known or pair[1] == new]
            assert known == new or len(rivals) > 1
        assert {(known, known) for known in before.keys() & now.keys()} <= set(claims)


IdMachine.TestCase.settings = examples(25, long=80, stateful_step_count=20)
test_ids_outlast_edits = IdMachine.TestCase
