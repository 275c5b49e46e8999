"""Arrays read from the concept graph for many concepts at once."""

from collections.abc import Sequence

import numpy as np

from clew.index.graph import ConceptGraph
from clew.values.arrays import Int32Array, Int64Array


def incidence(graph: ConceptGraph, concepts: Sequence[int]) -> tuple[Int64Array, Int32Array]:
    """Return the notes that mention each of ``concepts``: indexes into ``concepts``, note ids.

    Two parallel arrays, a pair for each mention, in the order of ``concepts``.
    """
    postings = graph.postings(concepts)
    concept_indexes = np.repeat(np.arange(len(postings)), list(map(len, postings)))
    notes = np.frombuffer(b"".join(postings), dtype=np.intc)
    return concept_indexes, notes.astype(np.int32)


def restricted_rows(
    graph: ConceptGraph, concepts: Sequence[int]
) -> tuple[Int64Array, Int64Array, Int32Array]:
    """Return the rows of all notes that mention any of ``concepts``, without other concepts.

    The rows, one after the other, as indexes into ``concepts``; their lengths; the note ids.
    """
    mentions_any = np.zeros(graph.note_slots, dtype=np.bool_)
    mentions_any[incidence(graph, concepts)[1]] = True
    notes = np.flatnonzero(mentions_any).astype(np.int32)
    row_concepts, lengths = graph.concepts_of_notes(notes)
    index_by_concept = np.full(graph.concept_slots, -1, dtype=np.int64)
    index_by_concept[list(concepts)] = np.arange(len(concepts))
    indexes = index_by_concept[row_concepts]
    rows = np.repeat(np.arange(len(notes)), lengths)
    is_kept = indexes >= 0
    return indexes[is_kept], np.bincount(rows[is_kept], minlength=len(notes)), notes


def sorted_rows(graph: ConceptGraph) -> tuple[list[str], list[str], Int32Array, Int32Array]:
    """Return all rows in an order that does not depend on the history of edits.

    The sorted names of all concepts; the sorted paths of the notes that mention any; the lengths of
    their rows; and the rows, one after the other, as rising indexes into the names.
    """
    concepts = sorted(np.flatnonzero(graph.note_counts).tolist(), key=graph.name)
    index_by_concept = np.zeros(graph.concept_slots, dtype=np.int32)
    index_by_concept[concepts] = np.arange(len(concepts))
    notes = sorted(np.flatnonzero(graph.is_live).tolist(), key=graph.path)
    row_concepts, lengths = graph.concepts_of_notes(np.array(notes, dtype=np.int64))
    indexes = index_by_concept[row_concepts]
    rows = np.repeat(np.arange(len(notes)), lengths)
    order = np.lexsort((indexes, rows))
    paths = [graph.path(notes[row]) for row in np.flatnonzero(lengths).tolist()]
    names = list(map(graph.name, concepts))
    return names, paths, lengths[lengths > 0].astype(np.int32), indexes[order]
