"""What depends on what a query speaks of: symbols that link to it, or that it links to.

It speaks of the concepts and notes that it names; where it names none, of those that match best.
Mass goes out from them over links, as in search, and a symbol is as relevant as what reaches it: a
note or concept by its place in the graph, a heading if a link to one of them stands under it.
"""

from bisect import bisect_right
from dataclasses import replace

import numpy as np

from clew.engine.derived.symbols import Symbols
from clew.engine.snapshot import Snapshot
from clew.query.rank.relevance import Relevance
from clew.query.search.legs.spread import GOING_ON, spread
from clew.query.search.named import named_in, seeds_of
from clew.values.arrays import Float64Array

SEEDS_MAX = 10  # notes, and concepts, that match
NOTES_MAX = 100  # whose headings are looked at
_DECIMALS = 12  # sums over links may differ beyond, by their order


def by_links_to(snapshot: Snapshot, symbols: Symbols, matched: Relevance) -> Relevance:
    """Return the relevance of symbols by what they have to do with what ``matched`` found."""
    nodes = snapshot.derived.nodes
    seeds = _named(snapshot, matched.asked.text)
    if not seeds.any():
        seeds = _best(snapshot, matched)
    if not seeds.any():
        return matched
    seeds /= seeds.sum()
    # What stays where it began is not linked with anything.
    arrived = spread(snapshot.graph, nodes, seeds) - (1.0 - GOING_ON) * seeds
    most = arrived.max()
    reached = np.round(arrived / most, _DECIMALS) if most > 0 else np.zeros(len(arrived))
    notes = reached[: nodes.note_slots]
    return replace(
        matched,
        notes=notes,
        headings=_of_headings(snapshot, symbols, notes, _concepts_at(snapshot, seeds)),
        concepts=np.where(symbols.concepts >= 0, reached[nodes.node_of_concept], 0.0),
    )


def _named(snapshot: Snapshot, query: str) -> Float64Array:
    """Return a weight for each node that ``query`` names."""
    nodes = snapshot.derived.nodes
    seeds = np.zeros(nodes.count)
    notes, concepts = seeds_of(snapshot, named_in(snapshot, query))
    for note, weight in notes.items():
        seeds[note] += weight
    for concept, weight in concepts.items():
        seeds[nodes.node_of_concept[concept]] += weight
    return seeds


def _best(snapshot: Snapshot, matched: Relevance) -> Float64Array:
    """Return a weight for the nodes that match best, and for all that match as well as those."""
    nodes = snapshot.derived.nodes
    seeds = np.zeros(nodes.count)
    notes, concepts = _highest(matched.notes), _highest(matched.concepts)
    seeds[: len(notes)] = notes**2
    np.maximum.at(seeds, nodes.node_of_concept, concepts**2)
    return seeds


def _highest(relevance: Float64Array) -> Float64Array:
    if len(relevance) <= SEEDS_MAX:
        return relevance
    least = np.partition(relevance, -SEEDS_MAX)[-SEEDS_MAX]
    return np.where(relevance >= least, relevance, 0.0)


def _concepts_at(snapshot: Snapshot, seeds: Float64Array) -> frozenset[str]:
    """Return the names of the concepts that are seeds."""
    places = snapshot.derived.nodes.node_of_concept
    graph = snapshot.graph
    return frozenset(
        graph.name(number)
        for number in np.flatnonzero(seeds[places] > 0).tolist()
        if graph.note_count(number)
    )


def _of_headings(
    snapshot: Snapshot, symbols: Symbols, notes: Float64Array, concepts: frozenset[str]
) -> Float64Array:
    """Return the relevance of headings under which a link names one of ``concepts``: its note's.

    Of the ``NOTES_MAX`` most relevant notes; of equally relevant ones all count or none does.
    """
    relevance = np.zeros(len(symbols.headings))
    beyond = np.partition(notes, -NOTES_MAX - 1)[-NOTES_MAX - 1] if len(notes) > NOTES_MAX else 0.0
    firsts = np.searchsorted(symbols.notes, np.arange(len(notes)))
    for note_id in np.flatnonzero(notes > beyond).tolist():
        note = snapshot.note(snapshot.graph.path(note_id))
        lines = [heading.line for heading in note.headings]
        for link in note.links:
            place = bisect_right(lines, link.line) - 1
            if place >= 0 and snapshot.concept_of(link) in concepts:
                relevance[firsts[note_id] + place] = notes[note_id]
    return np.where(symbols.headings >= 0, relevance, 0.0)
