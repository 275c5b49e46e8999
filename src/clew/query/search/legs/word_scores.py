"""BM25 scores of words: of whole notes, of chunks, and of chunks with the heads of their notes.

A chunk counts the words of its note's head too. Most notes have a word of the query in their text
alone: their chunks are scored by the postings. Where a head has one, all chunks below it score
more, perhaps hundreds that have no word themselves. These are scored only if the note can be among
the best: the saturated count of a sum is at most the sum of the saturated counts, which bounds what
a head adds. The results are those of scoring all chunks, bit for bit.

Source of leaving out what cannot be among the best: Turtle and Flood, "Query evaluation: strategies
and optimizations", Information Processing & Management 31(6), 1995.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TypeAlias

import numpy as np

from clew.engine.derived.layout import Layout
from clew.engine.snapshot import Snapshot
from clew.index.formulas.bm25 import LEAST_NORM, inverse_frequency, k1_of, saturation
from clew.index.keyword import KeywordIndex
from clew.index.structures.id_sums import begins_run, sums_of_runs
from clew.index.structures.slot_scores import SlotScores, summed
from clew.query.slices import PAUSE, Slices
from clew.text.passages import BODY_WEIGHT
from clew.values.arrays import (
    AnyArray,
    BoolArray,
    Float64Array,
    Int32Array,
    Int64Array,
    IntegerArray,
)

NOTE_BONUS = 1 / 3  # the share of the score of the note as a whole that is added
GROUP_POSTINGS_MAX = 1 << 15  # of terms that are scored at once, unless one term has more
IN_TEXT = 1.0  # so often a note has a term at least, unless in a property or link target alone
_ROUNDING = 1e-9  # a bound is lowered by this share, far above the rounding of a sum

_Columns: TypeAlias = tuple[Int32Array, IntegerArray]  # slots, and how often each has a term


@dataclass(frozen=True, slots=True, eq=False)
class TermSlots:
    """A term's inverse document frequency, and the live slots that have the term.

    In notes that have it in values alone, its weight is ``weight_of_values``.
    """

    weight: float
    weight_of_values: float
    slots: Int64Array  # rising


@dataclass(frozen=True, slots=True, eq=False)
class TermPostings:
    """The live postings of a group of terms, one term after the other."""

    slots: Int64Array  # rising within a term
    note_ids: Int64Array  # of the slots
    counts: Float64Array  # of the term in the slot, in words of the body
    bounds: Int64Array  # the postings of term ``t`` are from ``bounds[t]`` to ``bounds[t + 1]``


@dataclass(frozen=True, slots=True, eq=False)
class WordScores:
    """The BM25 scores of some words."""

    of_notes: Float64Array  # as a whole, by note id
    own: SlotScores  # of chunks, by their own words
    best_own: Float64Array  # of any chunk, by note id
    head_bounds: Float64Array  # by note id: what its head adds to a chunk at most
    terms: Sequence[TermSlots]
    postings: Sequence[TermPostings]  # of the same terms, group after group


def score_words(snapshot: Snapshot, terms: Sequence[Sequence[int]]) -> Slices[WordScores]:
    """Return the scores of ``terms``, each given as the ids of the words that match it.

    The terms of most queries have few postings and are scored at once. Dozens of frequent words of
    a large vault have a million: these are scored group after group, with pauses. The scores of one
    note or slot are added in the order of terms.
    """
    layout = snapshot.derived.layout
    of_notes, head_bounds = np.zeros(layout.note_slots), np.zeros(layout.note_slots)
    columns: list[_Columns] = []
    for word_ids in terms:
        columns.append(_postings_of_term(snapshot.passages.keyword, word_ids))
        yield PAUSE
    groups: list[TermPostings] = []
    term_slots: list[TermSlots] = []
    own: list[Float64Array] = []
    for group in _groups(columns):
        found = _live_postings(snapshot, layout, group)
        groups.append(found)
        yield PAUSE
        starts, counts_by_note = sums_of_runs(found.counts, _begins_note(found))
        holding = found.note_ids[starts]
        firsts = starts.searchsorted(found.bounds)  # of the notes of each term
        is_in_text = counts_by_note >= IN_TEXT
        in_texts = _sums_of_terms(is_in_text, firsts)
        weights = _weights(layout.note_count, in_texts, firsts)
        weight_by_note = _weights_by_note(weights, is_in_text, firsts)
        # Passages are too short to tell a word that is repeated from others: theirs is ``K1``.
        told = _sums_of_terms(counts_by_note * is_in_text, firsts)
        k1s = k1_of(told / np.maximum(1, in_texts)).repeat(_lengths(firsts))
        by_note = saturation(counts_by_note, layout.note_norms(holding), k1s)
        np.add.at(of_notes, holding, weight_by_note * by_note)
        yield PAUSE
        norms = layout.chunk_norms(found.slots)
        posting_counts = _lengths(np.append(starts, len(found.slots)))  # by note of each term
        weight_by_posting = weight_by_note.repeat(posting_counts)
        own.append(weight_by_posting * saturation(found.counts, norms))
        heads = np.isinf(norms).nonzero()[0]
        of_heads = weight_by_posting[heads] * saturation(found.counts[heads], LEAST_NORM)
        np.add.at(head_bounds, found.note_ids[heads], of_heads)
        spans = zip(weights, pairwise(found.bounds.tolist()), strict=True)
        term_slots += [TermSlots(*both, found.slots[start:end]) for both, (start, end) in spans]
        yield PAUSE
    sums = summed([found.slots for found in groups], own)
    yield PAUSE
    best_own = layout.best_by_note(sums)
    yield PAUSE
    return WordScores(of_notes, sums, best_own, head_bounds, term_slots, groups)


def _groups(columns: Sequence[_Columns]) -> Iterator[list[_Columns]]:
    """Yield groups of terms, in order: each of as many as one step may score, at least of one."""
    group: list[_Columns] = []
    size = 0
    for slots, counts in columns:
        if group and size + len(slots) > GROUP_POSTINGS_MAX:
            yield group
            group, size = [], 0
        group.append((slots, counts))
        size += len(slots)
    if group:
        yield group


def _live_postings(snapshot: Snapshot, layout: Layout, columns: Sequence[_Columns]) -> TermPostings:
    """Return those postings of some terms that are in live slots."""
    # As int64, since indexes of another type are converted each time they are used.
    slots = np.concatenate([slots for slots, _ in columns], dtype=np.int64)
    counts = np.concatenate([counts for _, counts in columns], dtype=np.float64)
    counts /= BODY_WEIGHT
    bounds = np.array([0, *accumulate(len(slots) for slots, _ in columns)])
    note_ids = layout.note_ids.take(slots).astype(np.int64)
    if snapshot.passages.slots.dead_count:
        live = (note_ids >= 0).nonzero()[0]
        slots, note_ids, counts = slots.take(live), note_ids.take(live), counts.take(live)
        bounds = live.searchsorted(bounds)
    return TermPostings(slots, note_ids, counts, bounds)


def _postings_of_term(keyword: KeywordIndex, word_ids: Sequence[int]) -> _Columns:
    """Return the slots of these words, rising and each once, and how often they have any."""
    slots, counts = keyword.postings_of(word_ids)
    if len(word_ids) == 1 or (slots[1:] > slots[:-1]).all():
        return slots, counts
    order = slots.argsort(kind="stable")  # merges the runs of the words
    slots, wide_counts = slots.take(order), counts.take(order).astype(np.int32)
    firsts, sums = sums_of_runs(wide_counts, begins_run(slots))
    return slots.take(firsts), sums


def _lengths(bounds: Int64Array) -> Int64Array:
    return bounds[1:] - bounds[:-1]


def _sums_of_terms(values: AnyArray, firsts: Int64Array) -> AnyArray:
    """Return the sum of the values of each term, which begin at ``firsts``."""
    return np.array([values[start:end].sum() for start, end in pairwise(firsts.tolist())])


def _weights(documents: int, in_texts: AnyArray, firsts: Int64Array) -> list[tuple[float, float]]:
    """Return the weight of each term, and its weight in notes that have it in values alone.

    ``in_texts``: how many notes have each term in their text. ``firsts``: where the notes of each
    begin. For the weight, notes that have a term in values alone count only if all others do so
    too: where all notes have ``publish: true``, a text about publishing is no less rare. In those
    notes it is as frequent as it is in all.
    """
    return [
        (inverse_frequency(documents, in_text or every), inverse_frequency(documents, every))
        for in_text, every in zip(in_texts.tolist(), _lengths(firsts).tolist(), strict=True)
    ]


def _weights_by_note(
    weights: Sequence[tuple[float, float]], is_in_text: BoolArray, firsts: Int64Array
) -> Float64Array:
    """Return the weight of each term in each note that has it."""
    of_texts, of_values = np.array(weights).reshape(-1, 2).T.repeat(_lengths(firsts), axis=1)
    by_note: Float64Array = np.where(is_in_text, of_texts, of_values)
    return by_note


def _begins_note(found: TermPostings) -> BoolArray:
    """Return whether the postings of a term in a note begin at each posting."""
    is_first = begins_run(found.note_ids)
    is_first[found.bounds[found.bounds < len(is_first)]] = True
    return is_first


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
    by_note, _ = yield from scores_with_heads(layout, scores, note_ids)
    return by_note


def scores_with_heads(
    layout: Layout, scores: WordScores, note_ids: Int64Array
) -> Slices[tuple[Float64Array, SlotScores]]:
    """Return the scores of these notes by note id, as ``scores_by_note``, and those of chunks.

    The chunks of these notes score by what they add to what the head says: a chunk that repeats the
    title says less of it than another that has the other words. The chunks of a note whose head has
    no word, and of other notes, score by their own words.
    """
    best, own = scores.best_own[note_ids], scores.own
    with_head = (scores.head_bounds[note_ids] > 0).nonzero()[0]
    if len(with_head):
        with_head = with_head[layout.first_slots(note_ids[with_head]).argsort()]
        parts = _Parts.of(layout, note_ids[with_head])
        both, added = yield from _scores_of_parts(parts, scores)
        best[with_head] = np.maximum.reduceat(both, parts.heads)
        own = parts.replaced(own, added)
    by_note = np.zeros(layout.note_slots)
    by_note[note_ids] = NOTE_BONUS * scores.of_notes[note_ids] + best
    return by_note, own


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """All slots of some notes, note after note, each of which begins with its head."""

    note_ids: Int64Array
    slots: Int64Array  # rising
    heads: Int64Array  # where the head of each note is in ``slots``
    part_counts: Int64Array  # by note
    norms: Float64Array  # by slot; a head's is infinite, so that it scores 0

    @property
    def shifts(self) -> Int64Array:
        """What to add to a slot of each note to get its place in ``slots``."""
        return self.heads - self.slots[self.heads]

    @classmethod
    def of(cls, layout: Layout, note_ids: Int64Array) -> "_Parts":
        """Return the parts of these notes, whose first slots rise."""
        slots, counts = layout.slots_of(note_ids), layout.part_counts(note_ids)
        heads = counts.cumsum() - counts
        return cls(note_ids, slots, heads, counts, layout.chunk_norms(slots))

    def counts(
        self, groups: Iterable[TermPostings], note_slots: int
    ) -> Iterator[tuple[Float64Array, Float64Array | None]]:
        """Yield for each term how often each slot has it, and how often the head of its note.

        The latter is ``None`` if no head has the term.
        """
        is_wanted, shifts = np.zeros(note_slots, np.bool_), np.zeros(note_slots, np.int64)
        is_wanted[self.note_ids] = True
        shifts[self.note_ids] = self.shifts
        for found in groups:
            of_parts = is_wanted.take(found.note_ids).nonzero()[0]
            places = found.slots.take(of_parts) + shifts.take(found.note_ids.take(of_parts))
            counts = found.counts.take(of_parts)
            for start, end in pairwise(of_parts.searchsorted(found.bounds).tolist()):
                own = np.zeros(len(self.slots))
                own[places[start:end]] = counts[start:end]
                of_heads = own.take(self.heads)
                yield own, of_heads.repeat(self.part_counts) if of_heads.any() else None

    def weights(self, term: TermSlots, own: Float64Array) -> Float64Array | float:
        """Return the weight of a term in each slot; ``own``: how often each has it."""
        if term.weight == term.weight_of_values:
            return term.weight
        is_in_text = np.add.reduceat(own, self.heads) >= IN_TEXT
        weights = np.where(is_in_text, term.weight, term.weight_of_values)
        return weights.repeat(self.part_counts)

    def replaced(self, own: SlotScores, scores: Float64Array) -> SlotScores:
        """Return ``own`` with these ``scores`` of the parts instead, but of no other slots."""
        places, counts = own.places_within(self.slots[self.heads], self.part_counts)
        changed = own.scores.copy()
        changed[places] = scores[own.slots[places] + self.shifts.repeat(counts)]
        return SlotScores(own.slots, changed)


def _scores_of_parts(
    parts: _Parts, scores: WordScores
) -> Slices[tuple[Float64Array, Float64Array]]:
    """Return the score of each part together with its head, and what it adds to the head alone."""
    both, added = np.zeros(len(parts.slots)), np.zeros(len(parts.slots))
    counts = parts.counts(scores.postings, len(scores.of_notes))
    for term, (own, of_head) in zip(scores.terms, counts, strict=True):
        yield PAUSE
        weight = parts.weights(term, own)
        if of_head is None:
            of_both = of_own = weight * saturation(own, parts.norms)
        else:
            both_saturated = saturation(own + of_head, parts.norms)
            of_both = weight * both_saturated
            of_own = weight * (both_saturated - saturation(of_head, parts.norms))
        both += of_both
        added += of_own
        yield PAUSE
    return both, added
