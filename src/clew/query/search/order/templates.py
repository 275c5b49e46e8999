"""Rank the templates of notes below the notes that were made from them.

A template has the headings and properties of all these notes, so it would be the best hit for each
of them. A query for templates says so.
"""

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.text.dates.grammar.words import word_set
from clew.text.terms import query_words
from clew.values.arrays import Float64Array, Int64Array

FACTOR = 0.1  # of the score of a template
_ASKED = word_set(
    "template templates vorlage vorlagen modèle modèles plantilla plantillas sjabloon sjablonen"
)


def template_factor(snapshot: Snapshot, query: str, note_ids: Int64Array) -> Float64Array | float:
    """Return what the score of each of these notes is multiplied by, or of all."""
    are_templates = snapshot.fields.are_templates(note_ids)
    if not are_templates.any() or not _ASKED.isdisjoint(query_words(query)):
        return 1.0
    return np.where(are_templates, FACTOR, 1.0)
