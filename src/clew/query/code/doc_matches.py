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
from clew.values.arrays import Int64Array

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
    first = in_order(snapshot, best)
    return sorted(first, key=lambda slot: -best[slot])[:MATCHES_MAX]


def in_order(snapshot: Snapshot, slots: Iterable[int]) -> list[int]:
    """Return slots by the path of their note, then by their place in it.

    The slots themselves are in the order of edits, which must not show.
    """
    note_ids, path = snapshot.passages.slots.note_ids, snapshot.graph.path
    return sorted(slots, key=lambda slot: (path(int(note_ids[slot])), slot))


def _rarest(terms: list[_Term]) -> list[_Term]:
    """Return the rarest terms, which have ``SENTENCE_POSTINGS_MAX`` postings together at most."""
    terms.sort(key=lambda term: len(term.slots))
    sums = accumulate(len(term.slots) for term in terms)
    return [term for term, total in zip(terms, sums, strict=True) if total <= SENTENCE_POSTINGS_MAX]


def _lookup(snapshot: Snapshot, term: str) -> _Term | None:
    """Return the passages that have a term; ``None`` if none or too many have it."""
    keyword, passages = snapshot.passages.keyword, snapshot.passages.slots
    live_count = len(passages) - passages.dead_count
    posted, _ = keyword.postings_of(keyword.ids_of_term(term))
    live = posted[passages.is_live[posted]]
    if not 0 < len(live) <= min(COMMON_SHARE * live_count, POSTINGS_MAX):
        return None
    slots: Int64Array = np.unique(live).astype(np.int64)
    return _Term(slots, inverse_frequency(live_count, len(slots)))


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
    passages, graph = snapshot.passages.slots, snapshot.graph
    ids_left_out = [note_id for path in left_out if (note_id := graph.note_id(path)) is not None]
    is_usable = (counts >= TERMS_MIN) & (weights.scores >= least)
    is_usable &= passages.parts[weights.slots] > 0  # no heads
    is_usable &= ~np.isin(passages.note_ids[weights.slots], ids_left_out)
    if not is_usable.any():
        return None
    score = weights.scores[is_usable].max()
    best = weights.slots[is_usable & (weights.scores == score)]
    return in_order(snapshot, best.tolist())[0], float(score)
