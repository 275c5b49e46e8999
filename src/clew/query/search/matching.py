"""Words to notes, however they are written: as they stand, as parts of others, or misspelt.

Exact matches first; where those are few, words that contain those asked for; where they are still
few, the vault's words nearest to them. Where there are enough, a slip of the pen is corrected, and
no more. What was used is told.
"""

import unicodedata
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal, Protocol

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.search.hits import HITS_MAX, Hits, ordered
from clew.query.search.legs.keyword import keyword_hits, keyword_scores, notes_holding
from clew.query.search.query_terms import CHARACTERS_MAX, Asked, asked
from clew.text.fuzzy import SHORT_LETTERS_MAX, Correction, Vocabulary, correct, words_containing
from clew.text.terms import LANGUAGES, term_of
from clew.values.arrays import BoolArray, Float64Array
from clew.values.search_replies import Correction as ToldCorrection
from clew.values.search_replies import FuzzyCorrection

FEW = 3  # notes: with fewer, other ways to match are tried
LETTERS_MIN = 3  # of a word that others may contain, so a run of three at least
SLIP_LETTERS_MIN = 4  # of a word that is corrected though enough was found
CONTAINING_MAX = 100  # words that contain one that is asked for

Tier = Literal["bm25", "trigram", "fuzzy", "keyword"]


class VocabularyMissing(Exception):
    """The words of this revision are wanted: make them, and ask again."""


class Answered(Protocol):
    """A query as it was answered."""

    @property
    def asked(self) -> Asked:
        """With misspelt words corrected."""

    @property
    def corrections(self) -> tuple[Correction, ...]:
        """Which words were."""


@dataclass(frozen=True, slots=True, eq=False)
class Matching:
    """What the words of a query found, and how."""

    asked: Asked  # as answered: misspelt words corrected
    hits: Hits
    scores: Float64Array  # of all notes, by note id; ``hits`` are the best of those allowed
    tier: Tier
    ids: Sequence[Sequence[int]]  # the words of the vault that each term stands for
    forms: Sequence[Sequence[str]]  # the same, as they are written
    corrections: tuple[Correction, ...] = ()


def matching(
    snapshot: Snapshot,
    wanted: Asked,
    allowed: BoolArray | None,
    *,
    fuzzy: bool,
    own: AbstractSet[str] = frozenset(),
) -> Matching:
    """Return the notes that hold what is asked for; terms in ``own`` are right as they are.

    Raises:
        VocabularyMissing: it takes the words of the vault, and they are not there yet.
    """
    if not wanted.words:
        return _found(snapshot, wanted, (), allowed, "bm25")
    ids = standing_for(snapshot, wanted.terms)
    found = _found(snapshot, wanted, ids, allowed, "bm25")
    is_enough = len(found.hits.notes) >= FEW
    if not is_enough:
        longer = [_holding(snapshot, word, LETTERS_MIN) for word in wanted.words]
        parts = _found(snapshot, wanted, _joined(ids, longer), allowed, "trigram")
        if len(parts.hits.notes) > len(found.hits.notes):
            found = parts
        if len(found.hits.notes) >= FEW:
            return found
    if not fuzzy:
        return found
    known = own | {term for term, standing in zip(wanted.terms, ids, strict=True) if standing}
    unknown = _unknown(snapshot, wanted, known)
    corrections = _slips(snapshot, unknown) if is_enough else _corrections(snapshot, unknown)
    if not corrections:
        return found
    corrected = _corrected(snapshot, wanted, corrections)
    nearest = _found(snapshot, corrected, standing_for(snapshot, corrected.terms), allowed, "fuzzy")
    if not _is_better(nearest, found):
        return found
    return replace(nearest, corrections=corrections)


def respelt(
    snapshot: Snapshot, wanted: Asked, own: AbstractSet[str]
) -> tuple[Asked, tuple[Correction, ...]]:
    """Return what is asked for with words the vault does not know taken for the nearest ones.

    Words of terms in ``own`` are left alone.

    Raises:
        VocabularyMissing: it takes the words of the vault, and they are not there yet.
    """
    ids = standing_for(snapshot, wanted.terms)
    known = own | {term for term, standing in zip(wanted.terms, ids, strict=True) if standing}
    corrections = _corrections(snapshot, _unknown(snapshot, wanted, known))
    return _corrected(snapshot, wanted, corrections) if corrections else wanted, corrections


def _corrections(snapshot: Snapshot, unknown: Sequence[str]) -> tuple[Correction, ...]:
    # Nothing is asked of the vocabulary in vain, for making it takes a tenth of a second.
    return tuple(correct(unknown, _vocabulary(snapshot))) if unknown else ()


def _slips(snapshot: Snapshot, unknown: Sequence[str]) -> tuple[Correction, ...]:
    """Return the corrections of words that are hardly words of their own.

    Beside words that find enough, most words that a vault does not know are right, and the nearest
    it knows means something else: one letter for another makes ``king`` of ``kind``.
    """
    likely = [word for word in unknown if len(word) >= SLIP_LETTERS_MIN and not _has_digit(word)]
    return tuple(filter(_is_slip, _corrections(snapshot, likely)))


def _has_digit(word: str) -> bool:
    return any(map(str.isdecimal, word))


