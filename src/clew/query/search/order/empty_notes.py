"""Keep empty notes below notes with text that have the same words.

A note without text or properties of its own says nothing of a subject but its name, yet a short
name scores high in every leg. So a note that has words of the query in its names alone is ranked
below all notes that have text and have these words too, wherever they have them. The headings of a
template are no text of the notes that were made from it.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.structures.id_sums import which_runs_hold_any
from clew.query.search.fusion import SCORE_STEP
from clew.query.search.legs.word_scores import TermSlots
from clew.text.filename import stem_of
from clew.text.markdown.property_lines import has_properties
from clew.text.regions.sections import is_bare
from clew.text.terms import count_words
from clew.values.arrays import Float64Array, Int32Array, Int64Array

BARE_LENGTH_MAX = 400  # in halves of a word; a note with a longer passage has text
BARE_MAX = 16  # notes that are read to see whether they have only headings

WordIds = Sequence[int]


def below_notes_with_text(
    snapshot: Snapshot,
    word_ids_by_term: Sequence[WordIds],
    slots_by_term: Sequence[TermSlots],
    note_ids: Int64Array,
    scores: Float64Array,
) -> Float64Array:
    """Return the ``scores`` of these notes, those of empty notes lowered where the rule says so.

    ``note_ids`` are the notes found, and ``word_ids_by_term`` the words that match each term,
    which are in ``slots_by_term``.
    """
    if not len(note_ids) or not word_ids_by_term:
        return scores
    counts = snapshot.passages.slots.counts.take(note_ids)
    has_text = counts > 1
    has_text[_bare(snapshot, slots_by_term, note_ids, counts, scores)] = False
    if has_text.all() or not has_text.any():
        return scores
    firsts = snapshot.passages.slots.firsts.take(note_ids)
    ends = firsts + counts
    holds = np.array([which_runs_hold_any(firsts, ends, term.slots) for term in slots_by_term])
    is_named = ~has_text & holds.any(axis=0)
    lowered = scores.copy()
    for held in np.unique(holds[:, is_named], axis=1).T:  # the terms that some empty notes hold
        is_alike = has_text & holds[held].all(axis=0)
        if not is_alike.any():
            continue
        bound = max(0.0, float(scores[is_alike].min()) - SCORE_STEP)
        are_empty = is_named & (holds == held[:, np.newaxis]).all(axis=0)
        terms = [word_ids_by_term[index] for index in np.flatnonzero(held).tolist()]
        for place in np.flatnonzero(are_empty & (scores > bound)).tolist():
            path = snapshot.graph.path(int(note_ids[place]))
            if _is_in_names(snapshot, path, terms) and not has_properties(snapshot.note(path).text):
                lowered[place] = bound
    return lowered


def _bare(
    snapshot: Snapshot,
    slots_by_term: Sequence[TermSlots],
    note_ids: Int64Array,
    counts: Int32Array,
    scores: Float64Array,
) -> list[int]:
    """Return the places of notes with one passage that has nothing but headings of a template.

    Only ``BARE_MAX`` notes are read: the best with a short passage and a term in their head.
    ``counts``: how many slots each of ``note_ids`` has.
    """
    places = (counts == 2).nonzero()[0]
    firsts = snapshot.passages.slots.firsts.take(note_ids.take(places))
    short = (snapshot.passages.keyword.lengths.take(firsts + 1) <= BARE_LENGTH_MAX).nonzero()[0]
    places, firsts = places.take(short), firsts.take(short)
    is_named = np.zeros(len(places), np.bool_)
    for term in slots_by_term:
        is_named |= which_runs_hold_any(firsts, firsts + 1, term.slots)
    places = places[is_named]
    places = places[(-scores[places]).argsort(kind="stable")][:BARE_MAX]
    return [
        place
        for place in places.tolist()
        if _has_shared_headings_alone(snapshot, int(note_ids[place]))
    ]


def _has_shared_headings_alone(snapshot: Snapshot, note_id: int) -> bool:
    if not all(snapshot.symbols.are_shared(note_id)):
        return False
    note = snapshot.note(snapshot.graph.path(note_id))
    return is_bare(note.text[note.chunks[0].start : note.chunks[-1].end])


def _is_in_names(snapshot: Snapshot, path: str, terms: Iterable[WordIds]) -> bool:
    """Return whether a name of the note at ``path`` has each of these terms."""
    aliases = snapshot.names.names_of(path).aliases
    names = "\n".join((snapshot.facts[path].title, stem_of(path), *aliases))
    words, named = snapshot.passages.keyword.words, count_words(names)
    return all(any(words[word_id] in named for word_id in word_ids) for word_ids in terms)
