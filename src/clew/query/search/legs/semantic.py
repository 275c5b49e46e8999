"""The semantic leg: notes by the cosine of the query's vector and that of their nearest chunk."""

import numpy as np

from clew.engine.derived.slot_scores import SlotScores
from clew.engine.snapshot import Snapshot
from clew.query.search.legs.base import Query
from clew.query.search.passage_hits import (
    HITS_MAX,
    NO_HITS,
    PassageHits,
    best_notes,
    with_passages,
)
from clew.values.arrays import BoolArray, Int8Array

SEMANTIC = "semantic"


class SemanticLeg:
    """Notes that are similar in meaning to the query."""

    name = SEMANTIC
    default_weight = 0.25

    def find(self, snapshot: Snapshot, query: Query, allowed: BoolArray | None) -> PassageHits:
        """Return the notes nearest to the query's text; none if there is no model or no word."""
        if query.encode is None or not query.terms.words:
            return NO_HITS
        return nearest_notes(snapshot, query.encode(query.terms.text), allowed)


def nearest_notes(
    snapshot: Snapshot, vector: Int8Array, allowed: BoolArray | None = None
) -> PassageHits:
    """Return the ``allowed`` notes nearest to ``vector``.

    There are none for a zero vector, or for a vector of another model's shape.
    """
    vectors, layout = snapshot.passages.vectors, snapshot.derived.layout
    if not vector.any() or vector.shape != (vectors.dimensions,):
        return NO_HITS
    similarities_by_slot = vectors.similarities(vector)
    slots = np.flatnonzero(similarities_by_slot > 0)
    similarities = SlotScores(slots, similarities_by_slot[slots])
    # Score notes before taking the best: a long note has hundreds of chunks that are very similar.
    scores = layout.best_by_note(similarities)
    if allowed is not None:
        scores = np.where(allowed, scores, 0.0)
    note_ids = best_notes(scores, snapshot.graph.paths, HITS_MAX)
    return with_passages(note_ids, scores[note_ids], similarities, layout)
