"""The semantic leg: notes by the cosine of the query's vector and that of their nearest chunk.

What counts is how far a cosine is above that of an unrelated note. The latter is the noise of the
model, or more: texts in a language that the model hardly knows, or of a vault with one subject, are
all similar. So the median cosine of the notes found is used if it is higher and these are many.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from clew.engine.derived.layout import Layout
from clew.engine.snapshot import Snapshot
from clew.index.cosines import Cosines, Floats
from clew.index.structures.slot_scores import SlotScores
from clew.index.vectors import VectorIndex
from clew.query.highest import highest_pairs
from clew.query.search.legs.base import Query
from clew.query.search.legs.comparison import are_few
from clew.query.search.passage_hits import (
    HITS_MAX,
    NO_HITS,
    PassageHits,
    with_passages,
)
from clew.values.arrays import BoolArray, Float64Array, Int8Array, Int64Array

SEMANTIC = "semantic"
NOTES_MIN = 50  # notes among the candidates, below which all vectors are compared
MEDIAN_MIN = 50  # notes found, below which their median tells nothing of other notes
FULL = 1.0  # the cosine of equal texts
# So many of the highest slots are looked at for the best notes, and more if these are of too few
# notes: long notes have many slots that are alike.
HIGH_SLOTS = (4 * HITS_MAX, 16 * HITS_MAX)
SAMPLED_FROM = 64 * HITS_MAX  # with fewer slots, all that score above 0 are looked at
SAMPLE_SLOTS = 2_048  # sampled to estimate the least score of the ``HIGH_SLOTS``
_ROUNDING = 1e-9  # a bound is lowered by this share, far above the rounding of a score


class SemanticLeg:
    """Notes that are similar in meaning to the query."""

    name = SEMANTIC
    default_weight = 0.5

    def find(self, snapshot: Snapshot, query: Query, allowed: BoolArray | None) -> PassageHits:
        """Return the notes nearest to the query's text; none if there is no model or no word."""
        if query.encode is None or not query.terms.words:
            return NO_HITS
        text, begun = query.terms.text, query.comparison
        if begun is not None and begun.text == text:
            hits = nearest_notes(snapshot, begun.vector, allowed, begun.products)
        else:
            hits = nearest_notes(snapshot, query.encode(text), allowed)
        return replace(hits, none=_background(hits, query.noise), full=FULL)


def _background(hits: PassageHits, noise: float) -> float:
    """Return the cosine of a note that has nothing to do with the query."""
    if len(hits.note_ids) < MEDIAN_MIN:
        return noise
    falling, half = hits.note_scores, len(hits.note_ids) // 2
    # Not ``numpy.median``, which would sort them again.
    median = falling[half] if len(falling) % 2 else (falling[half - 1] + falling[half]) / 2.0
    return max(noise, float(median))


def vector_share(snapshot: Snapshot) -> float:
    """Return the share of passages with a vector, 0..1, from counts that are kept.

    A passage has none while it waits for one, or in a script that the model does not know. The
    leg ranks only those that have one, so its ranks say less the fewer there are.
    """
    passage_count = snapshot.passages.totals.chunks
    return min(1.0, snapshot.passages.vectors.count / passage_count) if passage_count else 0.0


def nearest_notes(
    snapshot: Snapshot,
    vector: Int8Array,
    allowed: BoolArray | None = None,
    products: Callable[[], Floats] | None = None,
) -> PassageHits:
    """Return the ``allowed`` notes nearest to ``vector``.

    ``products``: returns the inner products of ``vector`` with all passages, if they were begun.
    There are none for a zero vector, or for a vector of another model's shape.
    """
    vectors, layout = snapshot.passages.vectors, snapshot.derived.layout
    if not vector.any() or vector.shape != (vectors.dimensions,):
        return NO_HITS
    near = _near(vectors, layout, vector, allowed)
    if near is not None:
        note_ids, scores = _best(snapshot, near, allowed)
        return with_passages(note_ids, scores, near, layout)
    cosines = vectors.cosines(vector, None if products is None else products())
    for slots in _high(cosines):
        note_ids, scores = _best(snapshot, cosines.above_0(slots), allowed)
        if len(note_ids) == HITS_MAX:
            break
    return with_passages(note_ids, scores, cosines, layout)


def _best(
    snapshot: Snapshot, similarities: SlotScores, allowed: BoolArray | None
) -> tuple[Int64Array, Float64Array]:
    """Return the best ``allowed`` notes of these slots, and their scores.

    Notes are scored before the best are taken: a long one has hundreds of very similar chunks.
    """
    note_ids, scores = snapshot.derived.layout.best_of_notes(similarities)
    if allowed is not None:
        is_allowed = allowed.take(note_ids)
        note_ids, scores = note_ids[is_allowed], scores[is_allowed]
    return highest_pairs(note_ids, scores, snapshot.graph.path, HITS_MAX)


def _high(cosines: Cosines) -> Iterator[Int64Array]:
    """Yield the slots with the highest ratios above 0, ever more of them, by rising slot.

    No other slot scores as much as any of them. The last are all slots that score above 0.
    """
    ratios = cosines.rough_ratios()
    if len(ratios) >= SAMPLED_FROM:
        sample = np.sort(ratios[:: len(ratios) // SAMPLE_SLOTS])
        for most in HIGH_SLOTS:
            count = max(1, len(sample) * most // len(ratios))
            bound = float(sample[-count]) * (1.0 - _ROUNDING)
            if bound > 0:
                yield cosines.at_least(bound, ratios)
    yield (ratios > 0).nonzero()[0]


def _near(
    vectors: VectorIndex, layout: Layout, vector: Int8Array, allowed: BoolArray | None
) -> SlotScores | None:
    """Return the similarities of the allowed slots if few, else of those in the approximate index.

    ``None``: all slots are to be compared, as there is no such index, or the slots that it finds
    are of too few allowed notes.
    """
    if allowed is not None:
        note_ids = np.flatnonzero(allowed)
        if are_few(layout, note_ids):
            return vectors.similarities_of(vector, np.sort(layout.slots_of(note_ids)))
    if vectors.approximate is None:
        return None
    near = vectors.near(vector)
    near_notes = np.unique(layout.note_ids[near.slots])
    if allowed is not None:
        near_notes = near_notes[allowed[near_notes]]
    return near if len(near_notes) >= NOTES_MIN else None
