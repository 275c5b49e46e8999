"""The keyword leg: notes by BM25, of the note as a whole and of its best chunk.

A note's names, headings and tags count more than its text (``text.passages`` has the weights); they
speak for each of its chunks too. Statistics are those of the notes alive at this revision.
"""

from collections.abc import Sequence

import numpy as np

from clew.engine.derived.arrays import Layout
from clew.engine.snapshot import Snapshot
from clew.index.formulas.bm25 import inverse_frequency, saturation
from clew.query.search.hits import HITS_MAX, NOTHING, Hits, ranked
from clew.text.passages import BODY_WEIGHT
from clew.values.arrays import BoolArray, Float64Array, Int64Array


def by_keyword(
    snapshot: Snapshot, terms: Sequence[Sequence[int]], allowed: BoolArray | None = None
) -> Hits:
    """Return the notes that hold any of ``terms``, each given as the ids of its words.

    ``allowed``, by note id, limits what is found, not what statistics are taken from.
    """
    if not terms or not snapshot.derived.layout.note_count:
        return NOTHING
    return keyword_hits(snapshot, *keyword_scores(snapshot, terms), allowed)


def keyword_hits(
    snapshot: Snapshot, scores: Float64Array, of_own: Float64Array, allowed: BoolArray | None
) -> Hits:
    """Return the best of the notes with these ``keyword_scores``."""
    if allowed is not None:
        scores = np.where(allowed, scores, 0.0)
    notes = ranked(scores, snapshot.graph.paths, HITS_MAX)
    return Hits(notes, scores[notes], snapshot.derived.layout.best_slots(of_own, notes))


def keyword_scores(
    snapshot: Snapshot, terms: Sequence[Sequence[int]]
) -> tuple[Float64Array, Float64Array]:
    """Return the score of every note, by note id, and what each chunk says itself, by slot."""
    layout = snapshot.derived.layout
    of_notes, of_slots = np.zeros(layout.note_slots), np.zeros(len(layout.note_ids))
    of_own, in_slots = np.zeros_like(of_slots), np.zeros_like(of_slots)
    for ids in terms:
        slots, counts = _cells(snapshot, layout, ids)
        in_notes = np.zeros(layout.note_slots)
        in_notes += np.bincount(layout.note_ids[slots], counts, layout.note_slots)
        holding = np.flatnonzero(in_notes > 0)
        weight = inverse_frequency(layout.note_count, len(holding))
        of_notes[holding] += weight * saturation(in_notes[holding], layout.note_norms[holding])
        np.add.at(in_slots, slots, counts)
        # A slot that is there twice has one score, and gets it once.
        of_own[slots] += weight * saturation(in_slots[slots], layout.chunk_norms[slots])
        # What stands in the head of a note counts in each of its chunks.
        heads = slots[layout.is_head[slots]]
        below, runs = layout.chunks_below(heads)
        in_slots[below] += np.repeat(in_slots[heads], runs)
        slots = np.concatenate([slots, below])
        of_slots[slots] += weight * saturation(in_slots[slots], layout.chunk_norms[slots])
        in_slots[slots] = 0.0
    return of_notes + layout.most(of_slots), of_own


def notes_holding(snapshot: Snapshot, ids: Sequence[int]) -> Int64Array:
    """Return the notes in which any of these words stands, by rising id."""
    layout = snapshot.derived.layout
    notes: Int64Array = np.unique(layout.note_ids[_cells(snapshot, layout, ids)[0]])
    return notes


def _cells(
    snapshot: Snapshot, layout: Layout, ids: Sequence[int]
) -> tuple[Int64Array, Float64Array]:
    """Return the slots alive in which each of these words stands, and how often."""
    found, times = snapshot.passages.keyword.postings_of(ids)
    alive = layout.note_ids[found] >= 0
    slots: Int64Array = found[alive].astype(np.int64)
    counts: Float64Array = times[alive] / BODY_WEIGHT
    return slots, counts
