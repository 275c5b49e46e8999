"""The strengths of all concepts: the summed weights of their edges, which follow the changes.

A pass over all rows takes time for each link of the vault. So the strengths of one revision are
made from those of an earlier one, if the moment is the same: only the concepts in rows that were
written since, or of notes that have another weight, are summed again. Weights are multiples of
2**-32, so the sums are the same in any order.
"""

from dataclasses import dataclass

import numpy as np

from clew.index.graph import ConceptGraph
from clew.index.graph_rows import strengths, strengths_of
from clew.values.arrays import Float64Array, Int64Array

_SHARE_MAX = 0.25  # of all mentions; beyond it one pass over all rows is cheaper


@dataclass(frozen=True, slots=True)
class _Strengths:
    """The strengths at one moment, and what they were computed from."""

    graph: ConceptGraph
    now_s: float
    weights: Float64Array
    by_concept: Float64Array


class LatestStrengths:
    """The strengths that were asked for last."""

    def __init__(self) -> None:
        self._latest: _Strengths | None = None

    def get(self, graph: ConceptGraph, now_s: float, weights: Float64Array) -> Float64Array:
        """Return the strengths, by concept id; ``weights`` are the notes' weights at ``now_s``."""
        latest = self._latest
        if latest is None or latest.graph is not graph or latest.now_s != now_s:
            by_concept = None
            if latest is not None and latest.now_s == now_s:
                by_concept = _followed(latest, graph, weights)
            if by_concept is None:
                by_concept = strengths(graph, weights)
            latest = self._latest = _Strengths(graph, now_s, weights, by_concept)
        return latest.by_concept


def _followed(
    earlier: _Strengths, graph: ConceptGraph, weights: Float64Array
) -> Float64Array | None:
    """Return the strengths in a later graph; ``None`` if they are better computed anew."""
    written = graph.rows.written_since(earlier.graph.rows)
    if written is None:
        return None
    known = earlier.graph.note_slots
    is_changed = np.zeros(graph.note_slots, np.bool_)
    is_changed[:known] = weights[:known] != earlier.weights
    is_changed[written] = True
    changed = np.flatnonzero(is_changed)
    concepts = _concepts_of(changed, graph, earlier.graph)
    counts = graph.note_counts
    if counts[concepts].sum() > _SHARE_MAX * counts.sum():
        return None
    by_concept = np.zeros(graph.concept_slots)
    by_concept[: len(earlier.by_concept)] = earlier.by_concept
    by_concept[concepts] = strengths_of(graph, concepts, weights)
    return by_concept


def _concepts_of(notes: Int64Array, graph: ConceptGraph, earlier: ConceptGraph) -> Int64Array:
    """Return the concepts that the rows of ``notes`` have in either graph."""
    had = notes[notes < earlier.note_slots]
    mentioned = graph.concepts_of_notes(notes)[0], earlier.concepts_of_notes(had)[0]
    return np.unique(np.concatenate(mentioned)).astype(np.int64)
