"""The semantic leg: notes by how near in meaning their nearest chunk is."""

import numpy as np
import numpy.typing as npt

from clew.engine.snapshot import Snapshot
from clew.index.vectors import CodeArray
from clew.query.hits import HITS_MAX, NO_SLOT, NOTHING, Hits, best

BoolArray = npt.NDArray[np.bool_]


def by_meaning(snapshot: Snapshot, query: CodeArray, allowed: BoolArray | None = None) -> Hits:
    """Return the notes nearest to ``query``, a vector of the model that made theirs.

    ``allowed``, by note id, limits what is found.
    """
    vectors, layout = snapshot.passages.vectors, snapshot.derived.layout
    among = None
    if allowed is not None:
        among = np.flatnonzero((layout.note_ids >= 0) & allowed[layout.note_ids])
    if not query.any() or query.shape != (vectors.dimensions,):
        return NOTHING
    slots, similarity = vectors.nearest(query, HITS_MAX, among)
    scores = np.zeros(layout.note_slots)
    best_slots = np.full(layout.note_slots, NO_SLOT, np.int64)
    # From the least similar on, of equal ones the last slot first: what is written last stays.
    order = np.lexsort((-slots, similarity))
    notes = layout.note_ids[slots[order]]
    scores[notes] = similarity[order]
    best_slots[notes] = slots[order]
    return best(scores, best_slots, snapshot.graph.paths)
