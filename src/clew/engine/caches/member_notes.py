"""The notes that mention members of one community, as arrays.

``query/graph/siblings.py`` finds the siblings of each member in them.
"""

from dataclasses import dataclass

import numpy as np

from clew.index.graph import ConceptGraph
from clew.index.graph_rows import incidence
from clew.values.arrays import BoolArray, Int32Array, Int64Array, IntegerArray

# Communities with more pairs have no rows: ten such would take 5 MB or more, and to read them for
# each request takes longer than to count by the bits of hubs and the postings of other neighbours.
PAIRS_WITH_ROWS_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of the notes of the pairs, each once."""

    row_by_pair: Int32Array
    row_bounds: Int64Array  # where the cells of each row begin, and the end of the last
    cells: Int32Array  # concept ids, row after row

    @property
    def nbytes(self) -> int:
        """The size of all arrays."""
        return self.row_by_pair.nbytes + self.row_bounds.nbytes + self.cells.nbytes


@dataclass(frozen=True, slots=True)
class MemberNotes:
    """Members, and the notes that mention them.

    A pair is a member and a note that mentions it; pairs are in the order of the members.
    """

    members: Int64Array  # concept ids; some may be mentioned by no note any more
    pair_bounds: Int64Array  # where the pairs of each member begin, and the end of the last
    note_by_pair: Int32Array
    cell_counts: Int32Array  # by member: the summed lengths of its notes' rows
    rows: Rows | None

    @property
    def nbytes(self) -> int:
        """The size of all arrays."""
        own = self.members.nbytes + self.pair_bounds.nbytes
        own += self.note_by_pair.nbytes + self.cell_counts.nbytes
        return own + (self.rows.nbytes if self.rows is not None else 0)


def member_notes(graph: ConceptGraph, members: Int64Array) -> MemberNotes:
    """Return the notes that mention each of these concepts."""
    indexes, notes = incidence(graph, members)
    pair_bounds = _bounds(np.bincount(indexes, minlength=len(members)))
    cell_counts = sums_between(graph.row_lengths(notes), pair_bounds)
    rows = _rows(graph, notes) if len(notes) <= PAIRS_WITH_ROWS_MAX else None
    return MemberNotes(members, pair_bounds, notes, cell_counts, rows)


def _rows(graph: ConceptGraph, notes: Int32Array) -> Rows:
    is_read = np.zeros(graph.note_slots, np.bool_)
    is_read[notes] = True
    read = np.flatnonzero(is_read)
    row_by_note = np.zeros(graph.note_slots, np.int32)
    row_by_note[read] = np.arange(len(read))
    cells, lengths = graph.concepts_of_notes(read)
    return Rows(row_by_note[notes], _bounds(lengths), cells)


def _bounds(lengths: Int64Array) -> Int64Array:
    """Return the start of each run, and the end of the last, for runs of these lengths."""
    bounds = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=bounds[1:])
    return bounds


def sums_between(values: IntegerArray | BoolArray, bounds: Int64Array) -> Int32Array:
    """Return the sum of each run of ``values``; run n is ``bounds[n]`` to ``bounds[n + 1]``."""
    sums = np.zeros(len(values) + 1, np.int32)
    values.cumsum(out=sums[1:])
    at_bounds = sums.take(bounds)
    return at_bounds[1:] - at_bounds[:-1]
