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
from clew.index.mentions.mention_index import MentionIndex
from clew.values.arrays import Float64Array, Int64Array

MENTION_WEIGHT = 0.7  # of a mention; a link weighs 1
_NO_NOTE = -1


class Nodes:
    """The nodes of one revision, and how many links each has."""

    def __init__(self, graph: ConceptGraph) -> None:
        self.mentions: MentionIndex | None = None  # ``None``: only links are edges
        self.mention_counts = np.zeros(0, np.int32)  # by note id, if mentions are edges
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
        other.mention_counts = mentions.degrees(self.note_slots)
        weights[: self.note_slots] += MENTION_WEIGHT * other.mention_counts
        other.mentions, other.roots = mentions, _roots(weights)
        return other

    def sent_over_edges(
        self, graph: ConceptGraph, nodes: Int64Array, shares: Float64Array
    ) -> tuple[Int64Array, Float64Array]:
        """Return the end of each edge of ``nodes``, which rise, and the mass sent over it.

        ``shares``: what each node sends over a link; over a mention it is less.
        """
        notes = nodes[: nodes.searchsorted(self.note_slots)]
        starts, targets = self._links_from(graph, nodes, notes)
        sent = shares.take(starts)
        if self.mentions is None:
            return targets, sent
        with_mentions = self.mention_counts.take(notes).nonzero()[0]
        if not len(with_mentions):
            return targets, sent
        starts, mentioned = self.mentions.edges_of(notes.take(with_mentions))
        sent_to_mentioned = MENTION_WEIGHT * shares.take(with_mentions).take(starts)
        return np.concatenate([targets, mentioned]), np.concatenate([sent, sent_to_mentioned])

    def _links_from(
        self, graph: ConceptGraph, nodes: Int64Array, notes: Int64Array
    ) -> tuple[Int64Array, Int64Array]:
        """Return the index into ``nodes`` where each of their links begins, and the end node.

        ``notes``: those ``nodes`` that are notes, which come first.
        """
        mentioned, mentioned_counts = graph.concepts_of_notes(notes)
        own_concepts = self.concept_by_note.take(notes)
        named = (own_concepts != NO_CONCEPT).nonzero()[0]
        concepts = np.concatenate([own_concepts.take(named), nodes[len(notes) :] - self.note_slots])
        mentioning_counts, mentioning = graph.notes_of_each(concepts)
        indexes = np.arange(len(nodes))
        of_links = np.concatenate([indexes[: len(notes)], named, indexes[len(notes) :]])
        starts = of_links.repeat(np.concatenate([mentioned_counts, mentioning_counts]))
        targets = np.concatenate([self.node_by_concept.take(mentioned), mentioning])
        links = (nodes.take(starts) != targets).nonzero()[0]  # a note is not linked with itself
        return starts.take(links), targets.take(links)

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
