"""Which concepts a change of notes can concern: those in rows that were written."""

import numpy as np

from clew.index.graph import ConceptGraph
from clew.values.arrays import BoolArray, Int64Array


def changed_concepts(
    earlier: ConceptGraph, graph: ConceptGraph, is_reweighed: BoolArray | None = None
) -> Int64Array | None:
    """Return the concepts in rows that differ between two revisions, rising.

    These are the rows written since, before and after the change, and those of the notes that
    ``is_reweighed`` marks, by note id of the earlier revision. ``None`` if they are not known.
    """
    notes = graph.rows.written_since(earlier.rows)
    if notes is None:
        return None
    if is_reweighed is not None:
        notes = np.union1d(notes, np.flatnonzero(is_reweighed))
    had = notes[notes < earlier.note_slots]
    rows = graph.concepts_of_notes(notes)[0], earlier.concepts_of_notes(had)[0]
    return np.unique(np.concatenate(rows)).astype(np.int64)
