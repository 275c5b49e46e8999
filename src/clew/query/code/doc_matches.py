"""Passages of notes that match a sentence of a doc comment by its rare words.

Notes seldom name a function, but a docstring and the note that tells its reason often share rare
words. So the passage that has most of a sentence is looked for, weighed by how rare its words are;
a few words in common are chance.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate, islice
from typing import NamedTuple

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.formulas.bm25 import inverse_frequency
from clew.index.structures.slot_scores import summed
from clew.query.code.doc_comments import sentences
from clew.query.search.query_terms import query_terms
from clew.query.slices import PAUSE, Slices
from clew.values.arrays import Float64Array, Int64Array

SENTENCES_MAX = 12
SENTENCE_CHARACTERS_MAX = 400
MATCHES_MAX = 3  # passages
TERMS_MIN = 3  # of a sentence, that a passage has
COVERED_MIN = 0.5  # of the weight of the terms that notes have
COMMON_SHARE = 0.2  # of all passages: a term that more have is left out
POSTINGS_MAX = 5_000  # of a term, likewise
SENTENCE_POSTINGS_MAX = 20_000  # of all terms of a sentence; its rarest count


class _Term(NamedTuple):
    slots: Int64Array  # rising
    weight: float  # the inverse document frequency among passages


def slots_matching(
    snapshot: Snapshot, texts: Iterable[str], left_out: frozenset[str]
) -> Slices[list[int]]:
    """Return the slots of the passages that have most of a sentence, best first.

    ``texts``: what the source says, by falling importance; ``left_out``: the notes that have the
    source itself.
    """
    best: dict[int, float] = {}
    terms: dict[str, _Term | None] = {}  # that were looked up
    every = (sentence for text in filter(None, texts) for sentence in sentences(text))
    for sentence in islice(every, SENTENCES_MAX):
        asked = query_terms(
            sentence[:SENTENCE_CHARACTERS_MAX], snapshot.languages, may_be_empty=True
        ).terms
        for term in asked:
            if term not in terms:
                terms[term] = _looked_up(snapshot, term)
                yield PAUSE
        rarest = _rarest([known for term in asked if (known := terms[term])])
        found = _best(snapshot, rarest, left_out)
        if found is not None:
            slot, score = found
            best[slot] = max(score, best.get(slot, 0.0))
        yield PAUSE
    return sorted(best, key=lambda slot: (-best[slot], slot))[:MATCHES_MAX]


def _rarest(terms: list[_Term]) -> list[_Term]:
    """Return the rarest of some terms, as many as may be looked through."""
    terms.sort(key=lambda term: len(term.slots))
    sums = accumulate(len(term.slots) for term in terms)
    return [term for term, total in zip(terms, sums, strict=True) if total <= SENTENCE_POSTINGS_MAX]


def _looked_up(snapshot: Snapshot, term: str) -> _Term | None:
    """Return the passages that have a term; ``None`` if none or many have it."""
    keyword, note_ids = snapshot.passages.keyword, snapshot.passages.slots.note_ids
    posted, _ = keyword.postings_of(keyword.ids_of_term(term))
    if not 0 < len(posted) <= min(COMMON_SHARE * len(note_ids), POSTINGS_MAX):
        return None
    slots: Int64Array = np.unique(posted[note_ids[posted] >= 0]).astype(np.int64)
    return _Term(slots, inverse_frequency(len(note_ids), len(slots))) if len(slots) else None


def _best(
    snapshot: Snapshot, terms: Sequence[_Term], left_out: frozenset[str]
) -> tuple[int, float] | None:
    """Return the slot that has most of these terms, and their weight; ``None`` if too few."""
    if len(terms) < TERMS_MIN:
        return None
    slots = [term.slots for term in terms]
    weights = summed(slots, [np.full(len(term.slots), term.weight) for term in terms])
    counts = summed(slots, [np.ones(len(each)) for each in slots]).scores
    least = COVERED_MIN * sum(term.weight for term in terms)
    fitting = np.flatnonzero((counts >= TERMS_MIN) & (weights.scores >= least))
    scores: Float64Array = weights.scores[fitting]
    for index in np.argsort(-scores, kind="stable").tolist():
        slot = int(weights.slots[fitting[index]])
        note_id = int(snapshot.passages.slots.note_ids[slot])
        is_head = slot == snapshot.passages.slots.slots_of(note_id).start
        if not is_head and snapshot.graph.path(note_id) not in left_out:
            return slot, float(scores[index])
    return None
