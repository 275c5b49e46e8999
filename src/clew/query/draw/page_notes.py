"""Select the notes that a web page lists for its concepts and edges, and describe each.

A page cannot list the notes of any vault, so it lists at least the newest note of each edge, then
the newest of each concept, then the second newest of each, and so on while there is room.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.dates import iso
from clew.text.masking.secrets import masked
from clew.values.arrays import BoolArray, Float64Array, Int32Array, Int64Array

NOTES_MAX = 6_000
CHARACTERS_MAX = 1_000_000  # of all notes together, as JSON
TAGS_MAX = 12  # of one note
_DIGITS = 5  # characters of a concept's number and the comma after it


@dataclass(frozen=True, slots=True)
class PageNote:
    """A note as the page lists it."""

    path: str
    day: str  # of its last change, ISO 8601
    tags: tuple[str, ...]
    concepts: tuple[int, ...]  # indexes of nodes of the page, rising

    @property
    def size(self) -> int:
        """About how many characters it takes in the page."""
        return 20 + len(self.path) + sum(map(len, self.tags)) + _DIGITS * len(self.concepts)


@dataclass(frozen=True, slots=True)
class Rows:
    """The concepts of each note, the newest note first."""

    cells: Int64Array  # row after row, concepts from 0
    lengths: Int64Array  # by row

    @property
    def rows(self) -> Int64Array:
        """The row of each cell."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)


def page_notes(
    snapshot: Snapshot,
    notes: Int32Array,
    rows: Rows,
    ends: Sequence[tuple[int, int]],
) -> tuple[PageNote, ...]:
    """Return the notes that a page lists, the newest first; ties by path.

    ``notes``: the ids of the notes of ``rows``; ``ends``: the two concepts of each drawn edge.
    """
    changed_s = snapshot.ages.changed_s(notes)
    paths = [snapshot.graph.path(note) for note in notes.tolist()]
    order = by_falling_date(changed_s, paths)
    newest_first = _reordered(rows, np.array(order, dtype=np.int64))
    starts = np.cumsum(newest_first.lengths) - newest_first.lengths

    def note(at: int) -> PageNote:
        row = order[at]
        cells = newest_first.cells[starts[at] : starts[at] + newest_first.lengths[at]]
        return PageNote(
            path=masked(paths[row])[0],
            day=iso(float(changed_s[row]))[:10],
            tags=snapshot.facts[paths[row]].tags[:TAGS_MAX],
            concepts=tuple(sorted(cells.tolist())),
        )

    kept = _fitting((at, note(at)) for at in by_need(newest_first, ends)[:NOTES_MAX].tolist())
    return tuple(kept[at] for at in sorted(kept))


def by_falling_date(changed_s: Float64Array, paths: Sequence[str]) -> list[int]:
    """Return the rows by falling date, ties by path.

    Only ties are sorted in Python: to sort all rows there would hold Python's lock for a tenth of a
    second, and with it all other clients.
    """
    rows_by_date = np.argsort(-changed_s, kind="stable").tolist()
    ties = groupby(rows_by_date, changed_s.tolist().__getitem__)
    return [row for _, rows in ties for row in sorted(rows, key=paths.__getitem__)]


def _reordered(rows: Rows, order: Int64Array) -> Rows:
    index_by_row = np.empty(len(order), dtype=np.int64)
    index_by_row[order] = np.arange(len(order))
    order_of_cells = np.argsort(index_by_row[rows.rows], kind="stable")
    return Rows(rows.cells[order_of_cells], rows.lengths[order])


def _fitting(notes: Iterable[tuple[int, PageNote]]) -> dict[int, PageNote]:
    """Return the notes for which there is room, by their number."""
    room, kept = CHARACTERS_MAX, {}
    for at, note in notes:
        if note.size <= room:
            room -= note.size
            kept[at] = note
    return kept


def by_need(newest_first: Rows, ends: Sequence[tuple[int, int]]) -> Int64Array:
    """Return the indexes of all rows, in the order in which a page needs them.

    The newest row of each edge comes first, then the newest rows of the concepts, then their second
    newest, and so on; in each of these steps the newest come first.
    """
    cells, rows = newest_first.cells, newest_first.rows
    by_concept = np.argsort(cells, kind="stable")
    counts = np.bincount(cells)
    starts = np.cumsum(counts) - counts
    ranks = np.empty(len(cells), dtype=np.int64)
    ranks[by_concept] = np.arange(len(cells)) - np.repeat(starts, counts)
    steps = np.full(len(newest_first.lengths), len(cells), dtype=np.int64)
    np.minimum.at(steps, rows, ranks)
    rows_by_concept = np.split(rows[by_concept], starts[1:])
    steps[list(_newest_shared(rows_by_concept, ends, len(steps)))] = -1
    return np.argsort(steps, kind="stable")


def _newest_shared(
    rows_by_concept: Sequence[Int64Array], ends: Sequence[tuple[int, int]], row_count: int
) -> set[int]:
    """Return, for each pair of concepts in ``ends``, the first row that has both.

    Takes time in proportion to the rows of the rarer concept of each edge.
    """
    pairs = sorted(sorted(pair, key=lambda end: (-len(rows_by_concept[end]), end)) for pair in ends)
    is_marked: BoolArray = np.zeros(row_count, dtype=np.bool_)
    newest_rows, marked_concept = set(), -1
    for frequent, rare in pairs:
        if frequent != marked_concept:
            if marked_concept >= 0:
                is_marked[rows_by_concept[marked_concept]] = False
            is_marked[rows_by_concept[frequent]] = True
            marked_concept = frequent
        shared = rows_by_concept[rare][is_marked[rows_by_concept[rare]]]
        newest_rows.add(int(shared[0]))
    return newest_rows
