"""Hits of one leg of search: notes with a raw score, each with its best passages.

A passage is named by its slot: the head of a note, or one of its chunks. Search shows the best
passage of a note; a packer of context takes several.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from sys import float_info

import numpy as np

from clew.engine.derived.layout import NO_SLOT, Layout, ScoresBySlot
from clew.query.highest import highest_pairs
from clew.values.arrays import BoolArray, Float64Array, Int64Array

HITS_MAX = 200  # notes found by one leg
PASSAGES_MAX = 3  # passages of one note
LEAST_SHARE = 0.01  # the share of a hit with a low score is raised to this


@dataclass(frozen=True, slots=True, eq=False)
class PassageHits:
    """Rows of (note, passage, score): the best note first, and its best passage first.

    Row ``i`` of both matrices belongs to ``note_ids[i]``; a cell without a passage has ``NO_SLOT``
    and 0.0, except the first cell of a note that has no matching passage, which has its score. The
    score of a note is that of its first cell.

    ``none`` and ``full`` calibrate scores: those of an unrelated note and of a perfect match.
    """

    note_ids: Int64Array  # of shape (notes,), each note once
    slots: Int64Array  # of shape (notes, PASSAGES_MAX)
    scores: Float64Array  # of the same shape; comparable only within one leg and one query
    none: float = 0.0  # the score of a note that has nothing to do with the query
    full: float = 0.0  # that of a note that has all the query asks for; the best score if higher
    has_earlier: bool = False  # found from the best hits of the legs before, by whose scores too

    @property
    def note_scores(self) -> Float64Array:
        """The score of each note, falling."""
        return self.scores[:, 0]

    def shares_of(self, scores: Float64Array) -> Float64Array:
        """Return where these scores are between ``none`` and ``full``, in [``LEAST_SHARE``, 1]."""
        full = max(self.full, float(self.note_scores[0]))
        shares: Float64Array = (scores - self.none) / max(full - self.none, float_info.min)
        return np.minimum(np.maximum(shares, LEAST_SHARE), 1.0)

    def among(self, is_allowed: BoolArray) -> "PassageHits":
        """Return the hits in allowed notes; ``is_allowed``: by note id."""
        allowed = is_allowed[self.note_ids]
        return replace(
            self,
            note_ids=self.note_ids[allowed],
            slots=self.slots[allowed],
            scores=self.scores[allowed],
        )

    def with_first(self, note_ids: Int64Array) -> "PassageHits":
        """Return the hits with those in ``note_ids`` first; the scores of others are lowered."""
        is_first = np.isin(self.note_ids, note_ids)
        if is_first.all() or not is_first.any():
            return self
        lowest, highest = self.note_scores[is_first].min(), self.note_scores[~is_first].max()
        factors = np.where(is_first, 1.0, min(1.0, np.nextafter(lowest / highest, 0.0)))
        order = np.argsort(~is_first, kind="stable")
        scores = self.scores * factors[:, np.newaxis]
        return replace(
            self, note_ids=self.note_ids[order], slots=self.slots[order], scores=scores[order]
        )

    def best_of(self, note_ids: Sequence[int]) -> list[tuple[int, int, float, int]]:
        """Return a tuple for each of ``note_ids`` that has a row.

        It has the note's index in ``note_ids``, its row, its score and the slot of its best
        passage.
        """
        indexes, rows = rows_of(note_ids, self.note_ids)
        scores, slots = self.scores[rows, 0].tolist(), self.slots[rows, 0].tolist()
        return list(zip(indexes, rows.tolist(), scores, slots, strict=True))


NO_HITS = PassageHits(
    np.zeros(0, np.int64), np.zeros((0, PASSAGES_MAX), np.int64), np.zeros((0, PASSAGES_MAX))
)


def rows_of(note_ids: Sequence[int], among: Int64Array) -> tuple[list[int], Int64Array]:
    """Return the indexes of those of ``note_ids`` that are in ``among``, and their rows there.

    ``among`` has each note once, in any order; ``note_ids`` are few.
    """
    if not len(among):
        return [], among
    wanted = np.array(note_ids, np.int64)
    rows = (wanted[:, np.newaxis] == among).argmax(axis=1)  # 0 for a note that is not there
    indexes = (among[rows] == wanted).nonzero()[0]
    return indexes.tolist(), rows[indexes]


def with_passages(
    note_ids: Int64Array, note_scores: Float64Array, slot_scores: ScoresBySlot, layout: Layout
) -> PassageHits:
    """Return hits whose passages are the best slots of each note.

    The best passage gets the note's score; each other passage gets less, in proportion to its own
    score.
    """
    slots, passage_scores = layout.best_slots(slot_scores, note_ids, PASSAGES_MAX)
    best = passage_scores[:, :1]
    shares = np.divide(passage_scores, best, out=np.zeros(slots.shape), where=best > 0)
    shares[:, :1] = 1.0
    return PassageHits(note_ids, slots, note_scores[:, np.newaxis] * shares)


def without_passages(
    scores_by_note: Float64Array, paths: Sequence[str], most: int = HITS_MAX
) -> PassageHits:
    """Return the best notes, at most ``most``, as hits without passages; ``paths``: by note id."""
    note_ids = np.flatnonzero(scores_by_note > 0)
    return notes_alone(note_ids, scores_by_note[note_ids], paths, most)


def notes_alone(
    note_ids: Int64Array, scores: Float64Array, paths: Sequence[str], most: int = HITS_MAX
) -> PassageHits:
    """Return the best of these notes, by parallel ``scores``, as hits without passages."""
    note_ids, note_scores = highest_pairs(note_ids, scores, paths.__getitem__, most)
    shape = len(note_ids), PASSAGES_MAX
    rows = np.zeros(shape)
    rows[:, 0] = note_scores
    return PassageHits(note_ids, np.full(shape, NO_SLOT, np.int64), rows)
