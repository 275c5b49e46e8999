"""The keyword leg: notes by BM25, of their best chunk and, for less, of the note as a whole.

A note's names, headings and tags count more than its text (``text.passages`` has the weights), and
they count in each of its chunks too. Statistics are those of all notes of the revision, whatever
the filters are.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from clew.engine.derived.layout import Layout
from clew.engine.snapshot import Snapshot
from clew.index.formulas.bm25 import inverse_frequency, saturation
from clew.index.structures.slot_scores import SlotScores, summed
from clew.query.search.legs.base import Query
from clew.query.search.passage_hits import HITS_MAX, PassageHits, best_notes, with_passages
from clew.query.slices import PAUSE, Slices
from clew.text.passages import BODY_WEIGHT
from clew.values.arrays import BoolArray, Float64Array, Int64Array

KEYWORD = "keyword"
NOTE_BONUS = 1 / 3  # the share of the score of the note as a whole that is added


class KeywordLeg:
    """Notes that contain the words of the query."""

    name = KEYWORD
    default_weight = 1.0

    def find(self, snapshot: Snapshot, query: Query, allowed: BoolArray | None) -> PassageHits:  # noqa: ARG002
        """Return the hits of the words, which ``matching`` looked up to parse the query."""
        return query.word_hits


@dataclass(frozen=True, slots=True, eq=False)
class WordScores:
    """The BM25 scores of some words."""

    by_note: Float64Array  # that of its best chunk with the head, and the bonus for the whole note
    of_slots: SlotScores  # of the slot's own words, without those of the note's head
    terms: Sequence["TermSlots"]  # of each term


@dataclass(frozen=True, slots=True, eq=False)
class TermSlots:
    """A term's inverse document frequency, and the live slots that have the term."""

    weight: float
    slots: Int64Array  # rising


def keyword_hits(
    snapshot: Snapshot, scores: WordScores, allowed: BoolArray | None, lacking: int = 0
) -> PassageHits:
    """Return the best of the ``allowed`` notes, with the passages whose own words score most.

    ``lacking``: how many other terms of the query the vault does not have.
    """
    by_note = scores.by_note if allowed is None else np.where(allowed, scores.by_note, 0.0)
    note_ids = best_notes(by_note, snapshot.graph.paths, HITS_MAX)
    hits = with_passages(note_ids, by_note[note_ids], scores.of_slots, snapshot.derived.layout)
    return replace(hits, full=full_score(snapshot, scores.terms, lacking))


def full_score(snapshot: Snapshot, found: Sequence["TermSlots"], lacking: int) -> float:
    """Return the score of a note of one passage, of average length, that has each term once.

    That is the sum of the inverse document frequencies; of terms that the vault lacks too.
    """
    rarest = inverse_frequency(snapshot.derived.layout.note_count, 0)
    return (1.0 + NOTE_BONUS) * (sum(term.weight for term in found) + lacking * rarest)


def score_words(snapshot: Snapshot, terms: Sequence[Sequence[int]]) -> Slices[WordScores]:
    """Return the scores of ``terms``, each given as the ids of the words that match it.

    A hundred frequent words of a large vault have a million postings: pauses after each step.
    """
    layout = snapshot.derived.layout
    by_note = np.zeros(layout.note_slots)
    own, with_head = _Sums(), _Sums()
    term_slots: list[TermSlots] = []
    for word_ids in terms:
        slots, frequencies = _postings(snapshot, layout, word_ids)
        yield PAUSE
        counts = summed([slots], [frequencies])
        yield PAUSE
        note_ids = layout.note_ids[counts.slots]
        counts_by_note = np.zeros(layout.note_slots)
        counts_by_note += np.bincount(note_ids, counts.scores, layout.note_slots)
        holding = np.flatnonzero(counts_by_note > 0)
        weight = inverse_frequency(layout.note_count, len(holding))
        term_slots.append(TermSlots(weight, counts.slots))
        norms = layout.note_norms(holding)
        by_note[holding] += weight * saturation(counts_by_note[holding], norms)
        yield PAUSE
        own.add(_passage_scores(layout, counts, weight))
        yield PAUSE
        with_head.add(_passage_scores(layout, _with_heads(layout, counts), weight))
        yield PAUSE
    by_note = NOTE_BONUS * by_note + layout.best_by_note(with_head.sums())
    yield PAUSE
    return WordScores(by_note, own.sums(), term_slots)


class _Sums:
    """The scores of slots for each term, to be added term by term."""

    def __init__(self) -> None:
        self._slots: list[Int64Array] = []
        self._scores: list[Float64Array] = []

    def add(self, scores: SlotScores) -> None:
        self._slots.append(scores.slots)
        self._scores.append(scores.scores)

    def sums(self) -> SlotScores:
        return summed(self._slots, self._scores)


def _passage_scores(layout: Layout, counts: SlotScores, weight: float) -> SlotScores:
    """Return the scores of passages that contain a term so many times."""
    scores = weight * saturation(counts.scores, layout.chunk_norms(counts.slots))
    return SlotScores(counts.slots, scores)


def _with_heads(layout: Layout, counts: SlotScores) -> SlotScores:
    """Return the counts, with those of each head added to those of the chunks below it."""
    is_head = layout.is_head(counts.slots)
    if not is_head.any():
        return counts
    chunks, chunk_counts = layout.chunks_below(counts.slots[is_head])
    head_counts = np.repeat(counts.scores[is_head], chunk_counts)
    return summed([counts.slots, chunks], [counts.scores, head_counts])


def notes_holding(snapshot: Snapshot, word_ids: Sequence[int]) -> Int64Array:
    """Return the notes that contain any of these words, by rising id."""
    layout = snapshot.derived.layout
    note_ids: Int64Array = np.unique(layout.note_ids[_postings(snapshot, layout, word_ids)[0]])
    return note_ids


def _postings(
    snapshot: Snapshot, layout: Layout, word_ids: Sequence[int]
) -> tuple[Int64Array, Float64Array]:
    """Return the live slots that contain these words, with counts in words of the body.

    A slot with several of the words occurs once for each.
    """
    posted, frequencies = snapshot.passages.keyword.postings_of(word_ids)
    is_live = layout.note_ids[posted] >= 0
    slots: Int64Array = posted[is_live].astype(np.int64)
    counts: Float64Array = frequencies[is_live] / BODY_WEIGHT
    return slots, counts
