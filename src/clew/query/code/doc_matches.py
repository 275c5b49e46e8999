"""Passages of notes that match a sentence of a doc comment by its rare words.

Notes seldom name a function, but a docstring and the note that tells its reason often share rare
words. So each sentence looks for the passage that has most of its words, weighted by rarity. Too
few shared words are ignored as chance.
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
TERMS_MIN = 3  # of a sentence, that a passage must have
COVERED_MIN = 0.5  # share of the weight of a sentence's terms that a passage must have
COMMON_SHARE = 0.2  # of all passages: a term that more have is left out
POSTINGS_MAX = 5_000  # a term with more is left out too
SENTENCE_POSTINGS_MAX = 20_000  # of the terms of a sentence; its most frequent ones are left out


class _Term(NamedTuple):
    slots: Int64Array  # rising
    weight: float  # the inverse document frequency among passages


def slots_matching(
    snapshot: Snapshot, texts: Iterable[str], left_out: frozenset[str]
) -> Slices[list[int]]:
    """Return the slots of the passages that have most of a sentence, best first.

    ``texts``: doc comments, by falling importance; ``left_out``: the notes that contain the code.
    """
    best: dict[int, float] = {}
    terms: dict[str, _Term | None] = {}  # by text, of all terms that were looked up
    all_sentences = (sentence for text in filter(None, texts) for sentence in sentences(text))
    for sentence in islice(all_sentences, SENTENCES_MAX):
        sentence_terms = query_terms(
            sentence[:SENTENCE_CHARACTERS_MAX], snapshot.languages, may_be_empty=True
        ).terms
        for term in sentence_terms:
            if term not in terms:
                terms[term] = _lookup(snapshot, term)
                yield PAUSE
        rarest = _rarest([usable for term in sentence_terms if (usable := terms[term])])
        match = _best(snapshot, rarest, left_out)
        if match is not None:
            slot, score = match
            best[slot] = max(score, best.get(slot, 0.0))
        yield PAUSE
    return sorted(best, key=lambda slot: (-best[slot], slot))[:MATCHES_MAX]


def _rarest(terms: list[_Term]) -> list[_Term]:
    """Return the rarest terms, which have ``SENTENCE_POSTINGS_MAX`` postings together at most."""
    terms.sort(key=lambda term: len(term.slots))
    sums = accumulate(len(term.slots) for term in terms)
    return [term for term, total in zip(terms, sums, strict=True) if total <= SENTENCE_POSTINGS_MAX]


def _lookup(snapshot: Snapshot, term: str) -> _Term | None:
    """Return the passages that have a term; ``None`` if none or too many have it."""
    keyword, note_ids = snapshot.passages.keyword, snapshot.passages.slots.note_ids
    posted, _ = keyword.postings_of(keyword.ids_of_term(term))
    if not 0 < len(posted) <= min(COMMON_SHARE * len(note_ids), POSTINGS_MAX):
        return None
    slots: Int64Array = np.unique(posted[note_ids[posted] >= 0]).astype(np.int64)
    return _Term(slots, inverse_frequency(len(note_ids), len(slots))) if len(slots) else None


def _best(
    snapshot: Snapshot, terms: Sequence[_Term], left_out: frozenset[str]
) -> tuple[int, float] | None:
    """Return the slot with the highest weight of terms, and that; ``None`` if none has enough."""
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
