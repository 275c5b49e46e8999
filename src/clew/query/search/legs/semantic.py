"""The semantic leg: notes by how near in meaning their nearest chunk is."""

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.search.hits import HITS_MAX, NOTHING, Hits, ranked
from clew.values.arrays import BoolArray, Int8Array


def by_meaning(snapshot: Snapshot, query: Int8Array, allowed: BoolArray | None = None) -> Hits:
    """Return the notes nearest to ``query``, a vector of the model that made theirs.

    ``allowed``, by note id, limits what is found.
    """
    vectors, layout = snapshot.passages.vectors, snapshot.derived.layout
    if not query.any() or query.shape != (vectors.dimensions,):
        return NOTHING
    of_slots = vectors.similarities(query)
    # By note before the best are taken: a long one has hundreds of chunks that are much alike.
    scores = layout.most(of_slots)
    if allowed is not None:
        scores = np.where(allowed, scores, 0.0)
    notes = ranked(scores, snapshot.graph.paths, HITS_MAX)
    return Hits(notes, scores[notes], layout.best_slots(of_slots, notes))
