"""Suggestions: the names most similar to an unknown one, by shared trigrams.

Bit sets of the trigrams of all names tell which of them are compared, in slices.
"""

from collections.abc import Callable, Iterable
from heapq import nsmallest

from clew.engine.caches.name_shapes import NameShapes, file_name
from clew.engine.snapshot import Snapshot
from clew.index.graph import ConceptGraph
from clew.index.names import without_extension
from clew.query.notes.reference_forms import readings
from clew.query.slices import PAUSE, SLICE_ROWS, Slices
from clew.text.concept import normalize
from clew.text.filename import shown_name
from clew.text.similarity.names import SIMILARITY_MIN, name_similarity, name_trigrams
from clew.text.uri import to_uri
from clew.values.arrays import Int64Array
from clew.values.errors import NotFound, UnknownNote

SUGGESTIONS_MAX = 5
_SCORED_MAX = 1_000  # similar names that are kept at a time


def close_names(name: str, names: Iterable[str]) -> Slices[tuple[str, ...]]:
    """Return up to ``SUGGESTIONS_MAX`` of ``names`` similar to ``name``, most similar first."""
    return (yield from _closest(name, ((candidate, candidate) for candidate in names)))


def _closest(name: str, candidates: Iterable[tuple[str, str]]) -> Slices[tuple[str, ...]]:
    """Return what goes with up to ``SUGGESTIONS_MAX`` names similar to ``name``, in that order.

    ``candidates`` are pairs of a name and what goes with it.
    """
    trigrams = name_trigrams(name)
    scored: list[tuple[float, str, str]] = []
    for number, (candidate, value) in enumerate(candidates):
        if number % SLICE_ROWS == 0:
            yield PAUSE
        similarity = name_similarity(trigrams, candidate)
        if similarity >= SIMILARITY_MIN:
            scored.append((-similarity, candidate, value))
        if len(scored) >= _SCORED_MAX:
            scored = nsmallest(SUGGESTIONS_MAX, scored)
    return tuple(value for *_, value in nsmallest(SUGGESTIONS_MAX, scored))


def close_concepts_to(snapshot: Snapshot, name: str) -> Slices[tuple[str, ...]]:
    """Return the concepts with names similar to ``name``, at most ``SUGGESTIONS_MAX``."""
    graph = snapshot.graph
    shapes = snapshot.name_shapes.concepts
    ids = yield from _ids_like(shapes, name, graph, graph.concept_slots)
    mentioned = ids[graph.note_counts[ids] > 0]
    return (yield from close_names(name, map(graph.name, mentioned.tolist())))


def close_files_to(snapshot: Snapshot, name: str) -> Slices[tuple[str, ...]]:
    """Return the paths of notes with file names like ``name``, at most ``SUGGESTIONS_MAX``."""
    return (yield from _close_notes(snapshot, name, snapshot.name_shapes.files, file_name))


def _close_notes(
    snapshot: Snapshot, name: str, shapes: NameShapes, name_of: Callable[[str], str]
) -> Slices[tuple[str, ...]]:
    """Return the paths of notes with names like ``name``.

    ``name_of`` returns the name of the note at a path, of which ``shapes`` has the shape.
    """
    graph = snapshot.graph
    ids = yield from _ids_like(shapes, name, graph, graph.note_slots)
    paths = map(graph.path, ids[graph.is_live[ids]].tolist())
    return (yield from _closest(name, ((name_of(path), path) for path in paths)))


def _ids_like(shapes: NameShapes, name: str, graph: ConceptGraph, count: int) -> Slices[Int64Array]:
    for _ in shapes.grow(graph, count):
        yield PAUSE
    return shapes.like(name, graph, count)


def with_similar_names(snapshot: Snapshot, error: NotFound) -> Slices[NotFound]:
    """Return the same error; that of an unknown note with notes of similar names."""
    if not isinstance(error, UnknownNote):
        return error
    *_, reading = readings(error.reference)
    name = without_extension(reading.name)
    shapes = snapshot.name_shapes.paths
    paths = yield from _close_notes(snapshot, name, shapes, without_extension)
    if not paths:
        return UnknownNote(error.reference, "`clew recent` lists notes")
    similar = map(shown_name, map(without_extension, paths))
    hint = f"close to it: {', '.join(similar)}"
    return UnknownNote(error.reference, hint, tuple(map(to_uri, paths)))


def close_concepts(snapshot: Snapshot, unknown: Iterable[str]) -> Slices[tuple[str, ...]]:
    """Return the concepts with names similar to unknown ones, at most ``SUGGESTIONS_MAX`` each."""
    suggestions: dict[str, None] = {}
    for reference in unknown:
        *_, reading = readings(reference)
        name = normalize(reading.name)
        if name:
            similar = yield from close_concepts_to(snapshot, name)
            suggestions |= dict.fromkeys(similar)
    return tuple(suggestions)
