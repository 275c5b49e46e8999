"""Communities from notes: a function of the notes, with ids that outlast edits."""

import os
import random
from collections.abc import Mapping
from itertools import combinations
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from clew.engine.communities.partition import (
    FIRST_ID,
    Remembered,
    Rows,
    digest_of,
    job_for,
    rows_of,
    unpack_job,
    unpack_remembered,
)
from clew.engine.communities.partition_job import BRIDGES_MAX, CENTRAL_MAX, divided
from clew.index.graph import ConceptGraph
from clew.values.communities import EdgeWeights
from clew.values.packing import pack

LONG = bool(os.environ.get("CLEW_LONG"))
SOME = settings(max_examples=200 if LONG else 40, deadline=None)

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
    return rows_of(graph, weights, most)[0]


def found(graph: ConceptGraph, before: Remembered, weights: EdgeWeights) -> Remembered:
    """Return the communities of a graph, sent to whoever finds them and back."""
    job = unpack_job(pack(job_for(rows(graph, weights), before)))
    return unpack_remembered(pack(divided(job)))


def groups_of(remembered: Remembered) -> dict[int, frozenset[str]]:
    return {row.id: frozenset(row.members) for row in remembered.partition.communities}


def roundabout(notes: Notes, chance: random.Random) -> ConceptGraph:
    """Return the graph of ``notes`` after edits in some order, most of them undone later."""
    graph = ConceptGraph()
    for _ in range(chance.randrange(12)):
        path, row = chance.choice(PATHS), chance.sample(NAMES, chance.randint(0, 5))
        graph.put(path, dict.fromkeys(row, chance.randint(1, 3)))
        if chance.random() < 0.3:
            graph.drop(chance.choice(PATHS))
    for path in chance.sample(PATHS, len(PATHS)):
        if path not in notes:
            graph.drop(path)
        elif chance.random() < 0.3:  # it gets there by a rename
            graph.put("elsewhere.md", dict.fromkeys(notes[path], 1))
            graph.drop("elsewhere.md")
            graph.drop(path)
    for path, concepts in chance.sample(list(notes.items()), len(notes)):
        shuffled = chance.sample(sorted(concepts), len(concepts))
        graph.put(path, dict.fromkeys(shuffled, chance.randint(1, 3)))
    return graph


@SOME
@given(NOTES, KINDS, st.randoms(use_true_random=False))
def test_the_order_of_edits_never_shows(
    notes: Notes, weights: EdgeWeights, chance: random.Random
) -> None:
    direct, other = graph_of(notes), roundabout(notes, chance)
    assert rows_of(direct, weights, 3) == rows_of(other, weights, 3)
    assert found(direct, Remembered(), weights) == found(other, Remembered(), weights)


@SOME
@given(NOTES, NOTES, st.integers(2, 5))
def test_a_digest_tells_rows_apart(one: Notes, other: Notes, most: int) -> None:
    first, second = rows(graph_of(one), most=most), rows(graph_of(other), most=most)
    assert (digest_of(first) == digest_of(second)) == (first == second)
    assert digest_of(rows(graph_of(one), EdgeWeights.RAW, most)) != digest_of(first)


def test_a_digest_is_of_the_whole_row() -> None:
    """The same concepts in rows of other lengths are other rows."""
    one = rows(graph_of({"1.md": {"a", "b"}, "2.md": {"c", "d"}}))
    other = rows(graph_of({"1.md": {"a", "b", "c"}, "2.md": {"d"}}))
    assert digest_of(one) != digest_of(other)


@given(NOTES, st.integers(2, 5), KINDS)
def test_notes_of_too_many_concepts_are_left_out_and_named(
    notes: Notes, most: int, weights: EdgeWeights
) -> None:
    kept, left_out = rows_of(graph_of(notes), weights, most)
    assert left_out == tuple(sorted(path for path, row in notes.items() if len(row) > most))
    short = {path: row for path, row in notes.items() if len(row) <= most}
    partition = divided(job_for(kept, Remembered())).partition
    assert partition == divided(job_for(rows(graph_of(short), weights), Remembered())).partition


@SOME
@given(NOTES, KINDS)
def test_a_community_tells_who_is_in_it_and_who_matters(notes: Notes, kind: EdgeWeights) -> None:
    partition = found(graph_of(notes), Remembered(), kind).partition
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


def test_a_partition_tells_its_modularity() -> None:
    notes = {f"{n}.md": set(pair) for n, pair in enumerate(["ab", "bc", "ac", "xy", "yz", "xz"])}
    partition = divided(job_for(rows(graph_of(notes)), Remembered())).partition
    assert [row.members for row in partition.communities] == [("a", "b", "c"), ("x", "y", "z")]
    assert partition.modularity == pytest.approx(0.5)


def test_without_edges_there_are_none_and_ids_go_on() -> None:
    before = found(graph_of({"1.md": {"a", "b"}}), Remembered(), EdgeWeights.SHARED)
    assert (list(groups_of(before)), before.next_id) == ([FIRST_ID], FIRST_ID + 1)
    empty = found(graph_of({"1.md": {"a"}}), before, EdgeWeights.SHARED)
    assert (groups_of(empty), empty.next_id) == ({}, FIRST_ID + 1)
    after = found(graph_of({"1.md": {"a", "b"}}), empty, EdgeWeights.SHARED)
    assert list(groups_of(after)) == [FIRST_ID + 1]


class IdMachine(RuleBasedStateMachine):
    """Whatever is edited, a community that stays much the same stays known by its id."""

    def __init__(self) -> None:
        super().__init__()
        self.graph = graph_of({"0.md": {"c0", "c1", "c2"}, "1.md": {"c3", "c4"}})
        self.now = found(self.graph, Remembered(), EdgeWeights.SHARED)
        self.before = self.now
        self.ever: set[int] = set(groups_of(self.now))

    @rule(path=st.sampled_from(PATHS), row=ROW)
    def put(self, path: str, row: set[str]) -> None:
        self.graph.put(path, dict.fromkeys(row, 1))

    @rule(path=st.sampled_from(PATHS))
    def drop(self, path: str) -> None:
        self.graph.drop(path)

    @rule(weights=KINDS)
    def divide(self, weights: EdgeWeights) -> None:
        self.ever |= set(groups_of(self.now))
        self.before, self.now = self.now, found(self.graph, self.now, weights)

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


IdMachine.TestCase.settings = settings(
    max_examples=80 if LONG else 25, stateful_step_count=20, deadline=None
)
test_ids_outlast_edits = IdMachine.TestCase
