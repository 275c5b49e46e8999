"""The keyword leg: notes by BM25, of their best chunk and, for less, of the note as a whole.

A note's names, headings and tags count more than its text (``text.passages`` has the weights), and
they count in each of its chunks too. Statistics are those of all notes of the revision, whatever
the filters are.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.formulas.bm25 import inverse_frequency
from clew.index.structures.id_sums import distinct_ids
from clew.query.highest import highest
from clew.query.search.legs.base import Query
from clew.query.search.legs.word_scores import (
    NOTE_BONUS,
    TermSlots,
    WordScores,
    candidates,
    scores_with_heads,
)
from clew.query.search.passage_hits import HITS_MAX, PassageHits, with_passages
from clew.query.slices import Slices
from clew.values.arrays import BoolArray, Int64Array

KEYWORD = "keyword"


class KeywordLeg:
    """Notes that contain the words of the query."""

    name = KEYWORD
    default_weight = 1.0

    def find(self, snapshot: Snapshot, query: Query, allowed: BoolArray | None) -> PassageHits:  # noqa: ARG002
        """Return the hits of the words, which ``matching`` looked up to parse the query."""
        return query.word_hits


def keyword_hits(
    snapshot: Snapshot, scores: WordScores, allowed: BoolArray | None, lacking: int = 0
) -> Slices[PassageHits]:
    """Return the best ``allowed`` notes, with the passages whose own words add most to the head.

    ``lacking``: how many other terms of the query the vault does not have.
    """
    layout = snapshot.derived.layout
    note_ids = yield from candidates(scores, allowed, HITS_MAX)
    by_note, own = yield from scores_with_heads(layout, scores, note_ids)
    note_ids = highest(note_ids, by_note, snapshot.graph.path, HITS_MAX)
    hits = with_passages(note_ids, by_note[note_ids], own, layout)
    return replace(hits, full=full_score(snapshot, scores.terms, lacking))


def full_score(snapshot: Snapshot, found: Sequence[TermSlots], lacking: int) -> float:
    """Return the score of a note of one passage, of average length, that has each term once.

    That is ``1 + NOTE_BONUS`` times the sum of all inverse document frequencies, also of the terms
    that no note has.
    """
    rarest = inverse_frequency(snapshot.derived.layout.note_count, 0)
    return (1.0 + NOTE_BONUS) * (sum(term.weight for term in found) + lacking * rarest)


def notes_holding(snapshot: Snapshot, word_ids: Sequence[int]) -> Int64Array:
    """Return the notes that contain any of these words, by rising id."""
    slots, _ = snapshot.passages.keyword.postings_of(word_ids)
    note_ids = snapshot.derived.layout.note_ids.take(slots)
    return distinct_ids(note_ids[note_ids >= 0].astype(np.int64))
