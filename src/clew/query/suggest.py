"""Suggestions: the names most similar to an unknown one, by shared trigrams.

All names are compared, in slices.
"""

from collections.abc import Iterable

from clew.engine.snapshot import Snapshot
from clew.query.slices import PAUSE, SLICE_ROWS, Slices
from clew.text.filename import shown_name
from clew.text.uri import from_uri
from clew.values.errors import NotFound, UnknownConcept, UnknownNote

SUGGESTIONS_MAX = 5
_SIMILARITY_MIN = 0.35
_CHARACTERS_MAX = 100


def close_names(
    name: str, names: Iterable[str], count_max: int = SUGGESTIONS_MAX
) -> Slices[tuple[str, ...]]:
    """Return up to ``count_max`` of ``names`` similar to ``name``, most similar first.

    Similarity is Dice's coefficient of the trigrams, with the ends of the text marked, in 0..1.
    """
    trigrams = _trigrams(name.casefold()[:_CHARACTERS_MAX])
    scored = []
    for number, candidate in enumerate(names):
        if number % SLICE_ROWS == 0:
            yield PAUSE
        marked = f"^{candidate.casefold()}$"
        shared = sum(trigram in marked for trigram in trigrams)
        similarity = 2 * shared / (len(trigrams) + len(marked) - 2)
        if similarity >= _SIMILARITY_MIN:
            scored.append((-similarity, candidate))
    return tuple(candidate for _, candidate in sorted(scored)[:count_max])


def with_similar_names(snapshot: Snapshot, error: NotFound) -> Slices[NotFound]:
    """Return the same error, with a hint that lists names similar to the unknown one."""
    if isinstance(error, UnknownNote):
        name = from_uri(error.reference).removesuffix(".md")
        paths = (path.removesuffix(".md") for path in snapshot.entries)
        similar = yield from close_names(name, paths)
        hint = f"close to it: {', '.join(map(shown_name, similar))}" if similar else ""
        return UnknownNote(error.reference, hint or "`clew recent` lists notes")
    if isinstance(error, UnknownConcept):
        similar = yield from close_names(error.name, snapshot.graph.concepts())
        return UnknownConcept(error.name, f"close to it: {', '.join(similar)}" if similar else "")
    return error


def _trigrams(text: str) -> set[str]:
    marked = f"^{text}$"
    return {marked[start : start + 3] for start in range(len(marked) - 2)}
