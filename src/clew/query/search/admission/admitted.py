"""Admit the hits of a search by their evidence, and judge whether the query is answered.

A note is admitted by its own evidence: words and meaning, words alone where its meaning is not
known, or its name in the query. A note that only the graph leg, or a leg of another kind, found is
admitted by the evidence of the notes and names where the links start. Nothing here depends on the
ranking, and a note's own evidence does not depend on the filters.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import compress

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.structures.id_sums import distinct_ids
from clew.query.search.admission.coverage import (
    Candidates,
    Coverage,
    candidates_of,
    coverage,
)
from clew.query.search.admission.evidence import (
    EVIDENCE_MIN,
    MIDDLE,
    WEAK_MIN,
    WORDS,
    Answered,
    closeness,
    confidence,
    evidence,
    evidence_of_words,
    judged,
    weak_min_of,
)
from clew.query.search.admission.weighed_terms import WeighedTerms, weighed_terms
from clew.query.search.legs.keyword import KEYWORD
from clew.query.search.legs.semantic import SEMANTIC, vector_share
from clew.query.search.legs.temporal import TEMPORAL
from clew.query.search.matching import WordMatches
from clew.query.search.named import named_in
from clew.query.search.passage_hits import NO_HITS, PassageHits, rows_of
from clew.values.arrays import Float64Array, Int64Array

LINKED_MIN = 0.05  # least score of a note that only links lead to, as a share of the leg's best
LAST_LATIN = "\u024f"
KNOWN_SHARE = 0.5  # least share of passages with a vector; the model may not know their script
CERTAIN = WORDS  # evidence of a concept whose name is the whole query
# Least evidence of a note whose name of several words is in the query: a weak answer, as what is
# asked of it may not be there.
TITLED = MIDDLE - 0.06


@dataclass(frozen=True, slots=True, eq=False)
class Admission:
    """The admitted notes of a search."""

    answered: Answered
    best_confidence: float  # of all notes that were found, admitted or not
    confidences: Float64Array  # by note id, in [0, 1]; 0.0: not admitted
    unmatched: tuple[str, ...] = ()  # words of the query that the vault lacks
    _terms: WeighedTerms | None = None
    _candidates: Candidates | None = None
    _coverage: Coverage | None = None

    def of(self, note_ids: Int64Array) -> Int64Array:
        """Return those of ``note_ids`` that are admitted, in their order."""
        return note_ids[self.confidences[note_ids] > 0]

    def weights_of_words(self, note_ids: Int64Array, aside: AbstractSet[str]) -> Float64Array:
        """Return the weight of the words, but those ``aside``, in the best passage of each note."""
        if self._terms is None or self._candidates is None or self._coverage is None:
            return np.zeros(len(note_ids))
        by_note = self._coverage.weights_by_note(self._terms, aside)
        return by_note[self._candidates.index_of(note_ids)]

    def words_of_notes(self) -> list[str]:
        """Return the words that notes have without a correction, the weightiest first."""
        matched = self._terms.matched if self._terms is not None else ()
        exact = [term for term in matched if term.quality == 1.0]
        return [term.word for term in sorted(exact, key=lambda term: -term.weight)]

    def words_in(self, note_ids: Sequence[int]) -> list[tuple[str, ...]]:
        """Return the words of the query that the best passage of each note has."""
        words: list[tuple[str, ...]] = [()] * len(note_ids)
        if self._terms is None or self._candidates is None or self._coverage is None:
            return words
        matched = [term.word for term in self._terms.matched]
        indexes, rows = rows_of(note_ids, self._candidates.note_ids)
        has_terms = self._coverage.terms_of_best(rows.tolist())
        for index, has_term in zip(indexes, has_terms, strict=True):
            words[index] = tuple(dict.fromkeys(filter(None, compress(matched, has_term))))
        return words


def all_admitted(snapshot: Snapshot, note_ids: Int64Array) -> Admission:
    """Return the admission of notes for a query that has only a period or operators."""
    confidences = np.zeros(snapshot.graph.note_slots)
    confidences[note_ids] = 1.0
    if not len(note_ids):
        return Admission("no", 0.0, confidences)
    return Admission("yes", 1.0, confidences)


def admitted(
    snapshot: Snapshot,
    matches: WordMatches,
    hits_by_leg: Mapping[str, PassageHits],
    *,
    noise: float,
    has_all_vectors: bool,
    aside: AbstractSet[str] = frozenset(),
    names: AbstractSet[str] = frozenset(),
) -> Admission:
    """Return the admission of the hits of a query with words.

    ``hits_by_leg``: of all legs that ran, shown or not. ``noise``: that of the model. With
    ``has_all_vectors`` false, notes may be similar in meaning though they have no vector yet.
    ``aside``: words of the query that say when, or only ask for notes. ``names``: its names.
    """
    layout = snapshot.derived.layout
    terms = weighed_terms(matches, snapshot.languages, layout.note_count, aside, names)
    semantic = hits_by_leg.get(SEMANTIC, NO_HITS)
    all_hits = [matches.hits, *hits_by_leg.values()]
    note_ids = distinct_ids(np.concatenate([hits.note_ids for hits in all_hits]))
    candidates = candidates_of(note_ids, (matches.hits, semantic), layout)
    covered = coverage(terms, candidates)
    near = np.zeros(len(note_ids))
    near[candidates.index_of(semantic.note_ids)] = closeness(semantic.note_scores, noise)
    own = evidence(covered.shares, near)
    weak_min = weak_min_of(snapshot.passages.totals.chunks)
    knows_meaning = has_all_vectors and vector_share(snapshot) >= KNOWN_SHARE
    if not (knows_meaning and len(semantic.note_ids)):
        is_latin = _is_latin(matches.query.words)
        # Words that are far apart tell too little alone, and so do fewer words in a small vault.
        own = np.maximum(own, evidence_of_words(covered.best_shares, is_latin=is_latin))
        weak_min = WEAK_MIN
    titled = _titled(snapshot, matches.query.text, note_ids, aside)
    own[titled] = np.maximum(own[titled], TITLED)
    linked = _linked(candidates, hits_by_leg)
    seed, best_confidence = _seed_evidence(snapshot, matches, own, linked, weak_min)
    confidences = np.zeros(snapshot.graph.note_slots)
    answered = judged(best_confidence, weak_min)
    if answered != "no":
        shown = ((own >= EVIDENCE_MIN) | (linked >= LINKED_MIN)).nonzero()[0]
        whole = np.maximum(own, seed * linked).take(shown)
        confidences[note_ids.take(shown)] = confidence(whole)
    return Admission(
        answered, best_confidence, confidences, terms.unmatched, terms, candidates, covered
    )


def _is_latin(words: Sequence[str]) -> bool:
    """Return whether at least half of these words have no letter beyond the Latin blocks."""
    latin = sum(max(word) <= LAST_LATIN for word in words)
    return 2 * latin >= len(words)


def _titled(
    snapshot: Snapshot, text: str, note_ids: Int64Array, aside: AbstractSet[str]
) -> Int64Array:
    """Return the rows in ``note_ids`` of notes that ``text`` names by several words.

    A single word may mean another thing. Numbers, stop words and words ``aside`` do not count:
    "Chapter 1" and "2025-01-20" name nothing that only one note is about.
    """
    left_out = snapshot.languages.stop_words | aside
    paths = [
        path
        for named in named_in(snapshot, text)
        if len({each for each in named.words if each.isalpha()} - left_out) > 1
        for path in named.paths
    ]
    _, rows = rows_of([snapshot.graph.note_ids[path] for path in paths], note_ids)
    return rows


def _linked(candidates: Candidates, hits_by_leg: Mapping[str, PassageHits]) -> Float64Array:
    """Return the score of each candidate as a share of the best in legs of another kind, or 0.

    A period is no evidence: it would make every note of that time an answer.
    """
    linked = np.zeros(len(candidates.note_ids))
    for name, hits in hits_by_leg.items():
        if name not in (KEYWORD, SEMANTIC, TEMPORAL) and len(hits.note_ids):
            rows = candidates.index_of(hits.note_ids)
            linked[rows] = np.maximum(linked[rows], hits.note_scores / hits.note_scores[0])
    return linked


def _seed_evidence(
    snapshot: Snapshot,
    matches: WordMatches,
    own: Float64Array,
    linked: Float64Array,
    weak_min: float,
) -> tuple[float, float]:
    """Return the evidence at the start of links, and the confidence that it gives.

    It is that of the best note, or of a concept that is named: a query may be the name of a concept
    that is written otherwise in all notes.
    """
    best = float(own.max(initial=0.0))
    confidence_of_best = _confidence_of(best)
    if confidence_of_best < weak_min and linked.any():
        named = named_in(snapshot, matches.query.text)
        if any(each.is_whole for each in named):
            return CERTAIN, _confidence_of(CERTAIN)
    return best, confidence_of_best


def _confidence_of(evidence: float) -> float:
    return float(confidence(np.array([evidence]))[0])
