"""Find the notes whose title holds the words of a query in their order.

This is how a query of stop words alone finds a note, such as "The Who" or "How to do it": nearly
all notes have these words somewhere, so only names can tell which note is meant.
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.search.narrowing.phrases import as_run
from clew.query.search.passage_hits import PassageHits, without_passages
from clew.text.concept import normalize, spoken_form
from clew.text.terms import phrase_units, phrase_words, query_words
from clew.values.arrays import BoolArray, Int32Array, Int64Array

TITLES_READ_MAX = 500  # notes with all words in their title; if there are more, none is read
_WORDS_MAX = 64


def has_only_stop_words(text: str, stop_words: AbstractSet[str]) -> bool:
    """Return whether ``text`` has words, and all of them are among ``stop_words``."""
    if any(token.isalpha() and token not in stop_words for token in text.casefold().split()):
        return False  # most queries end here, at their first word
    words = query_words(text)
    return bool(words) and stop_words >= set(words)


def notes_titled(snapshot: Snapshot, text: str, allowed: BoolArray | None) -> PassageHits:
    """Return the ``allowed`` notes whose title holds the words of ``text`` in a row.

    The score is the share of the title that these words make up: 1.0 if they are the whole title,
    file name or an alias of the note. A single word must be the whole name.
    """
    scores = np.zeros(snapshot.graph.note_slots)
    units = phrase_units(text)
    if len(units) > 1:
        for note_id in _candidates(snapshot, phrase_words(text)[:_WORDS_MAX]):
            title = phrase_units(snapshot.facts[snapshot.graph.path(note_id)].title)
            scores[note_id] = len(units) / len(title) if as_run(units) in as_run(title) else 0.0
    name = normalize(text)
    for path in snapshot.names.notes_called(name) | snapshot.names.notes_called(spoken_form(name)):
        scores[snapshot.graph.note_ids[path]] = 1.0
    if allowed is not None:
        scores = np.where(allowed, scores, 0.0)
    return without_passages(scores, snapshot.graph.paths)


def _candidates(snapshot: Snapshot, words: Iterable[str]) -> list[int]:
    """Return the notes with all of these words in their title, unless there are too many."""
    numbers: Int32Array | None = None
    for word in dict.fromkeys(words):
        holding, _ = snapshot.symbols.texts.names_with_any_word([word])
        numbers = holding if numbers is None else numbers[np.isin(numbers, holding)]
    if numbers is None or not len(numbers):
        return []
    note_ids: Int64Array = np.flatnonzero(np.isin(snapshot.symbols.titles, numbers))
    return note_ids.tolist() if len(note_ids) <= TITLES_READ_MAX else []
