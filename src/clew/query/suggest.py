"""Suggestions: the names most similar to an unknown one, by shared trigrams.

All names are compared, in slices.
"""

from collections.abc import Iterable
from heapq import nsmallest

from clew.engine.snapshot import Snapshot
from clew.query.notes.reference_forms import readings
from clew.query.slices import PAUSE, SLICE_ROWS, Slices
from clew.text.concept import normalize
from clew.text.filename import shown_name
from clew.text.uri import to_uri
from clew.values.errors import NotFound, UnknownNote

SUGGESTIONS_MAX = 5
_SIMILARITY_MIN = 0.35
_CHARACTERS_MAX = 100
_SCORED_MAX = 1_000  # similar names that are kept at a time
_EXTENSION = ".md"


def close_names(
    name: str, names: Iterable[str], count_max: int = SUGGESTIONS_MAX
) -> Slices[tuple[str, ...]]:
    """Return up to ``count_max`` of ``names`` similar to ``name``, most similar first.

    Similarity is Dice's coefficient of the trigrams, with the ends of the text marked, in 0..1.
    """
    trigrams = _trigrams(name.casefold()[:_CHARACTERS_MAX])
    if not trigrams:
        return ()
    scored: list[tuple[float, str]] = []
    for number, candidate in enumerate(names):
        if number % SLICE_ROWS == 0:
            yield PAUSE
        marked = f"^{candidate.casefold()}$"
        shared = sum(trigram in marked for trigram in trigrams)
        similarity = 2 * shared / (len(trigrams) + len(marked) - 2)
        if similarity >= _SIMILARITY_MIN:
            scored.append((-similarity, candidate))
        if len(scored) >= _SCORED_MAX:
            scored = nsmallest(count_max, scored)
    return tuple(candidate for _, candidate in nsmallest(count_max, scored))


def with_similar_names(snapshot: Snapshot, error: NotFound) -> Slices[NotFound]:
    """Return the same error; that of an unknown note with notes of similar names."""
    if not isinstance(error, UnknownNote):
        return error
    *_, reading = readings(error.reference)
    name = reading.name.removesuffix(_EXTENSION)
    paths = (path.removesuffix(_EXTENSION) for path in snapshot.entries)
    similar = yield from close_names(name, paths)
    if not similar:
        return UnknownNote(error.reference, "`clew recent` lists notes")
    files = (path if path in snapshot.entries else path + _EXTENSION for path in similar)
    hint = f"close to it: {', '.join(map(shown_name, similar))}"
    return UnknownNote(error.reference, hint, tuple(map(to_uri, files)))


def close_concepts(snapshot: Snapshot, unknown: Iterable[str]) -> Slices[tuple[str, ...]]:
    """Return the concepts with names similar to unknown ones, at most ``SUGGESTIONS_MAX`` each."""
    suggestions: dict[str, None] = {}
    for reference in unknown:
        *_, reading = readings(reference)
        name = normalize(reading.name)
        if name:
            similar = yield from close_names(name, snapshot.graph.concepts())
            suggestions |= dict.fromkeys(similar)
    return tuple(suggestions)


def _trigrams(text: str) -> set[str]:
    marked = f"^{text}$"
    return {marked[start : start + 3] for start in range(len(marked) - 2)}
