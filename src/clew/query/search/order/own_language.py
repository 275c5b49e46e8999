"""Prefer the notes in the language of the query, where a vault has several languages."""

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.words.note_languages import UNCLEAR, code_of
from clew.text.languages.guess import language_of_query
from clew.text.terms import query_words
from clew.values.arrays import Float64Array

OTHER_LANGUAGE = 0.85  # the factor of notes in another language; only near-equal hits change places


def language_factor(snapshot: Snapshot, text: str) -> Float64Array:
    """Return the factor of each note's score for its language, by note id.

    It is 1 for all notes if the vault has one language, or the language of the query is unclear.
    """
    factors = np.ones(snapshot.graph.note_slots)
    languages = snapshot.languages.codes
    language = language_of_query(query_words(text), languages) if len(languages) > 1 else None
    if language is not None:
        codes = snapshot.passages.languages.codes
        is_other = (codes != UNCLEAR) & (codes != code_of(language))
        factors[: len(codes)][is_other] = OTHER_LANGUAGE
    return factors