def _is_slip(correction: Correction) -> bool:
    """Tell whether all that is wrong is a letter left out, one too many, or two exchanged.

    Not the first, and none too many in a short word: ``four`` is not ``for``.
    """
    word, to = correction.word, correction.corrected
    if correction.distance > 1 or word[0] != to[0]:
        return False
    if len(word) > len(to):
        return len(word) > SHORT_LETTERS_MAX
    return len(word) < len(to) or sorted(word) == sorted(to)


def _corrected(snapshot: Snapshot, wanted: Asked, corrections: Sequence[Correction]) -> Asked:
    text = corrected_text(wanted.text, corrections)
    # What is nearest may be a word that says nothing.
    return asked(text, snapshot.language, may_be_empty=True)


def _is_better(corrected: Matching, found: Matching) -> bool:
    """Tell whether corrected words find more notes, or more of what is asked for in as many."""
    more = len(corrected.hits.notes) - len(found.hits.notes)
    has_new_terms = not set(found.asked.terms).issuperset(corrected.asked.terms)
    return more > 0 or (more == 0 and found.tier == "bm25" and has_new_terms)


def by_parts(snapshot: Snapshot, wanted: Asked, allowed: BoolArray | None) -> Matching:
    """Return the notes with words that contain those asked for, by how many: the last resort."""
    ids = [_holding(snapshot, word, 1) for word in wanted.words]
    known = [each for each in ids if each]
    counts = np.zeros(snapshot.graph.note_slots)
    for each in known:
        counts[notes_holding(snapshot, each)] += 1.0
    shares = counts / max(1, len(wanted.words))
    scores, of_own = keyword_scores(snapshot, known)
    found = np.flatnonzero(counts if allowed is None else counts * allowed)
    notes = ordered(found, scores, snapshot.graph.paths)
    notes = notes[np.argsort(-counts[notes], kind="stable")][:HITS_MAX]
    hits = Hits(notes, shares[notes], snapshot.derived.layout.best_slots(of_own, notes))
    return Matching(wanted, hits, shares, "keyword", known, _forms(snapshot, known))


def told(query: str, matched: Answered) -> FuzzyCorrection | None:
    """Return how a reply tells that ``query`` was taken for another."""
    if not matched.corrections:
        return None
    rows = tuple(
        ToldCorrection(from_=each.word, to=each.corrected, distance=each.distance)
        for each in matched.corrections
    )
    read, unread = query[:CHARACTERS_MAX], query[CHARACTERS_MAX:]
    to = corrected_text(read, matched.corrections) + unread
    return FuzzyCorrection(from_=query, to=to, corrections=rows)


def corrected_text(text: str, corrections: Sequence[Correction]) -> str:
    """Return ``text`` with its misspelt words replaced, and the rest of it as it is."""
    instead = {each.word: each.corrected for each in corrections}
    return "".join(instead.get(run.casefold(), run) for run in _pieces(text))


def _pieces(text: str) -> list[str]:
    """Part ``text`` into its words, whole as they are written, and what stands between them."""
    composed = unicodedata.normalize("NFC", text)
    grouped = groupby(composed, lambda character: unicodedata.category(character)[0] in "LMN")
    return ["".join(run) for _, run in grouped]


def _unknown(snapshot: Snapshot, wanted: Asked, known: AbstractSet[str]) -> list[str]:
    """Return the words whose terms are not ``known``.

    Cuts and parts of words are none of them: only what is written as a word can be misspelt.
    """
    written = {run.casefold() for run in _pieces(wanted.text)}
    stemmer = LANGUAGES[snapshot.language]
    words = (word for word in wanted.words if word in written)
    return [word for word in words if term_of(word, stemmer) not in known]


def standing_for(snapshot: Snapshot, terms: Sequence[str]) -> list[list[int]]:
    """Return the ids of the words that stand for each term in some note."""
    passages = snapshot.passages
    return passages.words_in_use(list(map(passages.keyword.ids_of_term, terms)))


def _found(
    snapshot: Snapshot,
    wanted: Asked,
    ids: Sequence[Sequence[int]],
    allowed: BoolArray | None,
    tier: Tier,
) -> Matching:
    known = [each for each in ids if each]
    scores, of_own = keyword_scores(snapshot, known)
    hits = keyword_hits(snapshot, scores, of_own, allowed)
    return Matching(wanted, hits, scores, tier, known, _forms(snapshot, known))


def _forms(snapshot: Snapshot, ids: Sequence[Sequence[int]]) -> list[list[str]]:
    words = snapshot.passages.keyword.words
    return [sorted(words[word] for word in each) for each in ids]


def _holding(snapshot: Snapshot, part: str, letters_min: int) -> list[int]:
    """Return the ids of words that contain ``part``, if it has so many letters."""
    if len(part) < letters_min:
        return []
    found = words_containing(part, _vocabulary(snapshot), CONTAINING_MAX)
    ids = (snapshot.passages.keyword.id_of(each) for each in found)
    return sorted(each for each in ids if each is not None)


def _vocabulary(snapshot: Snapshot) -> Vocabulary:
    if snapshot.derived.vocabulary is None:
        raise VocabularyMissing
    return snapshot.derived.vocabulary


def _joined(ids: Sequence[Sequence[int]], longer: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return ``ids`` by term, each with the longer words that hold one of its own."""
    rest = [set(each) for each in longer]
    joined = []
    for known in ids:
        for each in rest:
            if each & set(known):
                each.update(known)
    joined = [sorted(each) for each in rest if each]
    covered = {word for each in joined for word in each}
    return joined + [list(each) for each in ids if each and not covered & set(each)]
