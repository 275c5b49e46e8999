"""Relevance of passages: the score that search gives their note, shared out among them.

A pack ranks notes as search does, with every factor that search applies after fusion. The best
passage of a note has the note's whole score, and any other the fraction of it that its score by the
legs is of the best passage's.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from clew.engine.derived.layout import NO_SLOT
from clew.index.structures.id_sums import grouped
from clew.query.search.passage_hits import PassageHits
from clew.values.arrays import Float64Array, Int64Array

MENTIONING = 0.9  # share of the highest relevance for passages that mention code in the query
BESIDE = 0.5  # for the passages next to these in their section, which often give the reason
NEAR = 0.65  # for passages that mention neighbours of such code, or match its doc comments


class RankedSlots(NamedTuple):
    """The slots of passages, and the relevance of each, which falls."""

    slots: Int64Array
    relevance: Float64Array

    @classmethod
    def ordered(cls, slots: Int64Array, relevance: Float64Array) -> "RankedSlots":
        """Return slots in the order of their relevance; ties stay in order."""
        order = np.argsort(-relevance, kind="stable")
        return cls(slots[order], relevance[order])

    def including(self, slots: Sequence[int]) -> "RankedSlots":
        """Return these with those of ``slots`` that are missing, whose relevance is 0."""
        missing = np.setdiff1d(np.array(slots, np.int64), self.slots)
        none = np.zeros(len(missing))
        return RankedSlots(
            np.concatenate([self.slots, missing]), np.concatenate([self.relevance, none])
        )


def relevance_by_slot(
    hits_by_leg: Mapping[str, PassageHits],
    weights: Mapping[str, float],
    scores: Float64Array,
    note_ids: Int64Array,
    first_slots: Int64Array,
) -> RankedSlots:
    """Return the relevance of each passage that a leg found.

    ``scores``: of notes, by note id, as search ranks them. ``note_ids``: the notes found, each
    once. ``first_slots``: the first passage of each, which is used if only links or a period lead
    to the note.
    """
    found = [_shares(hits_by_leg[leg], weights[leg]) for leg in sorted(hits_by_leg)]
    notes = np.concatenate([note_ids[:0], *(each.notes for each in found)])
    shares = np.concatenate([np.zeros(0), *(each.shares for each in found)])
    slots = np.concatenate([note_ids[:0], *(each.slots for each in found)])
    order, group, firsts = grouped(slots)
    slots, notes = slots[firsts], notes[firsts]
    shares = np.bincount(group, shares[order]).astype(np.float64, copy=False)
    best = np.zeros(len(scores))  # by note id
    np.maximum.at(best, notes, shares)
    is_alone, is_shared = best[note_ids] == 0.0, best[notes] > 0.0
    notes, slots, shares = notes[is_shared], slots[is_shared], shares[is_shared]
    slots = np.concatenate([slots, first_slots[is_alone]])
    relevance = np.concatenate([scores[notes] * shares / best[notes], scores[note_ids[is_alone]]])
    return RankedSlots.ordered(slots, relevance)


def with_explaining(
    ranked: RankedSlots,
    mentioning: Sequence[int],
    beside: Sequence[int] = (),
    near: Sequence[int] = (),
) -> RankedSlots:
    """Return the ranked slots with passages that explain code which the query names.

    A passage that mentions the code gets ``MENTIONING`` of the highest relevance, and the rest by
    its own; one ``beside`` such a passage gets ``BESIDE``, and one ``near`` the code ``NEAR``.
    """
    # The last tier with a slot counts.
    tiers = ((beside, BESIDE), (near, NEAR), (mentioning, MENTIONING))
    shares = {slot: share for slots, share in tiers for slot in slots}
    if not shares:
        return ranked
    joined, own = ranked.including([*shares])
    highest = float(ranked.relevance[0]) if len(ranked.relevance) else 1.0
    share = np.array([shares.get(slot, 0.0) for slot in joined.tolist()])
    return RankedSlots.ordered(joined, share * highest + (1.0 - share) * own)


class _Shares(NamedTuple):
    """The passages that a leg found, each with its weighted share of the leg's best score."""

    notes: Int64Array
    slots: Int64Array
    shares: Float64Array


def _shares(hits: PassageHits, weight: float) -> _Shares:
    rows, columns = np.nonzero((hits.slots != NO_SLOT) & (hits.scores > 0))
    best = hits.scores[0, 0] if len(rows) else 1.0
    shares = weight * hits.scores[rows, columns] / best
    return _Shares(hits.note_ids[rows], hits.slots[rows, columns], shares)
