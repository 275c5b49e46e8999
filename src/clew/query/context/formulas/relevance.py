"""Relevance of passages: the score that search gives their note, shared out among them.

A pack ranks notes as search does, with all that search applies after the fusion of its legs. The
best passage of a note has the note's whole score, and each other one the share that the legs found
for it, compared with the best.
"""

from collections.abc import Mapping

import numpy as np

from clew.engine.derived.layout import NO_SLOT
from clew.query.search.passage_hits import PassageHits
from clew.values.arrays import Float64Array

Slot = int


def relevance_by_slot(
    hits_by_leg: Mapping[str, PassageHits],
    weights: Mapping[str, float],
    scores: Float64Array,
    first_slots: Mapping[int, Slot],
) -> dict[Slot, float]:
    """Return the relevance of each passage that a leg found.

    ``scores``: of notes, by note id, as search ranks them. ``first_slots``: the first passage of
    each note, by note id; it stands for notes that only links or a period lead to.
    """
    found: dict[int, dict[Slot, float]] = {note_id: {} for note_id in sorted(first_slots)}
    for leg in sorted(hits_by_leg):
        for note_id, slot, share in _shares(hits_by_leg[leg], weights[leg]):
            found[note_id][slot] = found[note_id].get(slot, 0.0) + share
    relevance: dict[Slot, float] = {}
    for note_id, shares in found.items():
        by_slot = shares or {first_slots[note_id]: 1.0}
        best = max(by_slot.values())
        for slot, share in by_slot.items():
            relevance[slot] = float(scores[note_id]) * share / best
    return relevance


def _shares(hits: PassageHits, weight: float) -> list[tuple[int, Slot, float]]:
    """Return (note id, slot, weight times the share of the leg's best score) of each passage."""
    rows, columns = np.nonzero((hits.slots != NO_SLOT) & (hits.scores > 0))
    if not len(rows):
        return []
    shares = weight * hits.scores[rows, columns] / hits.scores[0, 0]
    notes, slots = hits.note_ids[rows], hits.slots[rows, columns]
    return list(zip(notes.tolist(), slots.tolist(), shares.tolist(), strict=True))
