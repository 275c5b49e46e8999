"""What search works out from the indexes once a revision, when it is first asked for."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from clew.engine.derived.word_list import WordList, word_list
from clew.engine.passages import Passages
from clew.index.formulas.bm25 import length_norm
from clew.index.formulas.pagerank import Links, importance, pagerank
from clew.index.graph import ConceptGraph
from clew.text.passages import BODY_WEIGHT
from clew.values.arrays import AnyArray, Float64Array, Int64Array

if TYPE_CHECKING:
    from clew.text.fuzzy import Vocabulary


class Layout:
    """Notes and chunks as arrays, by note id and by slot; lengths are in words of the body.

    A chunk is as long as it is with the head of its note, whose words count for it too. The head
    of a note without chunks stands for one.
    """

    def __init__(self, passages: Passages, graph: ConceptGraph) -> None:
        slots = passages.slots
        self.note_ids = slots.note_ids.astype(np.int64)  # ``DEAD`` for dead slots
        self.note_slots = graph.note_slots
        is_alive = self.note_ids >= 0
        alive = np.flatnonzero(is_alive)
        owners = self.note_ids[alive]
        lengths = passages.keyword.lengths / BODY_WEIGHT
        of_notes = np.zeros(self.note_slots)
        of_notes += np.bincount(owners, lengths[alive], self.note_slots)
        self._parts = np.bincount(owners, minlength=self.note_slots)
        self.note_count = int(np.count_nonzero(self._parts))
        self.note_norms = length_norm(of_notes, _mean(of_notes[self._parts > 0]))
        parts = slots.parts
        below = np.flatnonzero(is_alive & (parts > 0))
        lengths[below] += lengths[below - parts[below]]
        self.is_head = is_alive & (parts == 0)  # of notes that have chunks
        self.is_head[alive] &= self._parts[owners] > 1
        self._first_slots = np.zeros(self.note_slots, np.int64)
        heads = np.flatnonzero(is_alive & (parts == 0))
        self._first_slots[self.note_ids[heads]] = heads
        is_chunk = is_alive & ~self.is_head
        self.chunk_norms = length_norm(lengths, _mean(lengths[is_chunk]))
        self.chunk_norms[~is_chunk] = np.inf  # which score nothing

    def chunks_below(self, heads: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Return the slots of the chunks of notes, by the slots of their heads, and how many each.

        They are in the order of ``heads``.
        """
        counts = self._parts[self.note_ids[heads]] - 1
        return _runs(heads + 1, counts), counts

    def best_slots(self, of_slots: Float64Array, notes: Int64Array) -> Int64Array:
        """Return the slot of each of these notes that scores most, -1 where none is above 0.

        Of equal ones the first.
        """
        if not len(notes):
            return np.zeros(0, np.int64)
        counts = self._parts[notes]
        slots = _runs(self._first_slots[notes], counts)
        scores = of_slots[slots]
        most = np.maximum.reduceat(scores, np.cumsum(counts) - counts)
        is_best = np.flatnonzero((scores > 0) & (scores == np.repeat(most, counts)))[::-1]
        best: Int64Array = np.full(len(notes), -1, np.int64)
        best[np.repeat(np.arange(len(notes)), counts)[is_best]] = slots[is_best]  # first comes last
        return best

    def most(self, of_slots: Float64Array) -> Float64Array:
        """Return, by note id, what the best slot of each note scores; 0.0 for none above that."""
        found = np.flatnonzero(of_slots > 0)
        scores = np.zeros(self.note_slots)
        np.maximum.at(scores, self.note_ids[found], of_slots[found])
        return scores


def _runs(firsts: Int64Array, counts: Int64Array) -> Int64Array:
    """Return ``first, first + 1, ...`` for each of ``firsts``, as many as ``counts`` says."""
    ends = np.cumsum(counts)
    offsets = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)
    runs: Int64Array = np.repeat(firsts, counts) + offsets
    return runs


def _mean(lengths: AnyArray) -> float:
    return max(1.0, float(lengths.sum()) / len(lengths)) if len(lengths) else 1.0


