"""The graph leg: from a few notes and concepts outward, by personalized PageRank.

Mass moves over links, and with less weight over unlinked mentions of a note's name.

Mass starts at the seeds. At each step it goes on to all linked nodes, divided by the degrees of
both ends, so that hubs neither absorb it nor scatter it. A node that would send almost nothing to
each neighbour sends nothing, which bounds the work at any hub.

Sources: Zhou et al., "Learning with Local and Global Consistency", NIPS 2004, for the symmetric
form; Andersen, Chung, Lang, "Local Graph Partitioning using PageRank Vectors", FOCS 2006, for
leaving small residuals where they are.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from clew.engine.derived.nodes import Nodes
from clew.engine.snapshot import Snapshot
from clew.index.graph import ConceptGraph
from clew.index.structures.id_sums import weights_by_id
from clew.index.structures.slot_scores import SlotScores
from clew.query.highest import highest_pairs
from clew.query.search.fusion import fuse
from clew.query.search.legs.base import Query
from clew.query.search.legs.name_seeds import seeds_of
from clew.query.search.named import named_in
from clew.query.search.passage_hits import NO_HITS, PassageHits, notes_alone
from clew.values.arrays import BoolArray

SEED_NOTES_MAX = 10  # taken from the hits of earlier legs
STEPS = 3
GOING_ON = 0.6  # the share of mass that goes on at each step
SHARE_MIN = 2e-5  # the least mass sent to a neighbour: a step follows about 50,000 links
_DECIMALS = 12  # later decimals of a sum may depend on the order of the links


class GraphLeg:
    """Notes that are linked with the best hits of earlier legs, and with what the query names."""

    name = "graph"
    default_weight = 6.5

    def find(self, snapshot: Snapshot, query: Query, allowed: BoolArray | None) -> PassageHits:
        """Return the notes that mass reaches; none if the query has no words."""
        if not query.terms.words:
            return NO_HITS
        named = named_in(snapshot, query.terms.text)
        # Where the whole query is the name of a note, mass starts at that note only.
        is_name = any(match.is_whole and match.paths for match in named)
        note_seeds = {} if is_name else _seeds_of_hits(snapshot, query)
        named_notes, concept_seeds = seeds_of(snapshot, named, query.terms.text)
        for note_id, weight in named_notes.items():
            note_seeds[note_id] = note_seeds.get(note_id, 0.0) + weight
        hits = linked_notes(snapshot, note_seeds, concept_seeds, allowed)
        return replace(hits, has_earlier=not is_name)


def _seeds_of_hits(snapshot: Snapshot, query: Query) -> dict[int, float]:
    """Return the best notes of the earlier legs, and how much mass starts at each.

    That is the square of a note's share of the best score, so most starts at the best notes.
    """
    graph = snapshot.graph
    found, scores = fuse(query.earlier_hits, query.weights, graph.note_slots)
    highest = highest_pairs(found, scores, graph.path, SEED_NOTES_MAX)
    note_ids, falling = (each.tolist() for each in highest)
    pairs = zip(note_ids, falling, strict=True)
    return {note_id: (score / falling[0]) ** 2 for note_id, score in pairs if score > 0}


def linked_notes(
    snapshot: Snapshot,
    note_seeds: Mapping[int, float],
    concept_seeds: Mapping[int, float],
    allowed: BoolArray | None = None,
) -> PassageHits:
    """Return the ``allowed`` notes that mass reaches from the seeds, weights by id."""
    nodes = snapshot.derived.mention_nodes
    seeds = seed_mass(nodes, note_seeds, concept_seeds)
    if not len(seeds.slots):
        return NO_HITS
    found = spread(snapshot.graph, nodes, seeds)
    count = found.slots.searchsorted(nodes.note_slots)
    note_ids, scores = found.slots[:count], found.scores[:count].round(_DECIMALS)
    is_reached = scores > 0
    if allowed is not None:
        is_reached &= allowed.take(note_ids)
    reached = is_reached.nonzero()[0]
    return notes_alone(note_ids.take(reached), scores.take(reached), snapshot.graph.paths)


def seed_mass(
    nodes: Nodes, note_seeds: Mapping[int, float], concept_seeds: Mapping[int, float]
) -> SlotScores:
    """Return the nodes of seeds, given by note id and by concept id, with shares of all mass."""
    mass = dict(note_seeds)
    for concept_id, weight in concept_seeds.items():
        node = int(nodes.node_by_concept[concept_id])
        mass[node] = mass.get(node, 0.0) + weight
    senders = sorted(node for node, weight in mass.items() if weight > 0)
    weights = np.array([mass[node] for node in senders])
    return SlotScores(np.array(senders, np.int64), weights / weights.sum())


def spread(graph: ConceptGraph, nodes: Nodes, seeds: SlotScores) -> SlotScores:
    """Return ``x`` after three steps of ``x = (1 - a) * seeds + a * D^-1/2 A D^-1/2 x``.

    ``seeds``: nodes with the mass of each, above 0; the first ``x``. The slots are nodes.
    """
    arriving = seeds
    reached, mass = [seeds.slots], [(1.0 - GOING_ON) * seeds.scores]
    for step in range(1, STEPS + 1):
        arriving = _neighbour_sums(graph, nodes, arriving)
        kept = 1.0 if step == STEPS else 1.0 - GOING_ON
        reached.append(arriving.slots)
        mass.append(kept * arriving.scores)
    return SlotScores(*weights_by_id(np.concatenate(reached), np.concatenate(mass), nodes.count))


def _neighbour_sums(graph: ConceptGraph, nodes: Nodes, mass: SlotScores) -> SlotScores:
    """Return the mass that goes on to neighbours: ``a * D^-1/2 A D^-1/2 mass``.

    The slots of ``mass`` and of the result are nodes: only those that have some.
    """
    roots = nodes.roots.take(mass.slots)
    shares = mass.scores / roots
    sends = (shares >= SHARE_MIN * roots).nonzero()[0]
    ends, sent = nodes.sent_over_edges(graph, mass.slots.take(sends), shares.take(sends))
    reached, sums = weights_by_id(ends, sent, nodes.count)
    return SlotScores(reached, GOING_ON * sums / nodes.roots.take(reached))
