"""BM25 scores of words: of whole notes, of chunks, and of chunks with the heads of their notes.

A chunk counts the words of its note's head too. Most notes have a word of the query in their text
alone: their chunks are scored by the postings. Where a head has one, all chunks below it score
more, perhaps hundreds that have no word themselves. These are scored only if the note can be among
the best: the saturated count of a sum is at most the sum of the saturated counts, which bounds what
a head adds. The results are those of scoring all chunks, bit for bit.

Source of leaving out what cannot be among the best: Turtle and Flood, "Query evaluation: strategies
and optimizations", Information Processing & Management 31(6), 1995.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.engine.derived.layout import Layout
from clew.engine.snapshot import Snapshot
from clew.index.formulas.bm25 import LEAST_NORM, inverse_frequency, saturation
from clew.index.structures.id_sums import starts_of_runs
from clew.index.structures.slot_scores import SlotScores, summed
from clew.query.slices import PAUSE, Slices
from clew.text.passages import BODY_WEIGHT
from clew.values.arrays import BoolArray, Float64Array, Int32Array, Int64Array, IntegerArray

NOTE_BONUS = 1 / 3  # the share of the score of the note as a whole that is added
_PARTS_OF_ONE_CHUNK = 2  # with the head
_ROUNDING = 1e-9  # a bound is lowered by this share, far above the rounding of a sum


@dataclass(frozen=True, slots=True, eq=False)
class TermSlots:
    """A term's inverse document frequency, and the live slots that have the term."""

    weight: float
    slots: IntegerArray  # rising
    frequencies: IntegerArray | Float64Array  # of the term in each slot, in units of the index

    def counts_in(self, slots: Int64Array) -> Float64Array:
        """Return how often each of these slots has the term, in words of the body; ``slots`` rise.

        Takes time for ``slots`` alone.
        """
        counts = np.zeros(len(slots))
        wanted = slots.astype(self.slots.dtype)  # with another type all slots would be copied
        places = self.slots.searchsorted(wanted)
        found = (self.slots.take(places, mode="clip") == wanted).nonzero()[0]
        counts[found] = self.frequencies[places[found]] / BODY_WEIGHT
        return counts


@dataclass(frozen=True, slots=True, eq=False)
class WordScores:
    """The BM25 scores of some words."""

    of_notes: Float64Array  # as a whole, by note id
    own: SlotScores  # of chunks, by their own words
    best_own: Float64Array  # of any chunk, by note id
    head_bounds: Float64Array  # by note id: what its head adds to a chunk at most
    terms: Sequence[TermSlots]


def score_words(snapshot: Snapshot, terms: Sequence[Sequence[int]]) -> Slices[WordScores]:
    """Return the scores of ``terms``, each given as the ids of the words that match it.

    A hundred frequent words of a large vault have a million postings: pauses after each step.
    """
    layout = snapshot.derived.layout
    of_notes, head_bounds = np.zeros(layout.note_slots), np.zeros(layout.note_slots)
    term_slots: list[TermSlots] = []
    own: list[Float64Array] = []
    for word_ids in terms:
        slots, note_ids, frequencies = postings(snapshot, layout, word_ids)
        counts = frequencies / BODY_WEIGHT
        yield PAUSE
        starts = starts_of_runs(note_ids)
        holding = note_ids[starts]
        counts_by_note = np.add.reduceat(counts, starts) if len(starts) else counts
        weight = inverse_frequency(layout.note_count, len(holding))
        term_slots.append(TermSlots(weight, slots, frequencies))
        of_notes[holding] += weight * saturation(counts_by_note, layout.note_norms(holding))
        yield PAUSE
        norms = layout.chunk_norms(slots)
        own.append(weight * saturation(counts, norms))
        heads = np.isinf(norms).nonzero()[0]
        head_bounds[note_ids[heads]] += weight * saturation(counts[heads], LEAST_NORM)
        yield PAUSE
    sums = summed([term.slots for term in term_slots], own)
    yield PAUSE
    best_own = layout.best_by_note(sums)
    yield PAUSE
    return WordScores(of_notes, sums, best_own, head_bounds, term_slots)


