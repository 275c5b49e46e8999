"""Keep empty notes below notes with text that have the same words.

A note without text or properties of its own says nothing of a subject but its name, yet a short
name scores high in every leg. So a note that has words of the query in its names alone is ranked
below all notes that have text and have these words too, wherever they have them.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.search.legs.word_scores import TermSlots
from clew.text.filename import stem_of
from clew.text.markdown.property_lines import has_properties
from clew.text.terms import count_words
from clew.values.arrays import BoolArray, Float64Array, Int64Array
from clew.values.replies import SCORE_DECIMALS

_LEAST = 10.0**-SCORE_DECIMALS  # the least difference between two scores

WordIds = Sequence[int]


def below_notes_with_text(
    snapshot: Snapshot,
    word_ids_by_term: Sequence[WordIds],
    slots_by_term: Sequence[TermSlots],
    note_ids: Int64Array,
    scores: Float64Array,
) -> Float64Array:
    """Return ``scores``, by note id, with those of empty notes lowered where the rule says so.

    ``note_ids`` are the notes found, and ``word_ids_by_term`` the words that match each term,
    which are in ``slots_by_term``.
    """
    has_text = snapshot.passages.slots.counts[note_ids] > 1
    if has_text.all() or not has_text.any() or not word_ids_by_term:
        return scores
    holds = np.array([_holds(snapshot, term, note_ids) for term in slots_by_term])
    is_named = ~has_text & holds.any(axis=0)
    lowered = scores.copy()
    for held in np.unique(holds[:, is_named], axis=1).T:  # the terms that some empty notes hold
        is_alike = has_text & holds[held].all(axis=0)
        if not is_alike.any():
            continue
        bound = max(0.0, float(scores[note_ids[is_alike]].min()) - _LEAST)
        are_empty = is_named & (holds == held[:, np.newaxis]).all(axis=0)
        terms = [word_ids_by_term[index] for index in np.flatnonzero(held).tolist()]
        for note_id in note_ids[are_empty & (scores[note_ids] > bound)].tolist():
            path = snapshot.graph.path(note_id)
            if _is_in_names(snapshot, path, terms) and not has_properties(snapshot.note(path).text):
                lowered[note_id] = bound
    return lowered


def _holds(snapshot: Snapshot, term: TermSlots, note_ids: Int64Array) -> BoolArray:
    """Return which of these notes have a slot with the term."""
    firsts, counts = snapshot.passages.slots.firsts[note_ids], snapshot.passages.slots.counts
    places = np.searchsorted(term.slots, firsts.astype(term.slots.dtype))
    held: BoolArray = places < len(term.slots)
    held[held] = term.slots[places[held]] < (firsts + counts[note_ids])[held]
    return held


def _is_in_names(snapshot: Snapshot, path: str, terms: Iterable[WordIds]) -> bool:
    """Return whether a name of the note at ``path`` has each of these terms."""
    aliases = snapshot.names.names_of(path).aliases
    names = "\n".join((snapshot.facts[path].title, stem_of(path), *aliases))
    words, named = snapshot.passages.keyword.words, count_words(names)
    return all(any(words[word_id] in named for word_id in word_ids) for word_ids in terms)
