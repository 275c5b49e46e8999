"""The ``dependency`` strategy: relevance by links to and from what a query is about.

A query is about the concepts and notes that it names; if it names none, about the symbols that
match it best. Mass goes out from these over links, as in the graph leg of search, and a symbol is
as relevant as the mass that reaches it: a note or concept by its node, a heading by its note, if a
link to one of those concepts is under the heading.
"""

from bisect import bisect_right
from dataclasses import replace

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.engine.symbols import NO_NAME
from clew.index.structures.slot_scores import SlotScores
from clew.query.rank.relevance import Relevance
from clew.query.search.legs.name_seeds import seeds_of
from clew.query.search.legs.spread import GOING_ON, seed_mass, spread
from clew.query.search.named import named_in
from clew.values.arrays import Float64Array

SEEDS_MAX = 10  # best matches among notes, and among concepts, that become seeds
NOTES_MAX = 100  # notes whose headings are scored
_DECIMALS = 12  # later decimals of a sum may depend on the order of the links


def linked_relevance(snapshot: Snapshot, relevance: Relevance) -> Relevance:
    """Return the relevance of symbols by their links with the notes and concepts of the query.

    ``relevance``: of symbols by their texts and names.
    """
    nodes = snapshot.derived.nodes
    named = named_in(snapshot, relevance.query.text)
    seeds = seed_mass(nodes, *seeds_of(snapshot, named, relevance.query.text))
    if not len(seeds.slots):
        seeds = _best_matches(snapshot, relevance)
    if not len(seeds.slots):
        return relevance
    arrived, found = np.zeros(nodes.count), spread(snapshot.graph, nodes, seeds)
    arrived[found.slots] = found.scores
    # The mass that a seed keeps says nothing about its links.
    arrived[seeds.slots] -= (1.0 - GOING_ON) * seeds.scores
    highest = arrived.max()
    reached = np.round(arrived / highest, _DECIMALS) if highest > 0 else np.zeros(len(arrived))
    by_note = reached[: nodes.note_slots]
    is_mentioned = snapshot.graph.note_counts > 0
    by_concept = np.where(is_mentioned, reached[nodes.node_by_concept], 0.0)
    concepts = _seed_concepts(snapshot, seeds)
    by_heading = _relevance_by_heading(snapshot, by_note, concepts)
    return replace(relevance, by_note=by_note, by_heading=by_heading, by_concept=by_concept)


def _best_matches(snapshot: Snapshot, relevance: Relevance) -> SlotScores:
    """Return the nodes of the notes and the concepts that match best, with shares of all mass."""
    nodes = snapshot.derived.nodes
    by_note = _only_highest(relevance.by_note)
    weights = np.zeros(nodes.count)
    weights[: len(by_note)] = by_note**2
    np.maximum.at(weights, nodes.node_by_concept, _only_highest(relevance.by_concept) ** 2)
    seeds = np.flatnonzero(weights)
    return SlotScores(seeds, weights[seeds] / weights.sum())


def _only_highest(relevance: Float64Array) -> Float64Array:
    """Return ``relevance`` with all but the ``SEEDS_MAX`` highest values, and ties, set to 0."""
    if len(relevance) <= SEEDS_MAX:
        return relevance
    least = np.partition(relevance, -SEEDS_MAX)[-SEEDS_MAX]
    return np.where(relevance >= least, relevance, 0.0)


def _seed_concepts(snapshot: Snapshot, seeds: SlotScores) -> frozenset[str]:
    """Return the names of the concepts that are seeds."""
    graph = snapshot.graph
    is_seed = np.isin(snapshot.derived.nodes.node_by_concept, seeds.slots)
    concept_ids = np.flatnonzero(is_seed).tolist()
    return frozenset(graph.name(number) for number in concept_ids if graph.note_count(number))


def _relevance_by_heading(
    snapshot: Snapshot, by_note: Float64Array, concepts: frozenset[str]
) -> Float64Array:
    """Return the note's relevance for each heading that has a link to one of ``concepts`` below it.

    All other headings have 0. Only the ``NOTES_MAX`` most relevant notes are read; if too many tie
    for the last place, none of these is read.
    """
    names = snapshot.symbols.name_by_heading
    relevance = np.zeros(len(names))
    has_more = len(by_note) > NOTES_MAX
    beyond = np.partition(by_note, -NOTES_MAX - 1)[-NOTES_MAX - 1] if has_more else 0.0
    for note_id in np.flatnonzero(by_note > beyond).tolist():
        path = snapshot.graph.path(note_id)
        note = snapshot.note(path)
        first = snapshot.symbols.headings_of(note_id).start
        heading_lines = [heading.line for heading in note.headings]
        for link in note.links:
            index = bisect_right(heading_lines, link.line) - 1
            if index >= 0 and snapshot.concept_of(link, path) in concepts:
                relevance[first + index] = by_note[note_id]
    return np.where(names != NO_NAME, relevance, 0.0)