class Nodes:
    """The graph that the graph leg walks: notes, and concepts that are no note of the vault.

    A concept that is a note, by its name, is that note's node. Nodes are notes by their id, then
    concepts by theirs; a note is linked with what it mentions and with what mentions it.
    """

    def __init__(self, graph: ConceptGraph, own: Mapping[str, str]) -> None:
        self.note_slots = graph.note_slots
        self.count = graph.note_slots + graph.concept_slots
        self.node_of_concept = np.arange(graph.concept_slots) + self.note_slots
        self.concept_of_note = np.full(self.note_slots, -1, np.int64)
        for path in sorted(own):
            note, concept = graph.note_id(path), graph.concept_id(own[path])
            if note is None or concept is None:
                continue
            # Of several notes that are one concept the first is it, and the others mention it.
            if self.node_of_concept[concept] >= self.note_slots:
                self.node_of_concept[concept] = note
                self.concept_of_note[note] = concept
        counts = graph.note_counts()
        self.degrees = np.zeros(self.count)  # links of each node, each counted once a direction
        self.degrees[: self.note_slots] = graph.row_lengths(np.arange(self.note_slots))
        self.degrees[self.note_slots :] = counts
        named = np.flatnonzero(self.concept_of_note >= 0)
        # A note mentions its own concept once another does, and neither is a link.
        self.degrees[named] += counts[self.concept_of_note[named]] - 2
        self.roots = np.sqrt(np.maximum(self.degrees, 1.0))  # of a node without links too

    def links(self, graph: ConceptGraph) -> Links:
        """Return all links of the graph these nodes are of."""
        is_node = np.zeros(self.count, np.bool_)
        is_node[: self.note_slots] = [path != "" for path in graph.paths]
        is_node[self.node_of_concept[graph.note_counts() > 0]] = True
        cells, lengths = graph.concepts_of_notes(np.arange(self.note_slots))
        targets = self.node_of_concept[cells]
        rows = np.repeat(np.arange(self.note_slots), lengths)
        going = rows != targets  # a note mentions its own concept once another does
        lengths = np.bincount(rows[going], minlength=self.note_slots)
        return Links(is_node, lengths, targets[going])


class Derived:
    """Keeps what was worked out until the next change."""

    def __init__(self, passages: Passages, graph: ConceptGraph, own: Mapping[str, str]) -> None:
        self._passages, self._graph, self._own = passages, graph, own
        self.revision = 0  # grows with every change
        self._layout: Layout | None = None
        self._nodes: Nodes | None = None
        # The words with their numbers; whoever can wait makes it from ``word_list``.
        self.vocabulary: Vocabulary | None = None
        self._links: Links | None = None
        self._ranked: tuple[Links, Float64Array] | None = None  # the last importance, and what of

    def clear(self) -> None:
        """Forget everything, since something has changed."""
        self.revision += 1
        self._layout = self._nodes = self.vocabulary = self._links = None

    @property
    def layout(self) -> Layout:
        """Notes and chunks as arrays."""
        if self._layout is None:
            self._layout = Layout(self._passages, self._graph)
        return self._layout

    @property
    def nodes(self) -> Nodes:
        """Notes and concepts as one graph."""
        if self._nodes is None:
            self._nodes = Nodes(self._graph, self._own)
        return self._nodes

    def word_list(self) -> WordList:
        """Return what the vocabulary is made from."""
        return word_list(self._passages)

    @property
    def links(self) -> Links:
        """The links of ``nodes``."""
        if self._links is None:
            self._links = self.nodes.links(self._graph)
            if self._ranked is not None and self._ranked[0].equals(self._links):
                self._ranked = (self._links, self._ranked[1])  # most edits leave links alone
        return self._links

    @property
    def has_importance(self) -> bool:
        """Whether ``importance`` is known: else it takes time by the number of links."""
        links = self.links
        return self._ranked is not None and self._ranked[0] is links

    @property
    def importance(self) -> Float64Array:
        """How important each node is by its PageRank, 0..1, by node."""
        if not self.has_importance:
            self.keep_importance(self.links, importance_of(self.links))
        assert self._ranked is not None
        return self._ranked[1]

    def keep_importance(self, links: Links, found: Float64Array) -> None:
        """Remember the importance of nodes linked like that, worked out elsewhere."""
        self._ranked = (links, found)


def importance_of(links: Links) -> Float64Array:
    """Return the importance of nodes; knows nothing else of the vault, so any thread may."""
    return importance(pagerank(links))
