"""Prefer the notes in the language of the query, where a vault has several languages."""

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.words.note_languages import UNCLEAR, code_of
from clew.text.languages.guess import language_of_query
from clew.text.terms import query_words
from clew.values.arrays import Float64Array, Int64Array

OTHER_LANGUAGE = 0.85  # the factor of notes in another language; only near-equal hits change places


def language_factor(snapshot: Snapshot, text: str, note_ids: Int64Array) -> Float64Array | float:
    """Return the factor of the score of each of these notes for its language, or of all.

    It is 1 for all notes if the vault has one language, or the language of the query is unclear.
    """
    languages = snapshot.languages.codes
    language = language_of_query(query_words(text), languages) if len(languages) > 1 else None
    if language is None:
        return 1.0
    codes = snapshot.passages.languages.codes[note_ids]
    is_other = (codes != UNCLEAR) & (codes != code_of(language))
    return np.where(is_other, OTHER_LANGUAGE, 1.0)
