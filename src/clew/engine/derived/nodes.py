"""The graph that the spreading algorithms use: notes and concepts as nodes, links as edges.

A node is a note, or a concept that is not the name of a note; a concept that names a note has that
note's node. Nodes are numbered: notes by their id, then concepts by theirs. A note is linked with
each concept that it mentions, in both directions, but never with itself: its row also has its own
concept as soon as another note mentions that, and that is not a link.

A mention without a link is a weak edge between two notes, which only the graph leg of search
follows: it uses ``with_mentions``.
"""

from copy import copy

import numpy as np

from clew.index.formulas.pagerank import Links
from clew.index.graph import NO_CONCEPT, ConceptGraph
from clew.index.graph_rows import incidence
from clew.index.mentions.mention_index import MentionIndex
from clew.values.arrays import Float64Array, Int64Array

MENTION_WEIGHT = 0.7  # of a mention; a link weighs 1
_NO_NOTE = -1


class Nodes:
    """The nodes of one revision, and how many links each has."""

    def __init__(self, graph: ConceptGraph) -> None:
        self.mentions: MentionIndex | None = None  # ``None``: only links are edges
        self.note_slots = graph.note_slots
        self.count = graph.note_slots + graph.concept_slots
        self.node_by_concept = np.arange(graph.concept_slots) + self.note_slots
        self.concept_by_note = np.full(self.note_slots, NO_CONCEPT, np.int64)
        notes, concepts = _notes_of_concepts(graph)
        self.node_by_concept[concepts] = notes
        self.concept_by_note[notes] = concepts
        mention_counts = graph.note_counts
        self.degrees = np.zeros(self.count)  # links of each node
        self.degrees[: self.note_slots] = graph.row_lengths(np.arange(self.note_slots))
        self.degrees[self.note_slots :] = mention_counts
        are_concepts = np.flatnonzero(self.concept_by_note >= 0)
        # A note's own concept counts twice: in its row, and among the concept's notes.
        self.degrees[are_concepts] += mention_counts[self.concept_by_note[are_concepts]] - 2
        self.roots = _roots(self.degrees)

    def with_mentions(self, mentions: MentionIndex) -> "Nodes":
        """Return the same nodes with mentions as further edges."""
        other = copy(self)
        weights = self.degrees.copy()
        weights[: self.note_slots] += MENTION_WEIGHT * mentions.degrees(self.note_slots)
        other.mentions, other.roots = mentions, _roots(weights)
        return other

    def links_from(self, graph: ConceptGraph, nodes: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Return the node where each link of ``nodes`` begins, and the node where it ends."""
        is_note = nodes < self.note_slots
        notes = nodes[is_note]
        mentioned, mentioned_counts = graph.concepts_of_notes(notes)
        concepts = np.where(is_note, self.concept_by_note[nodes * is_note], nodes - self.note_slots)
        is_concept = concepts >= 0
        indexes, mentioning = incidence(graph, concepts[is_concept])
        sources = np.concatenate([notes.repeat(mentioned_counts), nodes[is_concept].take(indexes)])
        targets = np.concatenate([self.node_by_concept.take(mentioned), mentioning])
        links = (sources != targets).nonzero()[0]
        return sources.take(links), targets.take(links)

    def edges_from(
        self, graph: ConceptGraph, nodes: Int64Array
    ) -> tuple[Int64Array, Int64Array, Float64Array]:
        """Return the edges of ``nodes``, as parallel arrays: start node, end node, weight."""
        sources, targets = self.links_from(graph, nodes)
        if self.mentions is None:
            return sources, targets, np.ones(len(sources))
        mentioning, mentioned = self.mentions.edges_of(nodes[nodes < self.note_slots])
        return (
            np.concatenate([sources, mentioning]),
            np.concatenate([targets, mentioned]),
            np.repeat([1.0, MENTION_WEIGHT], [len(sources), len(mentioning)]),
        )

    def links(self, graph: ConceptGraph) -> Links:
        """Return all links from notes to the nodes that they mention."""
        is_node = np.zeros(self.count, np.bool_)
        is_node[: self.note_slots] = graph.is_live
        is_node[self.node_by_concept[graph.note_counts > 0]] = True
        mentioned, mentioned_counts = graph.concepts_of_notes(np.arange(self.note_slots))
        targets = self.node_by_concept[mentioned]
        sources = np.repeat(np.arange(self.note_slots), mentioned_counts)
        is_link = sources != targets
        link_counts = np.bincount(sources[is_link], minlength=self.note_slots)
        return Links(is_node, link_counts, targets[is_link])


class LatestNodes:
    """The latest nodes computed from any revision; the revisions of an engine share it."""

    def __init__(self) -> None:
        self._latest: tuple[int, Nodes] | None = None  # link changes of the graph, nodes

    def of(self, graph: ConceptGraph) -> Nodes:
        """Return the nodes of ``graph``, computed anew if its links changed since the last call."""
        latest = self._latest
        if latest is None or latest[0] != graph.link_changes:
            latest = self._latest = graph.link_changes, Nodes(graph)
        return latest[1]


def _roots(weights: Float64Array) -> Float64Array:
    """Return the square root of the summed weight of each node's edges, at least 1."""
    roots: Float64Array = np.sqrt(np.maximum(weights, 1.0))
    return roots


def _notes_of_concepts(graph: ConceptGraph) -> tuple[Int64Array, Int64Array]:
    """Return the mentioned concepts that name a note, with that note: notes, concepts.

    If several notes have the same concept, the first by path is its node; the others link to it.
    """
    own_concepts = graph.own_concepts
    notes = np.flatnonzero(graph.is_live & (own_concepts != NO_CONCEPT))
    notes = notes[graph.note_counts[own_concepts[notes]] > 0]
    concepts = own_concepts[notes]
    note_by_concept = np.full(graph.concept_slots, _NO_NOTE, np.int64)
    note_by_concept[concepts] = notes
    has_others = np.bincount(concepts, minlength=graph.concept_slots)[concepts] > 1
    notes_by_path = sorted(notes[has_others].tolist(), key=graph.path, reverse=True)
    for note in notes_by_path:
        note_by_concept[own_concepts[note]] = note
    named = np.flatnonzero(note_by_concept != _NO_NOTE)
    return note_by_concept[named], named
