"""The keyword leg: notes by BM25, of their best chunk and, for less, of the note as a whole.

A note's names, headings and tags count more than its text (``text.passages`` has the weights), and
they count in each of its chunks too. Statistics are those of all notes of the revision, whatever
the filters are.
"""

from collections.abc import Sequence

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.highest import highest
from clew.query.search.legs.base import Query
from clew.query.search.legs.word_scores import (
    WordScores,
    candidates,
    postings,
    scores_by_note,
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
    snapshot: Snapshot, scores: WordScores, allowed: BoolArray | None
) -> Slices[PassageHits]:
    """Return the best of the ``allowed`` notes, with the passages whose own words score most."""
    layout = snapshot.derived.layout
    note_ids = yield from candidates(scores, allowed, HITS_MAX)
    by_note = yield from scores_by_note(layout, scores, note_ids)
    note_ids = highest(note_ids, by_note, snapshot.graph.path, HITS_MAX)
    return with_passages(note_ids, by_note[note_ids], scores.own, layout)


def notes_holding(snapshot: Snapshot, word_ids: Sequence[int]) -> Int64Array:
    """Return the notes that contain any of these words, by rising id."""
    _, note_ids, _ = postings(snapshot, snapshot.derived.layout, word_ids)
    holding: Int64Array = np.unique(note_ids).astype(np.int64)
    return holding
