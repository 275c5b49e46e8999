"""The keyword leg: notes by BM25, of the note as a whole and of its best chunk.

A note's names, headings and tags count more than its text (``text.passages`` has the weights); they
speak for each of its chunks too. Statistics are those of the notes alive at this revision.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from clew.engine.derived import Layout
from clew.engine.snapshot import Snapshot
from clew.index.bm25 import inverse_frequency, saturation
from clew.query.hits import NOTHING, FloatArray, Hits, SlotArray, best
from clew.text.passages import BODY_WEIGHT

BoolArray = npt.NDArray[np.bool_]


def by_keyword(
    snapshot: Snapshot, terms: Sequence[Sequence[int]], allowed: BoolArray | None = None
) -> Hits:
    """Return the notes that hold any of ``terms``, each given as the ids of its words.

    ``allowed``, by note id, limits what is found, not what statistics are taken from.
    """
    if not terms or not snapshot.derived.layout.note_count:
        return NOTHING
    scores, slots = keyword_scores(snapshot, terms)
    if allowed is not None:
        scores = np.where(allowed, scores, 0.0)
    return best(scores, slots, snapshot.graph.paths)


def keyword_scores(
    snapshot: Snapshot, terms: Sequence[Sequence[int]]
) -> tuple[FloatArray, SlotArray]:
    """Return the score of every note, by note id, and the slot that speaks for it most."""
    layout = snapshot.derived.layout
    of_notes, of_slots = np.zeros(layout.note_slots), np.zeros(len(layout.note_ids))
    for ids in terms:
        slots, counts = _cells(snapshot, layout, ids)
        in_note = np.zeros(layout.note_slots)
        in_note += np.bincount(layout.note_ids[slots], counts, layout.note_slots)
        holding = np.flatnonzero(in_note > 0)
        weight = inverse_frequency(layout.note_count, len(holding))
        lengths = layout.note_lengths[holding]
        of_notes[holding] += weight * saturation(in_note[holding], lengths, layout.mean_note)
        chunks, counts = _in_chunks(layout, slots, counts)
        lengths = layout.chunk_lengths[chunks]
        of_slots[chunks] += weight * saturation(counts, lengths, layout.mean_chunk)
    best_slots, of_best = layout.best_slots(of_slots)
    return of_notes + of_best, best_slots


def _cells(snapshot: Snapshot, layout: Layout, ids: Sequence[int]) -> tuple[SlotArray, FloatArray]:
    """Return the slots alive in which any of these words stands, each once, and how often."""
    found, times = snapshot.passages.keyword.cells_of(ids)
    alive = layout.note_ids[found] >= 0
    slots: SlotArray = found[alive].astype(np.int64)
    counts: FloatArray = times[alive] / BODY_WEIGHT
    if len(ids) == 1:
        return slots, counts
    in_slot = np.zeros(len(layout.note_ids))
    in_slot += np.bincount(slots, counts, len(in_slot))
    slots = np.flatnonzero(in_slot > 0)
    return slots, in_slot[slots]


def _in_chunks(
    layout: Layout, slots: SlotArray, counts: FloatArray
) -> tuple[SlotArray, FloatArray]:
    """Return in which chunks a term counts, and how often: with the heads of their notes."""
    is_chunk = layout.is_chunk[slots]
    heads, in_heads = slots[~is_chunk], counts[~is_chunk]
    own, in_own = slots[is_chunk], counts[is_chunk]
    if not len(heads):
        return own, in_own
    of_note = np.zeros(layout.note_slots)
    of_note[layout.note_ids[heads]] = in_heads
    in_own += of_note[layout.note_ids[own]]
    is_own = np.zeros(len(layout.note_ids), np.bool_)
    is_own[own] = True
    below = layout.chunks_below(heads)
    others = below[~is_own[below]]
    in_others = of_note[layout.note_ids[others]]
    return np.concatenate([own, others]), np.concatenate([in_own, in_others])