def postings(
    snapshot: Snapshot, layout: Layout, word_ids: Sequence[int]
) -> tuple[IntegerArray, Int32Array, IntegerArray | Float64Array]:
    """Return the live slots that contain any of these words, their notes, and how often.

    The slots rise and occur once; frequencies are in units of the index.
    """
    keyword = snapshot.passages.keyword
    posted: IntegerArray
    frequencies: IntegerArray | Float64Array
    posted, frequencies = keyword.postings_of(word_ids)
    note_ids = layout.note_ids.take(posted)
    if snapshot.passages.slots.dead_count:
        live = (note_ids >= 0).nonzero()[0]
        posted, frequencies, note_ids = posted[live], frequencies[live], note_ids[live]
    if not (posted[1:] > posted[:-1]).all():
        sums = summed([posted], [frequencies.astype(np.float64)])
        posted, frequencies = sums.slots, sums.scores
        note_ids = layout.note_ids[posted]
    return posted, note_ids, frequencies


# -- notes by their best chunk --------------------------------------------------------------------


def candidates(scores: WordScores, allowed: BoolArray | None, most: int) -> Slices[Int64Array]:
    """Return notes, by rising id, among which are the ``most`` best ``allowed`` ones and all ties.

    All have some of the words.
    """
    least = NOTE_BONUS * scores.of_notes + scores.best_own  # by note id
    has_words = scores.of_notes > 0
    note_ids = (has_words if allowed is None else has_words & allowed).nonzero()[0]
    yield PAUSE
    if len(note_ids) <= most:
        return note_ids
    least = least[note_ids]
    bound = np.partition(least, -most)[-most] * (1.0 - _ROUNDING)
    reaching: Int64Array = note_ids[least + scores.head_bounds[note_ids] >= bound]
    return reaching


def scores_by_note(
    layout: Layout, scores: WordScores, note_ids: Int64Array
) -> Slices[Float64Array]:
    """Return the scores of these notes by note id: of the best chunk with the head, and the bonus.

    All other notes have 0.0.
    """
    best = scores.best_own[note_ids]
    with_head = (scores.head_bounds[note_ids] > 0).nonzero()[0]
    if len(with_head):
        best[with_head] = yield from _best_with_heads(layout, scores.terms, note_ids[with_head])
    by_note = np.zeros(layout.note_slots)
    by_note[note_ids] = NOTE_BONUS * scores.of_notes[note_ids] + best
    return by_note


def own_beside_heads(
    layout: Layout, scores: WordScores, note_ids: Int64Array
) -> Slices[SlotScores]:
    """Return the scores of the chunks of these notes by what they add to what the head says.

    A chunk that repeats the title says less of it than another that has the other words. The chunks
    of a note whose head has no word, and of other notes, score by their own words.
    """
    has_choice = layout.part_counts(note_ids) > _PARTS_OF_ONE_CHUNK
    with_head = note_ids[has_choice & (scores.head_bounds[note_ids] > 0)]
    if not len(with_head):
        return scores.own
    parts = _Parts.of(layout, with_head[np.argsort(layout.first_slots(with_head))])
    added = np.zeros(len(parts.slots))
    for term in scores.terms:
        own, of_head = parts.counts(term)
        yield PAUSE
        both = saturation(own + of_head, parts.norms)
        added += term.weight * (both - saturation(of_head, parts.norms))
        yield PAUSE
    return scores.own.replaced(parts.slots, added)


def _best_with_heads(
    layout: Layout, terms: Sequence[TermSlots], note_ids: Int64Array
) -> Slices[Float64Array]:
    """Return the score of the best chunk of each of these notes, which have several slots each."""
    order = np.argsort(layout.first_slots(note_ids))
    parts = _Parts.of(layout, note_ids[order])
    scores = np.zeros(len(parts.slots))
    yield PAUSE
    for term in terms:
        own, of_head = parts.counts(term)
        yield PAUSE
        scores += term.weight * saturation(own + of_head, parts.norms)
        yield PAUSE
    best = np.zeros(len(note_ids))
    best[order] = np.maximum.reduceat(scores, parts.heads)
    return best


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """All slots of some notes, note after note, each of which begins with its head."""

    slots: Int64Array  # rising
    heads: Int64Array  # where the head of each note is in ``slots``
    part_counts: Int64Array  # by note
    norms: Float64Array  # by slot; a head's is infinite, so that it scores 0

    @classmethod
    def of(cls, layout: Layout, note_ids: Int64Array) -> "_Parts":
        """Return the parts of these notes, whose first slots rise."""
        slots, counts = layout.slots_of(note_ids), layout.part_counts(note_ids)
        return cls(slots, np.cumsum(counts) - counts, counts, layout.chunk_norms(slots))

    def counts(self, term: TermSlots) -> tuple[Float64Array, Float64Array]:
        """Return how often each slot has a term, and how often the head of its note has it."""
        own = term.counts_in(self.slots)
        return own, own[self.heads].repeat(self.part_counts)
