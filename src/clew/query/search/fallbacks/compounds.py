"""Compounds: two words of the vault that a query joins, and two of a query that the vault joins."""

from collections.abc import Iterable, Sequence

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.search.query_terms import QueryTerms
from clew.query.search.spelling import occurs, runs_of
from clew.query.slices import PAUSE, Slices
from clew.text.similarity.fuzzy import LETTERS_MAX, Correction, corrigible_words
from clew.values.arrays import Int32Array

PART_LETTERS_MIN = 3  # of each part; shorter words are parts of too many others
_NO_SLOTS = np.zeros(0, np.int32)


def splits_of(snapshot: Snapshot, words: Iterable[str]) -> Slices[list[Correction]]:
    """Return the corrections that split those ``words`` which join two words of the vault.

    Some passage has both parts; of several ways to split a word, that of most such passages is
    taken. The missing space counts as one edit.
    """
    corrections = []
    for word in corrigible_words(words):
        parts = _best_split(snapshot, word)
        if parts is not None:
            corrections.append(Correction(word, " ".join(parts), 1))
        yield PAUSE
    return corrections


def has_both_words(snapshot: Snapshot, split: Correction) -> bool:
    """Return whether notes have both parts of a split as they stand, and not by their stems."""
    return all(occurs(snapshot, part) for part in split.corrected.split())


def _best_split(snapshot: Snapshot, word: str) -> tuple[str, str] | None:
    if not word.isalpha() or len(word) > LETTERS_MAX:
        return None
    stop_words = snapshot.languages.stop_words
    passage_counts: dict[tuple[str, str], int] = {}
    for at in range(PART_LETTERS_MIN, len(word) - PART_LETTERS_MIN + 1):
        parts = word[:at], word[at:]
        ids = [_ids(snapshot, part) for part in parts if part not in stop_words]
        if len(ids) == len(parts) and all(ids):
            left, right = ids
            slots = np.unique(_live_slots(snapshot, left))
            has_both = snapshot.passages.keyword.has_any(right, slots)
            passage_counts[parts] = int(np.count_nonzero(has_both))
    best = max(passage_counts, key=passage_counts.__getitem__, default=None)
    return best if best is not None and passage_counts[best] else None


def _ids(snapshot: Snapshot, word: str) -> list[int]:
    return snapshot.passages.keyword.ids_of_term(snapshot.languages.term_of(word))


def _live_slots(snapshot: Snapshot, word_ids: Sequence[int]) -> Int32Array:
    slots, _ = snapshot.passages.keyword.postings_of(word_ids)
    live: Int32Array = slots[snapshot.passages.slots.note_ids[slots] >= 0]
    return live


def with_joined_words(
    snapshot: Snapshot, query: QueryTerms, ids_by_term: Sequence[Sequence[int]]
) -> list[list[int]]:
    """Return ``ids_by_term`` with the words that join two neighbours in the query.

    Such a word, ``clockdrift`` for "clock drift", counts as either of the two, unless all of its
    passages have that word anyway: ``clock-drift`` is indexed whole and by its parts.
    """
    ids = [list(each) for each in ids_by_term]
    places = {term: place for place, term in enumerate(query.terms)}
    for pair in _neighbours(query):
        joined = _ids(snapshot, "".join(pair))
        slots = _live_slots(snapshot, joined) if joined else _NO_SLOTS
        for word in pair if len(slots) else ():
            own = ids[places[snapshot.languages.term_of(word)]]
            if not snapshot.passages.keyword.has_any(own, slots).all():
                own += [word_id for word_id in joined if word_id not in own]
    return ids


def _neighbours(query: QueryTerms) -> list[tuple[str, str]]:
    """Return the words of the query that follow one another with only a space between."""
    runs = [run.casefold() for run in runs_of(query.plain)]
    words = {word for word in query.words if len(word) >= PART_LETTERS_MIN and word.isalpha()}
    triples = zip(runs, runs[1:], runs[2:], strict=False)
    pairs = [(left, right) for left, space, right in triples if space.isspace()]
    return [pair for pair in dict.fromkeys(pairs) if words.issuperset(pair)]
