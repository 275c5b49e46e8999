"""The graph leg compared with dense matrices: spreading from notes and concepts, and hubs."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.engine.derived.nodes import MENTION_WEIGHT
from clew.engine.snapshot import Snapshot
from clew.index.structures.slot_scores import SlotScores
from clew.query.search.legs.spread import GOING_ON, SHARE_MIN, STEPS, linked_notes, spread
from clew.values.arrays import Float64Array
from tests.examples import examples
from tests.vaults import snapshot_of


def id_of(snapshot: Snapshot, path: str) -> int:
    found = snapshot.graph.note_id(path)
    assert found is not None
    return found


def adjacency(snapshot: Snapshot) -> Float64Array:
    """Return which nodes are linked: notes, and concepts that are not notes."""
    nodes, graph = snapshot.derived.nodes, snapshot.graph
    linked = np.zeros((nodes.count, nodes.count))
    for path in snapshot.entries:
        note = id_of(snapshot, path)
        for concept in graph.row(path):
            number = graph.concept_id(concept)
            assert number is not None
            owners = sorted(snapshot.paths_by_concept.get(concept, ()))
            node = id_of(snapshot, owners[0]) if owners else nodes.note_slots + number
            if node != note:
                linked[note, node] += 1
                linked[node, note] += 1
    return linked


def by_matrices(linked: Float64Array, seeds: Float64Array) -> Float64Array:
    """Return three steps of ``x = (1 - a) * seeds + a * D^-1/2 A D^-1/2 x``."""
    degrees = linked.sum(axis=1)
    root = np.sqrt(np.where(degrees > 0, degrees, 1.0))
    walk = linked / root[:, None] / root[None, :]
    x = seeds
    for _ in range(STEPS):
        x = (1 - GOING_ON) * seeds + GOING_ON * walk @ x
    return x


def spread_of(snapshot: Snapshot, seeds: Float64Array) -> Float64Array:
    senders = np.flatnonzero(seeds)
    nodes = snapshot.derived.nodes
    found = spread(snapshot.graph, nodes, SlotScores(senders, seeds[senders]))
    return by_node(found, nodes.count)


def by_node(found: SlotScores, count: int) -> Float64Array:
    mass = np.zeros(count)
    mass[found.slots] = found.scores
    return mass


def one_seed(snapshot: Snapshot, path: str) -> Float64Array:
    seeds = np.zeros(snapshot.derived.nodes.count)
    seeds[id_of(snapshot, path)] = 1.0
    return seeds


NAMES = st.sampled_from("abcdefg")  # used for notes and concepts
NOTES = st.dictionaries(NAMES.map("{}.md".format), st.lists(NAMES, max_size=4), min_size=1)


@examples(200)
@given(NOTES, st.integers(0, 9), st.booleans())
def test_spread_equals_the_matrix_formula(
    links: dict[str, list[str]], seed: int, are_merged: bool
) -> None:
    notes = {path: " ".join(f"[[{name}]]" for name in row) for path, row in links.items()}
    snapshot = snapshot_of(notes, '[merge]\na = ["b", "g"]\n' if are_merged else None)
    seeds = np.zeros(snapshot.derived.nodes.count)
    nodes = snapshot.derived.nodes
    places = [*range(len(notes)), *nodes.node_by_concept.tolist()]
    seeds[places[seed % len(places)]] = 0.5
    seeds[places[-1]] += 0.5
    found = spread_of(snapshot, seeds)
    assert found == pytest.approx(by_matrices(adjacency(snapshot), seeds), abs=1e-4)


def test_mass_goes_over_mentions_too_and_less_of_it() -> None:
    """One note names two others in its text, without a link."""
    notes = {
        "walk.md": "We saw the northern lights and the Quartz Cave. [[Blue Lagoon]]",
        "Northern lights.md": "[[Sky]]",
        "Quartz cave.md": "[[Blue Lagoon]]",
        "other.md": "[[Blue Lagoon]]",
    }
    snapshot = snapshot_of(notes)
    linked, walk = adjacency(snapshot), id_of(snapshot, "walk.md")
    for path in ("Northern lights.md", "Quartz cave.md"):
        mentioned = id_of(snapshot, path)
        linked[walk, mentioned] += MENTION_WEIGHT
        linked[mentioned, walk] += MENTION_WEIGHT
    for path in notes:
        seeds = one_seed(snapshot, path)
        senders = np.flatnonzero(seeds)
        nodes = snapshot.derived.mention_nodes
        found = spread(snapshot.graph, nodes, SlotScores(senders, seeds[senders]))
        expected = by_matrices(linked, seeds)
        assert by_node(found, nodes.count) == pytest.approx(expected, abs=1e-9)


def test_mass_goes_three_steps() -> None:
    chain = [f"n{number}" for number in range(7)]
    notes = {f"{here}.md": f"[[{there}]]" for here, there in pairwise(chain)}
    snapshot = snapshot_of(notes)
    found = linked_notes(snapshot, {id_of(snapshot, "n1.md"): 1.0}, {})
    reached = {snapshot.graph.path(note) for note in found.note_ids}
    assert reached == {f"n{number}.md" for number in range(5)}


def test_a_hub_gets_less_mass_than_a_rare_concept() -> None:
    """A link to a note that all notes link to passes on less mass than a link to a rare one."""
    notes = {"start.md": "[[Hub]] [[Rare]]", "rare2.md": "[[Rare]]"}
    notes |= {f"x{number}.md": "[[Hub]]" for number in range(60)}
    snapshot = snapshot_of(notes)
    found = linked_notes(snapshot, {id_of(snapshot, "start.md"): 1.0}, {})
    assert [snapshot.graph.path(note) for note in found.note_ids[:2]] == ["start.md", "rare2.md"]
    assert found.note_scores[1] > 10 * found.note_scores[2]


@pytest.mark.parametrize(("link_count", "is_sent"), [(450, True), (550, False)])
def test_a_node_below_the_least_share_sends_nothing(link_count: int, is_sent: bool) -> None:
    """The hub has a hundredth of all mass, so with over 500 links it sends nothing."""
    assert pytest.approx(500) == 0.01 / SHARE_MIN
    links = " ".join(f"[[c{number}]]" for number in range(link_count))
    snapshot = snapshot_of({"hub.md": links, "alone.md": ""})
    seeds = 0.01 * one_seed(snapshot, "hub.md") + 0.99 * one_seed(snapshot, "alone.md")
    found = spread_of(snapshot, seeds)
    assert np.count_nonzero(found) == (link_count + 2 if is_sent else 2)


def test_a_seed_without_links_keeps_its_own_share() -> None:
    snapshot = snapshot_of({"a.md": "alone", "b.md": "[[c]]"})
    alone = id_of(snapshot, "a.md")
    found = linked_notes(snapshot, {alone: 3.0}, {})
    assert (found.note_ids.tolist(), found.note_scores.tolist()) == ([alone], [1 - GOING_ON])


def test_seeds_of_one_node_add_up() -> None:
    """A note that others mention is the same node as the concept of its name."""
    snapshot = snapshot_of({"a.md": "[[x]]", "b.md": "[[a]]", "c.md": "[[y]]"})
    note, other = id_of(snapshot, "a.md"), id_of(snapshot, "c.md")
    concept = snapshot.graph.concept_id("a")
    assert concept is not None
    found = linked_notes(snapshot, {note: 1.0, other: 1.0}, {concept: 1.0})
    expected = linked_notes(snapshot, {note: 2.0, other: 1.0}, {})
    assert found.note_ids.tolist() == expected.note_ids.tolist()
    assert found.note_scores.tolist() == expected.note_scores.tolist()


def test_filtered_notes_pass_mass_on_but_are_not_found() -> None:
    snapshot = snapshot_of({"a.md": "[[b]]", "b.md": "[[c]]", "c.md": ""})
    first, middle, last = (id_of(snapshot, path) for path in ("a.md", "b.md", "c.md"))
    allowed = np.arange(3) != middle
    found = linked_notes(snapshot, {first: 1.0}, {}, allowed)
    assert found.note_ids.tolist() == [first, last]


def test_seeds_of_no_weight_find_nothing() -> None:
    snapshot = snapshot_of({"a.md": "[[b]]"})
    for seeds in ({}, {0: 0.0}):
        assert not len(linked_notes(snapshot, seeds, seeds).note_ids)
