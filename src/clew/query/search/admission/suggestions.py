"""Names and words of the vault that are near to a query that nothing answers."""

from collections.abc import Iterator
from itertools import chain, islice

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.search.admission.admitted import Admission
from clew.query.search.fallbacks.vocabulary import corrections_of
from clew.query.search.query_terms import QueryTerms
from clew.query.slices import Slices
from clew.query.suggest import SUGGESTIONS_MAX, close_names
from clew.text.filename import stem_of

NAMES_MAX = 50_000  # names compared with the query
WORDS_MAX = 4  # words of the query for which near words are looked up


def near_names(
    snapshot: Snapshot, query: QueryTerms, admission: Admission
) -> Slices[tuple[str, ...]]:
    """Return names like the query and words like those of it that the vault lacks.

    At most ``SUGGESTIONS_MAX``, names first; none if the query is answered.
    """
    if admission.answered != "no" or not query.text.strip():
        return ()
    names = yield from close_names(query.text, islice(_names(snapshot), NAMES_MAX))
    unknown = admission.unmatched[:WORDS_MAX]
    corrections = yield from corrections_of(snapshot.passages, unknown)
    found = chain(names, (each.corrected for each in corrections))
    by_text = {suggestion.casefold(): suggestion for suggestion in reversed(list(found))}
    return tuple(reversed(by_text.values()))[:SUGGESTIONS_MAX]


def _names(snapshot: Snapshot) -> Iterator[str]:
    """Yield the names that people read of concepts and of notes."""
    graph = snapshot.graph
    for concept_id in np.flatnonzero(graph.note_counts).tolist():
        yield snapshot.targets.display(graph.name(concept_id), keeps=False)
    yield from map(stem_of, snapshot.entries)
