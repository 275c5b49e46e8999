"""Find the concepts whose cached values may be stale after a change of notes."""

import numpy as np

from clew.index.graph import ConceptGraph
from clew.index.structures.id_sums import distinct_ids
from clew.values.arrays import BoolArray, Int64Array


def changed_concepts(
    earlier: ConceptGraph, graph: ConceptGraph, is_reweighed: BoolArray | None = None
) -> Int64Array | None:
    """Return the concepts in rows that differ between two revisions, rising.

    A row differs if it was written since, or if ``is_reweighed``, by note id of the earlier
    revision, marks its note; it is read before and after. ``None`` if the rows are not known.
    """
    notes = graph.rows.written_since(earlier.rows)
    if notes is None:
        return None
    if is_reweighed is not None:
        notes = distinct_ids(np.concatenate([notes, np.flatnonzero(is_reweighed)]))
    had = notes[notes < earlier.note_slots]
    rows = graph.concepts_of_notes(notes)[0], earlier.concepts_of_notes(had)[0]
    return distinct_ids(np.concatenate(rows).astype(np.int64))
