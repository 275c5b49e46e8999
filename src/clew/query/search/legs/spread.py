"""The graph leg: from a few notes and concepts outward over links, by personalized PageRank.

Mass starts at the seeds, and at each step goes on to all that is linked, divided by the degrees of
both ends, so that hubs neither soak it up nor scatter it. A node that would send next to nothing
sends nothing, which bounds the work whatever hub is met.

Sources: Zhou et al., "Learning with Local and Global Consistency", NIPS 2004, for the symmetric
form; Andersen, Chung, Lang, "Local Graph Partitioning using PageRank Vectors", FOCS 2006, for
letting small residuals rest.
"""

from collections.abc import Mapping

import numpy as np

from clew.engine.derived.arrays import Nodes
from clew.engine.snapshot import Snapshot
from clew.index.graph import ConceptGraph
from clew.index.graph_rows import incidence
from clew.query.search.hits import NO_SLOT, NOTHING, Hits, best
from clew.values.arrays import BoolArray, Float64Array

STEPS = 3
GOING_ON = 0.6  # the share that walks on at each step
SHARE_MIN = 2e-5  # to one neighbour, of a mass of 1: so a step follows 50,000 links or so


def by_links(
    snapshot: Snapshot,
    note_seeds: Mapping[int, float],
    concept_seeds: Mapping[int, float],
    allowed: BoolArray | None = None,
) -> Hits:
    """Return the notes that mass reaches from the seeds, given by id with their weights."""
    nodes = snapshot.derived.nodes
    mass = np.zeros(nodes.count)
    for note, weight in note_seeds.items():
        mass[note] += weight
    for concept, weight in concept_seeds.items():
        mass[nodes.node_of_concept[concept]] += weight
    if not mass.any():
        return NOTHING
    scores = spread(snapshot.graph, nodes, mass / mass.sum())[: nodes.note_slots]
    if allowed is not None:
        scores = np.where(allowed, scores, 0.0)
    slots = np.full(nodes.note_slots, NO_SLOT, np.int64)
    return best(np.round(scores, 12), slots, snapshot.graph.paths)


def spread(graph: ConceptGraph, nodes: Nodes, seeds: Float64Array) -> Float64Array:
    """Return ``x`` after three steps of ``x = (1 - a) * seeds + a * D^-1/2 A D^-1/2 x``, by node.

    ``seeds``: float64 of shape (nodes,), not negative; the first ``x``.
    """
    arriving = seeds
    total = (1.0 - GOING_ON) * seeds
    for step in range(1, STEPS + 1):
        arriving = GOING_ON * _neighbour_sums(graph, nodes, arriving)
        total += arriving if step == STEPS else (1.0 - GOING_ON) * arriving
    return total


def _neighbour_sums(graph: ConceptGraph, nodes: Nodes, mass: Float64Array) -> Float64Array:
    """Return what reaches each node from its neighbours, less for each the more links either has.

    A node from which hardly anything would reach one of its neighbours sends nothing.
    """
    senders = np.flatnonzero(mass > 0)
    shares = mass[senders] / nodes.roots[senders]
    senders = senders[shares >= SHARE_MIN * nodes.roots[senders]]
    share = np.zeros(len(mass))
    share[senders] = mass[senders] / nodes.roots[senders]
    is_note = senders < nodes.note_slots
    notes = senders[is_note]
    cells, lengths = graph.concepts_of_notes(notes)
    concepts = np.where(
        is_note, nodes.concept_of_note[senders * is_note], senders - nodes.note_slots
    )
    named = concepts >= 0
    places, mentioners = incidence(graph, concepts[named].tolist())
    targets = np.concatenate([nodes.node_of_concept[cells], mentioners])
    sources = np.concatenate([np.repeat(notes, lengths), senders[named][places]])
    going = sources != targets  # a note mentions its own concept once another names it
    sums = np.zeros(len(mass))
    sums += np.bincount(targets[going], share[sources[going]], len(mass))
    sums /= nodes.roots
    return sums
