"""The rows of the notes that mention members of one community, as arrays.

``query/graph/siblings.py`` finds the siblings of each member in them.
"""

from dataclasses import dataclass

import numpy as np

from clew.index.graph import ConceptGraph
from clew.index.graph_rows import incidence
from clew.values.arrays import BoolArray, Int32Array, Int64Array, IntegerArray


@dataclass(frozen=True, slots=True)
class MemberRows:
    """Members, and the rows of the notes that mention them, each row once.

    A pair is a member and a note that mentions it; pairs are in the order of the members.
    """

    members: Int64Array  # concept ids; some may be mentioned by no note any more
    pair_bounds: Int64Array  # where the pairs of each member begin, and the end of the last
    row_by_pair: Int32Array
    row_bounds: Int64Array  # where the cells of each row begin, and the end of the last
    cells: Int32Array  # concept ids, row after row
    cell_counts: Int32Array  # by member: the summed lengths of its notes' rows

    @property
    def nbytes(self) -> int:
        """The size of all arrays."""
        return (
            self.members.nbytes
            + self.pair_bounds.nbytes
            + self.row_by_pair.nbytes
            + self.row_bounds.nbytes
            + self.cells.nbytes
            + self.cell_counts.nbytes
        )


def member_rows(graph: ConceptGraph, members: Int64Array) -> MemberRows:
    """Return the rows of the notes that mention any of these concepts."""
    indexes, notes = incidence(graph, members)
    is_read = np.zeros(graph.note_slots, np.bool_)
    is_read[notes] = True
    read = np.flatnonzero(is_read)
    row_by_note = np.zeros(graph.note_slots, np.int32)
    row_by_note[read] = np.arange(len(read))
    cells, lengths = graph.concepts_of_notes(read)
    row_by_pair = row_by_note[notes]
    pair_bounds = _bounds(np.bincount(indexes, minlength=len(members)))
    cell_counts = sums_between(lengths[row_by_pair], pair_bounds)
    return MemberRows(members, pair_bounds, row_by_pair, _bounds(lengths), cells, cell_counts)


def _bounds(lengths: Int64Array) -> Int64Array:
    """Return the start of each run, and the end of the last, for runs of these lengths."""
    bounds = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=bounds[1:])
    return bounds


def sums_between(values: IntegerArray | BoolArray, bounds: Int64Array) -> Int32Array:
    """Return the sum of each run of ``values``; run n is ``bounds[n]`` to ``bounds[n + 1]``."""
    sums = np.zeros(len(values) + 1, np.int32)
    np.cumsum(values, out=sums[1:])
    return np.diff(sums[bounds])
