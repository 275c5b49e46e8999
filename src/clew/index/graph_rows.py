"""Who stands in which note, for many concepts at once: readings of the graph's rows as arrays."""

from collections.abc import Sequence

import numpy as np

from clew.index.graph import ConceptGraph
from clew.values.arrays import Int32Array, Int64Array


def incidence(graph: ConceptGraph, concepts: Sequence[int]) -> tuple[Int64Array, Int32Array]:
    """Return which of ``concepts`` stands in which note: places in ``concepts``, note ids.

    Two arrays of equal length, in the order of ``concepts``.
    """
    postings = graph.postings(concepts)
    owners = np.repeat(np.arange(len(postings)), list(map(len, postings)))
    notes = np.frombuffer(b"".join(postings), dtype=np.intc)
    return owners, notes.astype(np.int32)


def restricted_rows(
    graph: ConceptGraph, concepts: Sequence[int]
) -> tuple[Int64Array, Int64Array, Int32Array]:
    """Return the rows of the notes that mention any of ``concepts``, with those alone.

    The rows, one after the other, as places in ``concepts``; their lengths; the notes.
    """
    holds_any = np.zeros(graph.note_slots, dtype=np.bool_)
    holds_any[incidence(graph, concepts)[1]] = True
    notes = np.flatnonzero(holds_any).astype(np.int32)
    cells, lengths = graph.concepts_of_notes(notes)
    places = np.full(graph.concept_slots, -1, dtype=np.int64)
    places[list(concepts)] = np.arange(len(concepts))
    rows = np.repeat(np.arange(len(notes)), lengths)
    hits = np.flatnonzero(places[cells] >= 0)
    return places[cells[hits]], np.bincount(rows[hits], minlength=len(notes)), notes


def sorted_rows(graph: ConceptGraph) -> tuple[list[str], list[str], Int32Array, Int32Array]:
    """Return all rows in an order that the history of edits plays no part in.

    The names of all concepts, sorted; the paths of all notes that mention any, sorted; the
    lengths of their rows; and the rows, one after the other, as rising places in the names.
    """
    concepts = sorted(filter(graph.note_count, range(graph.concept_slots)), key=graph.name)
    places = np.zeros(graph.concept_slots, dtype=np.int32)
    places[concepts] = np.arange(len(concepts))
    notes = sorted(filter(graph.path, range(graph.note_slots)), key=graph.path)
    cells, lengths = graph.concepts_of_notes(np.array(notes, dtype=np.int64))
    rows = np.repeat(np.arange(len(notes)), lengths)
    order = np.lexsort((places[cells], rows))
    paths = [graph.path(notes[row]) for row in np.flatnonzero(lengths).tolist()]
    names = list(map(graph.name, concepts))
    return names, paths, lengths[lengths > 0].astype(np.int32), places[cells][order]
